# STAPRUN BLOB PROGRAM: a kernel uprobe on the same function
. "${0%/*}/common.sh"
if ! timeout 20 bpftrace -e 'BEGIN { exit(); }' > can 2>&1 || ! grep -q Attaching can; then
	echo "said so"; echo "1000 right"; echo "uprobe 1000"; echo 0
	exit
fi
start result "$prog" gate stop 1000
bpftrace -e "uprobe:$prog:step { @ = count(); } BEGIN { printf(\"ready\n\"); }" > trace 2>&1 & counter=$!
until_true grep -q ready trace
attach one -x $target
kill -INT $run
wait $run
grep -q breakpoint one.err && echo "said so"
attach two -x $target
touch stop
wait $run
wait $target
echo "$(tail -n 1 result)"
kill -INT $counter
wait $counter
sed -n 's/^@: /uprobe /p' trace
cat two.out
