# SPDX-License-Identifier: GPL-2.0-or-later
# ioblock.sh VM COMMAND...: give the guest a disk in memory, /dev/nullb0, whose queue has a scheduler; run COMMAND, and take it away.
root=$("$1/run" --share)/../kernels/$(uname -r)/root
[ -d "$root/lib/modules" ] || root=$root/usr
shift
modprobe -d "$root" null_blk nr_devices=1 gb=1 memory_backed=1 || exit 9
echo mq-deadline > /sys/block/nullb0/queue/scheduler || exit 9
"$@"
status=$?
rmmod null_blk
exit $status
