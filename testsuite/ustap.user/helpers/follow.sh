# STAPRUN BLOB PROGRAM CASE [NUMBER [SECONDS]]: a program that is started again and again, and a run
# with --follow.
. "${0%/*}/common.sh"
as=
usage_wanted=$USAGE # print it in any case
mode=$4 number=${5:-200} seconds=${6:-0}

begin() {
	$as "$staprun" -v --follow="$prog" "$blob" "$@" > out 2> err & run=$!
	until_true grep -qs '^following' err
	tracer=$(pgrep -P $run)
}

finish() {
	local status

	kill -INT $run
	wait $run
	status=$?
	[ $status = 0 ] || echo "status $status"
	cat out
	grep -E '^(ERROR|WARNING)|cannot|^staprun: .*(may not|no such)' err |
		sed -e "s|$prog|PROG|; s/pid [0-9]*/pid N/; s/process [0-9]*/process N/" |
		sort | uniq -c
}

# KB of the memory of all processes of the run, the number of their open files, their number
usage() {
	local pid

	for pid in $run $tracer $(pgrep -P $tracer); do
		awk -v files="$(ls /proc/$pid/fd | wc -l)" \
			'$1 == "RssAnon:" { print $2, files }' /proc/$pid/status
	done | awk '{ kb += $1; files += $2 } END { print kb, files, NR }'
}

# The run has as many files and processes as before, and hardly more memory.
compare_usage() {
	[ $(($1 - $4)) -lt 128 ] && [ $2 = $5 ] && [ $3 = $6 ] && [ -z "$usage_wanted" ] ||
		echo "memory: $4 KB, then $1 KB; files: $5, then $2; processes: $6, then $3"
}

# starts of the program, four at a time, spread over some seconds
starts() {
	local i

	for ((i = 0; i < $1; i += 4)); do
		$as "$prog" "${@:2}" &
		$as "$prog" "${@:2}" &
		$as "$prog" "${@:2}" &
		$as "$prog" "${@:2}" &
		started="$! $(jobs -p)"
		for pid in $started; do
			[ $pid = $run ] || wait $pid || echo "a process failed: $?"
		done
		[ $seconds = 0 ] || sleep $(echo "4 * $seconds / $number" | bc -l)
	done
}

restarts() {
	begin
	starts 100 10
	before=$(usage)
	starts $number 10
	compare_usage $(usage) $before
	finish
	! pgrep -axf "$prog 10"
}

# Without privileges, where that user can read all; processes of others run as before.
own() {
	local ustap=${staprun%/*}/ustap dir

	dir=$(mktemp -d /tmp/follow.XXXXXX)
	trap "rm -rf $dir" EXIT
	chmod 755 $dir
	install -m 755 "$staprun" $dir/staprun
	install -m 755 "$prog" $dir/prog
	prog=$dir/prog
	blob=$("$ustap" --follow=$prog -p4 -e 'global hits probe process.mark("called") { hits++ }
		probe end { printf("hits %d\n", hits) }')
	install -m 644 "$blob" $dir/blob
	staprun=$dir/staprun blob=$dir/blob
	as="setpriv --reuid=1234 --regid=1234 --clear-groups"
	begin
	setpriv --reuid=1235 --regid=1235 --clear-groups "$prog" 10 || echo "the other one failed"
	"$prog" 10 || echo "that of root failed"
	starts $number 10 wait
	finish
}

killed() {
	begin
	for ((i = 0; i < number; i++)); do
		start ready$i "$prog" 10 stay
		kill -TERM $target
		wait $target 2> /dev/null
	done
	finish
}

# Each time as a new file; a start before staprun knows it is traced late.
replaced() {
	begin
	for ((i = 0; i < number; i++)); do
		cp "$prog" "$prog.new" && mv "$prog.new" "$prog"
		"$prog" 10 wait
	done
	cp "$prog" same
	cp "${prog%/*}/../other" "$prog.new" && mv "$prog.new" "$prog"
	until_true grep -q 'was replaced' err
	"$prog" 10
	cp same "$prog.new" && mv "$prog.new" "$prog"
	finish > ended
	grep -v 'untraced for a moment' ended
}

# Many at once, where few files may be open: each exec that is asked for is one.
few_files() {
	ulimit -n 48
	begin
	for ((i = 0; i < number; i++)); do
		"$prog" 10 wait &
		started="$started $!"
	done
	for pid in $started; do
		wait $pid || echo "a process failed: $?"
	done
	finish > ended
	grep -v 'not all processes can be opened' ended
}

# without its tracer, no exec waits
orphaned() {
	begin
	"$prog" 10
	kill -KILL $tracer $run
	wait $run 2> /dev/null
	"$prog" 10
	echo "status $?"
}

$mode
