#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Request an unused address through one device of a pair.
sh "$(dirname "$0")/load.sh" veth
ip link add ask0 address 02:00:00:00:00:01 type veth peer name ask1
ip addr add 10.98.7.1/24 dev ask0
ip link set ask1 up
ip link set ask0 up
python3 -c 'import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b"x", ("10.98.7.2", 9))'
sleep 1
ip link del ask0
