# STAPRUN BLOB PROGRAM HOW: hits, plus hits skipped inside a handler, equal the number of calls
. "${0%/*}/common.sh"
"$staprun" -o out -c "$prog $4 400" "$blob" > result 2> err
s=$?
[ $s = 0 ] || echo "status $s, $(cat err)"
tail -n 1 result
calls=$(sed -n 's/^calls //p' result)
hits=$(cut -d ' ' -f 1 out)
skipped=$(sed -n 's/.*skipped probes: \([0-9]*\).*/\1/p' err)
# returns are skipped, too
left=$((calls - hits))
if [ "$4" = jump ] && [ $((hits + ${skipped:-0} - calls)) -gt -400 ] &&
	[ $left -lt $((calls / 20)) ]; then
	echo "hits and skipped ones are all calls, but those that were left"
elif [ $left -ge 0 ] && [ $left -le ${skipped:-0} ] && [ ${skipped:-0} -lt $((calls / 20)) ]; then
	echo "hits and skipped ones are all calls"
else
	echo "$calls calls, $hits hits, ${skipped:-0} skipped"
fi
grep -v 'skipped probes' err
:
