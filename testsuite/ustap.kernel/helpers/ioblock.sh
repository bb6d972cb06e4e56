# SPDX-License-Identifier: GPL-2.0-or-later
# ioblock.sh [-m] COMMAND...: give the guest a disk in memory, /dev/nullb0, whose queue has a
# scheduler; run COMMAND, and take it away. -m: with a file system, mounted at ./m; it has nothing
# that old kernels do not know
files=
[ "$1" != -m ] || { files=1; shift; }
root=${USTAP_VM:+${USTAP_VM%/share/*}/kernels/$(uname -r)/root}
[ -d "$root/lib/modules" ] || root=$root/usr
modprobe -d "$root" null_blk nr_devices=0 || exit 9
# old kernels take no such parameters of the module
config=/sys/kernel/config
[ -d $config/nullb ] || mount -t configfs none $config || exit 9
disk=$config/nullb/nullb0
mkdir $disk && echo 1 > $disk/memory_backed && echo 1024 > $disk/size && echo 1 > $disk/power ||
	exit 9
echo mq-deadline > /sys/block/nullb0/queue/scheduler || exit 9
[ -z "$files" ] || {
	modprobe -d "$root" ext4 && mkfs.ext4 -q -O none,extent,filetype,has_journal /dev/nullb0 &&
		mkdir -p m && mount /dev/nullb0 m
} || exit 9
"$@"
status=$?
[ -z "$files" ] || { umount m && modprobe -d "$root" -r ext4; }
echo 0 > $disk/power && rmdir $disk && rmmod null_blk
exit $status
