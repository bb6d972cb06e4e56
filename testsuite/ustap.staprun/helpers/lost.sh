# STAPRUN KO PROGRAM
calls=100000
{ "$1" -c "$3 $calls" "$2" 2> said; echo $? > code; } | { sleep 6; wc -l; } > printed & p=$!
until pgrep -x ticks > /dev/null || [ -s said ]; do sleep 0.05; done
wait $p
echo "status $(cat code)"
lost=$(sed -n 's/^WARNING: \([0-9]*\) records lost .*/\1/p' said)
if [ $(($(cat printed) + lost)) = $calls ]; then
	echo "printed and lost add up"
else
	echo "printed $(cat printed), lost $lost of $calls"
fi
grep -v '^WARNING: [0-9]* records lost' said >&2
:
