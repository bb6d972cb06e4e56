# SPDX-License-Identifier: GPL-2.0-or-later
# full_group.sh [STAPRUN BLOB PROGRAM]: attach to a program whose control group has little memory
# left, as a container with a limit. Without arguments: whether a control group with a limit can be
# made here.
memory=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
[ -d $memory ] || memory=/sys/fs/cgroup limit=memory.max
group=$memory/ustap.$$
mkdir $group || exit
trap 'rmdir $group' EXIT
# the kernel charges up to 256 KiB ahead for each of some processors
echo 1M > $group/$limit || exit
[ "$3" ] || exit 0

. "${0%/*}/common.sh"
mkfifo go
(echo $BASHPID > $group/cgroup.procs && exec "$prog") < go > told & target=$!
exec 3> go
until_true grep -qs ready told
attach one -s 16 -x $target
echo >&3
wait $target
echo "target: status $?"
ended one $run
wc -l < one.out
until_true rmdir $group
trap - EXIT
