# STAPRUN BLOB PROGRAM: runs come and go while threads, some with all signals blocked, come by
# breakpoints all the time
. "${0%/*}/common.sh"
"$prog" wait 50000 > result & target=$!
until_true grep -qs '[0-9]' result
for ((i = 0; i < 8; i++)); do
	attach one -x $target
	sleep 0.1
	detach one $run
	grep -c '^some$' one.out
done
complaints() { grep -c 'another tool has set a breakpoint there' "$1.err"; }
attach two -x $target; two=$run
attach one -x $target
sleep 0.1
detach two $two
sleep 0.1
detach one $run
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat one.out two.out
