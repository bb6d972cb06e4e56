# STAPRUN BLOB PROGRAM HOW: a target that writes over all that it shares with the loader
. "${0%/*}/common.sh"
for ((i = 1; i <= 6; i++)); do
	"$staprun" -o out -c "$prog $4 $i > result" "$blob" 2> err
	s=$?
	case $s in 0 | 1 | 3 | 4) ;; *) echo "$i: status $s: $(head -n 5 err)" ;; esac
	grep -q '^1 found' result || echo "nothing was overwritten: $(cat result)"
done
"$staprun" -c "$prog close 50" "$blob"
echo "then: status $?"
