# STAPRUN BLOB PROGRAM TIMES WHAT: attach and detach again and again under load
. "${0%/*}/common.sh"
times=$4
shift 4
"$prog" "$@" stop > result & target=$!
hit=0
for ((i = 0; i < times; i++)); do
	"$staprun" -w --quiet -x $target -o out "$blob" 2> err & p=$!
	sleep "$(ms $((20 + $(below 60))))"
	kill -TERM $p 2> /dev/null
	wait $p
	s=$?
	# a signal may come before staprun takes signals (SIGINT would be ignored then, in the background)
	[ $s = 0 ] || [ $s = 143 ] || echo "run $i: status $s, $(cat err)"
	# children of the target may have come to a probe
	grep -v ' not traced: see --children, -x$' err > told && echo "run $i: $(cat told)"
	kill -0 $target || { echo "the target is gone after $i runs"; break; }
	[ $s = 0 ] && grep -q '^hit' out && hit=$((hit + 1))
done
touch stop
wait $target
echo "target: status $?, $(cut -d ' ' -f 2 result)"
[ $hit -gt $((times / 2)) ] && echo "$times runs, hits in most" || echo "$times runs, hits in $hit"
