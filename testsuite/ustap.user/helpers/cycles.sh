# STAPRUN BLOB PROGRAM TIMES WHAT: attach and detach again and again under load.  A run ends after a
# random time, in which a busy machine may not come to a probe: it then gets longer, within 20 s.
. "${0%/*}/common.sh"
times=$4
shift 4
"$prog" "$@" stop > result & target=$!
hit=0 window=60
for ((i = 0; i < times; i++)); do
	"$staprun" -w --quiet -x $target -o out "$blob" 2> err & p=$!
	sleep "$(ms $((20 + $(below $window))))"
	kill -TERM $p 2> /dev/null
	wait $p
	s=$?
	# a signal may come before staprun takes signals (SIGINT would be ignored then, in the
	# background)
	[ $s = 0 ] || [ $s = 143 ] || echo "run $i: status $s, $(cat err)"
	# children of the target may have come to a probe
	grep -v ' not traced: see --children, -x$' err > told && echo "run $i: $(cat told)"
	kill -0 $target || { echo "the target is gone after $i runs"; break; }
	if [ $s = 0 ] && grep -q '^hit' out; then
		hit=$((hit + 1))
	elif [ $((2 * window * times)) -le 20000 ]; then
		window=$((2 * window))
	fi
done
touch stop
wait $target
echo "target: status $?, $(cut -d ' ' -f 2 result)"
[ $((4 * hit)) -ge $times ] && echo "$times runs, hits in many" || echo "$times runs, hits in $hit"
