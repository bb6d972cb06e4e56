# STAPRUN BLOB PROGRAM: all processes of runs are killed while probes are armed
. "${0%/*}/common.sh"
check_done() { [ ! -e check ]; }
look() { touch check; until_true check_done; }
start result "$prog" stop check
for ((i = 0; i < 8; i++)); do
	attach "run$i" -x $target
	sleep "$(ms "$(below 50)")"
	# the tracer ends last: it would remove the probes if it saw that the others are gone
	tracer=$(pgrep -P $run)
	# a child of the tracer dies with it, and may be gone when its turn comes
	kill -9 $tracer $run $(pgrep -P "${tracer//$'\n'/,}") 2> gone
	wait $run
	look
	kill -0 $target || { echo "the target is gone after $((i + 1)) runs"; break; }
done 2> killed
grep -v -e Killed -e '^$' killed
echo "$i runs were killed"
awk '/ns$/ {c[++n] = $1}
	END {print c[n] < 3 * c[1] + 20 ? "probes cost as one run'"'"'s" : \
		"1st run: " c[1] " ns, last: " c[n] " ns"}' result
attach last -x $target
sleep 0.05
detach last $run
look
tail -n 2 result | head -n 1
cat last.out
touch stop
wait $target || echo "target: status $?"
