# STAPRUN BLOB PROGRAM: kill -9 of the loader at any moment, and of all its processes while the
# script runs
. "${0%/*}/common.sh"
"$prog" work 3 stop > result & target=$!
for ((i = 0; i < 10; i++)); do
	"$staprun" -x $target -o run.out "$blob" 2> run.err & p=$!
	sleep "$(ms "$(below 100)")"
	kill -9 $p
	wait $p
	kill -0 $target || { echo "the target is gone after $i runs"; break; }
done 2> killed
grep -v -e Killed -e 'No such process' -e '^$' killed
attach all -x $target
{ kill -9 $run $(pgrep -P $run); wait $run; } 2> killed
sleep 0.1
kill -0 $target || echo "the target is gone with the loader"
attach last -x $target
sleep 0.1
detach last $run
cat last.out
touch stop
wait $target
echo "target: status $?, $(cut -d ' ' -f 2 result)"
