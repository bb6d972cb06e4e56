# STAPRUN BLOB PROGRAM: the target is stopped when the run comes, and stays so
. "${0%/*}/common.sh"
start result "$prog" gate stop 500
kill -STOP $target
state() { grep -q '^State:.*T (stopped)' /proc/$target/status; }
until_true state
attach one -x $target
sleep 0.1
state && echo "still stopped"
touch stop
kill -CONT $target
ended one $run
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat one.out
