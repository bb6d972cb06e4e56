# SPDX-License-Identifier: GPL-2.0-or-later
# frozen.sh [STAPRUN BLOB PROGRAM]: attach to a program in a paused container, and end a run while
# its program is paused: the program must not notice. Without arguments: whether a control group
# can be made here.
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/ustap.$$
mkdir "$group" || exit
trap 'rmdir "$group"' EXIT
[ -e "$group/cgroup.freeze" ] || exit
[ "$3" ] || exit 0

. "${0%/*}/common.sh"
pause() {
	echo 1 > "$group/cgroup.freeze"
	until_true grep -q 'frozen 1' "$group/cgroup.events"
}
resume() { echo 0 > "$group/cgroup.freeze"; }
join() {
	echo $BASHPID > "$group/cgroup.procs"
	exec "$@"
}

start result join "$prog" gate stop 500
pause
"$staprun" -x $target "$blob" 2>&1 | sed "s/$target/PID/"
resume
attach one -x $target
pause
kill -INT $run
ended one $run > complained
sed "s/$target/PID/" complained
resume
"$staprun" --cleanup=$target | sed "s/$target/PID/; s/[0-9]* probe/N probe/"
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
until_true rmdir "$group"
trap - EXIT
