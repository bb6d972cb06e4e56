# STAPRUN BLOB PROGRAM: output goes to a pipe that is not read for a while
. "${0%/*}/common.sh"
calls=100000
mkfifo pipe
{ until [ -s done ]; do sleep 0.1; done; cat; } < pipe > got & reader=$!
{
	"$staprun" -s 1 -o pipe -c "$prog steps $calls > result; echo x > done" "$blob" 2> err
	echo "status $?"
}
wait $reader
cat result
lost=$(sed -n 's/^WARNING: \([0-9]*\) records lost .*/\1/p' err)
[ $(($(wc -l < got) + lost)) = $calls ] && echo "printed and lost add up" ||
	echo "printed $(wc -l < got), lost $lost"
