# STAPRUN BLOB PROGRAM: the run ends while the target is within functions that are probed at return
. "${0%/*}/common.sh"
start result "$prog" pending stop 10
attach one -x $target
touch stop.in
until_true grep -q inside result
sleep 0.05
detach one $run
cat one.out
attach two -x $target
detach two $run
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat two.out
# once more, and the run ends by kill -9
rm stop stop.in
start result "$prog" pending stop 10
attach three -x $target
touch stop.in
until_true grep -q inside result
sleep 0.05
kill -9 $run
wait $run 2> /dev/null
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
