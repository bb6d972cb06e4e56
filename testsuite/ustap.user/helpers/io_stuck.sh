# STAPRUN BLOB PROGRAM: a run attaches to a process while a worker of io_uring waits for a file
. "${0%/*}/common.sh"
start result "$prog" stuck go locked
attach run -x $target
touch go
wait $run || echo "run: status $?"
wait $target
echo "status $?"
cat run.out
