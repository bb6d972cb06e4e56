# moved_text.sh STAPRUN BLOB PROGRAM all|part attached|later|killed: attach to a program that has
# moved its code, or moves it later; `killed': the run is killed then, and a later one cleans up.
. "${0%/*}/common.sh"
later=later
[ "$5" = attached ] && later=
start result "$prog" "$4" stop 500 $later
attach one -x $target
if [ "$later" ]; then
	touch later
	until_true grep -q moved result
fi
if [ "$5" = killed ]; then
	# not one after the other: the tracer would remove the script
	runs=$(pgrep -f -- "-x $target ")
	kill -STOP $runs
	kill -9 $runs
	wait $run 2> /dev/null
	gone $runs
	"$staprun" --cleanup=$target | sed "s/$target/PID/; s/[0-9]* probe/N probe/"
	[ "$(grep -c ustap-script /proc/$target/maps)" = 0 ] && echo "removed"
fi
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
[ "$5" = killed ] && exit
ended one $run
cat one.out
