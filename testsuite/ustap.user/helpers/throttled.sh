# SPDX-License-Identifier: GPL-2.0-or-later
# throttled.sh [STAPRUN BLOB PROGRAM]: attach to a program that may use a thousandth of a processor,
# as in a container with a quota: it waits for seconds between its turns. Without arguments: whether
# a control group with a quota can be made here.
staprun=$1 blob=$2 prog=$3
cpu=/sys/fs/cgroup/cpu
[ -d $cpu ] || cpu=/sys/fs/cgroup
group=$cpu/ustap.$$
mkdir $group || exit
trap 'rmdir $group' EXIT
if [ -e $group/cpu.cfs_quota_us ]; then
	echo 1000000 > $group/cpu.cfs_period_us && echo 1000 > $group/cpu.cfs_quota_us || exit
else
	echo '1000 1000000' > $group/cpu.max || exit
fi
[ "$prog" ] || exit 0

"$prog" 1000000000 > /dev/null & target=$!
echo $target > $group/cgroup.procs
until grep -q 'nr_throttled [3-9]' $group/cpu.stat; do sleep 0.1; done
"$staprun" --quiet -x $target -T 1 "$blob"
echo "status $?"
kill -9 $target
wait $target 2> /dev/null
:
