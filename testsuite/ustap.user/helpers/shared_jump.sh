# count|attach STAPRUN BLOB PROGRAM: all hits are counted; runs come and go while the program's
# threads call a function with a shared jump
what=$1 staprun=$2 blob=$3 program=$4
if [ "$what" = count ]; then
	"$staprun" -v -c "$program 4 1000" "$blob" 2> told
	echo "status $?"
	grep -o '[0-9]* shared jump, [0-9]* breakpoint, 0 not probed' told | sort | tail -n 1
	exit 0
fi
"$program" 4 100000000000 > out &
pid=$!
sleep 0.2
before=$(gdb -q -batch -p $pid -ex 'x/8xb near' 2> /dev/null | grep near)
n=0
for i in 1 2 3 4; do
	"$staprun" -x $pid "$blob" > one 2> told || cat told
	grep -qx hit one && n=$((n + 1))
done
echo "$n runs have seen hits"
after=$(gdb -q -batch -p $pid -ex 'x/8xb near' 2> /dev/null | grep near)
kill -0 $pid 2> /dev/null && ! grep -q wrong out && echo "status 0, right"
[ "$before" = "$after" ] && echo "nothing is left"
kill $pid
wait $pid 2> /dev/null
exit 0
