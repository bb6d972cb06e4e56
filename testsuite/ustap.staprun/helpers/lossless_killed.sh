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
wait $target
echo "its status $?"
kill $sleeper
wait $sleeper $p 2> /dev/null
for module in /sys/module/ustap_*; do
	[ ! -d "$module" ] || "$1" -d "${module##*/}"
done
:
