# STAPRUN BLOB PROGRAM: a kernel uprobe on the same function
. "${0%/*}/common.sh"
start result "$prog" gate stop 1000
# bpftrace prints what its timer says only after it has armed all probes
bpftrace -e "uprobe:$prog:step { @ = count(); } interval:ms:50 { printf(\"ready\n\"); }" > trace \
	2>&1 & counter=$!
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
