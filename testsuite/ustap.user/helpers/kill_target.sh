# STAPRUN BLOB PROGRAM: kill -9 of the target at any moment
. "${0%/*}/common.sh"
for ((i = 0; i < 12; i++)); do
	"$prog" work 3 stop > result & target=$!
	"$staprun" -x $target -o out "$blob" 2> err & p=$!
	sleep "$(ms "$(below 80)")"
	kill -9 $target
	wait $target 2> /dev/null
	wait $p
	s=$?
	case $s in
	0) ;;
	3) grep -qE 'no such process|is gone|ended' err || echo "run $i: status $s, $(cat err)" ;;
	*) echo "run $i: status $s, $(cat err)" ;;
	esac
done 2> killed
grep -v -e Killed -e 'No such process' -e '^$' killed
"$staprun" -c "$prog steps 50" -o out "$blob"
echo "then: status $?"
cat out
