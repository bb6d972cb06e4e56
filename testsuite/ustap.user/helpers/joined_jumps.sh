# count|attach STAPRUN BLOB PROGRAM [FUNCTION...]: all hits are counted; runs come and go, and one
# is killed, while the threads of the program call functions with joined or early jumps
what=$1 staprun=$2 blob=$3 program=$4
shift 4
if [ "$what" = count ]; then
	"$staprun" -v -c "$program 4 1000" "$blob" 2> told
	echo "status $?"
	grep -o '[68] probe sites: .*' told |
		sed 's/4 shared jump, //; s/0 early jump, //' | tail -n 1
	exit 0
fi
look=()
for f in "${@:-one}"; do look+=(-ex "x/32xb $f"); done
code() { gdb -q -batch -p $pid "${look[@]}" 2> /dev/null | grep '^0x'; }
check() { kill -0 $pid 2> /dev/null && ! grep -q wrong out && echo "status 0, right"; }
"$program" 2 100000000000 > out &
pid=$!
sleep 0.2
before=$(code)
n=0
for i in 1 2 3 4; do
	"$staprun" -x $pid "$blob" > one 2> told || cat told
	grep -qx hit one && n=$((n + 1))
done
echo "$n runs have seen hits"
check
# this one does not end by itself, however long the kill takes
"$staprun" -v -x $pid "$blob" last_tick=1000000 > /dev/null 2> told &
run=$!
until grep -q 'sites armed' told || ! kill -0 $run 2> /dev/null; do sleep 0.01; done
tracer=$(pgrep -P $run | head -n 1)
kill -KILL $tracer $run
wait $run 2> /dev/null
while grep -qs '^State:.*[^ZX] (' /proc/$tracer/status; do sleep 0.01; done
[ "$before" = "$(code)" ] || echo "a killed run has left jumps"
"$staprun" -v -x $pid "$blob" > one 2> told || cat told
grep -o 'removed the probes of a run that was killed' told
check
[ "$before" = "$(code)" ] && echo "nothing is left"
kill $pid
wait $pid 2> /dev/null
exit 0
