# STAPRUN BLOB PROGRAM: the target's memory after a run that probed its whole C library
. "${0%/*}/common.sh"
start result "$prog" stop
attach one -x $target
sleep 0.1
kill -INT $run
wait $run || echo "status $?"
cat one.out
touch stop
wait $target || echo "target: status $?"
tail -n 1 result
grep 'script memory stays mapped' one.err || echo "nothing stays"
