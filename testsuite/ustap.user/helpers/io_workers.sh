# STAPRUN BLOB PROGRAM: a run attaches to a process with workers of io_uring, and goes on for a
# second; then one to a process whose first thread is a worker
. "${0%/*}/common.sh"
for what in busy first; do
	start $what "$prog" $what $what.go
	attach run -x $target
	sleep 1
	touch $what.go
	ended run $run
	wait $target
	echo "$what: status $?"
	cat run.out
done
