# STAPRUN BLOB PROGRAM: staprun --list and --cleanup, while a run is there and after it was killed
. "${0%/*}/common.sh"
about_target() {
	"$staprun" --list | sed -n "s/^process $target ([^)]*): //p" |
		sed 's/^[0-9]* probe sites/probe sites/; s/ with:.*/ with/'
}
start result "$prog" stop
attach one -x $target
about_target
"$staprun" --cleanup=$target | sed 's/^[^:]*: //'
tracer=$(pgrep -P $run)
{ kill -9 $tracer $run $(pgrep -P "${tracer//$'\n'/,}"); wait $run; } 2> killed
gone $tracer
about_target
"$staprun" --cleanup=$target |
	grep -q '^process [0-9]*: [1-9][0-9]* probe sites of killed runs removed$' && echo removed
about_target
touch stop
wait $target || echo "target: status $?"
tail -n 1 result
"$staprun" --cleanup=999999999 2>&1 | head -n 1
