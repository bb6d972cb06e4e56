# STAPRUN BLOB PROGRAM: runs are to attach to a process that shares its memory with its child
. "${0%/*}/common.sh"
start result "$prog" go
for i in 1 2 3 4 5 6 7 8; do
	attach run -x $target
	kill -INT $run 2> /dev/null
	wait $run
	echo "run: status $?" >> run.err
	grep -E '^WARNING|^run:' run.err | sed 's/process [0-9]*/process N/g; s/, which.*//'
done | LC_ALL=C sort -u
touch go
wait $target
echo "status $?, $(tail -n 1 result)"
