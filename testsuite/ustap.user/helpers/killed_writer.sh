# STAPRUN BLOB PROGRAM: writers are killed in the middle of anything
. "${0%/*}/common.sh"
"$staprun" --children -s 8 -o out -c "$prog killed 60" "$blob" 2> err
echo "status $?"
grep -v 'records lost\|was killed by SIGKILL$\|^$' err
grep '^last' out | cut -d ' ' -f 2 | diff - <(seq 0 99) > difference &&
	echo "the last hundred are there" || head -n 5 difference
grep -cvE '^(last|child) [0-9]+ [0-9]+$' out | grep -v '^0$'
:
