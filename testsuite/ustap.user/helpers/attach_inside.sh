# STAPRUN BLOB PROGRAM: the target is within probed functions when the run comes
. "${0%/*}/common.sh"
start result "$prog" wait stop 10
attach one -x $target
touch stop
ended one $run
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat one.out
