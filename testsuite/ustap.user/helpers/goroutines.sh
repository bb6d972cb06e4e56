# STAPRUN BLOB PROGRAM: runs attach to a program of Go whose goroutines were interrupted anywhere in
# the probed loop; all of them go on
. "${0%/*}/common.sh"
mkfifo input
"$prog" < input > result 2> fault & target=$!
exec 9> input
until_true grep -qs running result
for i in 1 2 3; do
	attach run -x $target
	sleep 0.3
	detach run $run
	[ -s run.out ] || echo "no hit"
	grep -ho 'goroutines continue in the middle of planned jumps' run.err
done | sort -u
exec 9>&-
wait $target
echo "status $?, $(tail -n 1 result)"
head -n 1 fault
