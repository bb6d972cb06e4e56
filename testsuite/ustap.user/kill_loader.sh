# STAPRUN BLOB PROGRAM: kill -9 of the loader at any moment
. "${0%/*}/common.sh"
"$prog" work 3 stop > result & target=$!
for ((i = 0; i < 15; i++)); do
	"$staprun" -x $target -o out "$blob" 2> err & p=$!
	sleep "$(ms "$(below 100)")"
	# every third time all of its processes, at once
	if [ $((i % 3)) = 0 ]; then kill -9 $p $(pgrep -P $p); else kill -9 $p; fi
	wait $p
	kill -0 $target || { echo "the target is gone after $i runs"; break; }
done 2> killed
grep -v -e Killed -e '^$' killed
attach last -x $target
sleep 0.1
detach last $run
cat last.out
touch stop
wait $target
echo "target: status $?, $(cut -d ' ' -f 2 result)"
