# SPDX-License-Identifier: GPL-2.0-or-later
# swapped.sh VM STAPRUN KO PROGRAM: give the guest a swap device, then trace PROGRAM.
root=$("$1/run" --share)/../kernels/$(uname -r)/root
[ -d "$root/lib/modules" ] || root=$root/usr
modprobe -d "$root" zram || exit 9
echo 16M > /sys/block/zram0/disksize
mkswap /dev/zram0 > /dev/null && swapon /dev/zram0 || exit 9
"$2" --target-status -c "$4" "$3"
status=$?
swapoff /dev/zram0
exit $status
