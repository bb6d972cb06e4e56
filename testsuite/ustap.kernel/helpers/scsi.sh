# SPDX-License-Identifier: GPL-2.0-or-later
# scsi.sh COMMAND...: load the driver of disks, run COMMAND with the directory of the kernel's
# modules in $root, and unload the disks in memory that it has made by scsi_debug.
root=${USTAP_VM:+${USTAP_VM%/share/*}/kernels/$(uname -r)/root}
[ -d "$root/lib/modules" ] || root=$root/usr
export root
modprobe -d "$root" sd_mod || exit 9
"$@"
status=$?
rmmod scsi_debug sd_mod
modprobe -r -d "$root" scsi_mod 2> /dev/null
exit $status
