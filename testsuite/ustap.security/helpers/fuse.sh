# SPDX-License-Identifier: GPL-2.0-or-later
# fuse.sh COMMAND...: run COMMAND in a guest whose kernel has FUSE, built in or as a module.
root=${USTAP_VM:+${USTAP_VM%/share/*}/kernels/$(uname -r)/root}
[ -d "$root/lib/modules" ] || root=$root/usr
grep -qw fuse /proc/filesystems || PATH=$PATH:/sbin:/usr/sbin modprobe -d "$root" fuse || exit 9
[ -e /dev/fuse ] || mknod /dev/fuse c 10 229 || exit 9
exec "$@"
