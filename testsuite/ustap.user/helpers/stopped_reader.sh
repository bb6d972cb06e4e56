# STAPRUN BLOB PROGRAM: the loader is stopped while the target writes more than the buffers hold
. "${0%/*}/common.sh"
calls=200000
start result "$prog" gate stop $calls
attach run -s 1 -x $target
kill -STOP $run
touch stop
begin=$SECONDS
wait $target
[ $((SECONDS - begin)) -lt 10 ] || echo "the target was held up"
tail -n 1 result
kill -CONT $run
wait $run
echo "status $?"
lost=$(sed -n 's/^WARNING: \([0-9]*\) records lost .*/\1/p' run.err)
got=$(grep -c '^step [0-9]* some text' run.out)
[ $((got + lost)) = $calls ] && [ "$lost" -gt 0 ] && echo "printed and lost add up" ||
	echo "printed $got, lost $lost"
awk '/^step/ {if (NR > 1 && $2 <= last) {print "not in order: " $0; exit} last = $2}' run.out
