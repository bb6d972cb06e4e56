#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The second CPU goes and comes back; then a variable of the kernel is written there.
online=/sys/devices/system/cpu/cpu1/online
sleep 0.5
echo 0 > $online
sleep 0.5
echo 1 > $online
sleep 0.8
taskset -c 1 sh -c 'echo 0 > /proc/sys/kernel/panic'
