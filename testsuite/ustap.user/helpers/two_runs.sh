# STAPRUN BLOB PROGRAM: two runs on one process and one function
. "${0%/*}/common.sh"
start result "$prog" gate stop 20000
attach one -x $target; one=$run
attach two -x $target; two=$run
touch stop
ended one $one
ended two $two
wait $target
echo "target: status $?, $(tail -n 1 result)"
sort one.out two.out
rm stop
# the first to come is not the first to go
start result "$prog" gate stop 1000
attach one -x $target; one=$run
attach two -x $target; two=$run
detach one $one
attach three -x $target; three=$run
detach two $two
touch stop
ended three $three
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat one.out two.out three.out
