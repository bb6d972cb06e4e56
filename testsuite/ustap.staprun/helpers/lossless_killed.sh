# STAPRUN KO PROGRAM: the program waits for staprun until that is killed
pipe=$(mktemp -u /dev/shm/lossless.XXXXXX)
mkfifo "$pipe"
trap 'rm -f "$pipe"' EXIT
sleep 60 < "$pipe" & sleeper=$!
{ until [ -e begin ]; do sleep 0.05; done; exec "$3" 200000; } & target=$!
"$1" -v -x $target "$2" > "$pipe" 2> said & p=$!
until grep -q ' runs, ' said; do sleep 0.05; done
touch begin
# it waits when it takes less than a tenth of the processor time
before=-1000 now=0
while [ -n "$now" ] && [ $((now - before)) -gt 10 ]; do
	before=$now
	sleep 1
	now=$(awk '$2 == "(prog)" {print $14 + $15}' /proc/$target/stat)
done
[ -z "$now" ] || echo "the program waited"
kill -KILL $p
begun=$SECONDS
wait $target
echo "its status $?"
# it does not wait any more: the time is that which its calls take on a processor
times | awk -v took=$((SECONDS - begun)) 'NR == 2 {
	split($1 "m" $2, t, /[ms]+/)
	if (took < 20 + 3 * (60 * (t[1] + t[3]) + t[2] + t[4]))
		print "it went on"
}'
kill $sleeper
wait $sleeper $p 2> /dev/null
for module in /sys/module/ustap_*; do
	[ ! -d "$module" ] || "$1" -d "${module##*/}"
done
:
