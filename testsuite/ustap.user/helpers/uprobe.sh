# STAPRUN BLOB PROGRAM CASE: a kernel uprobe on the same function
. "${0%/*}/common.sh"

# bpftrace prints what its timer says only after it has armed all probes
set_uprobe()
{
	bpftrace -e "uprobe:$prog:step { @ = count(); } interval:ms:50 { printf(\"ready\n\"); }" \
		> trace 2>&1 & counter=$!
	until_true grep -q ready trace
}

remove_uprobe()
{
	kill -INT $counter
	wait $counter
}

start result "$prog" gate stop 1000
case $4 in
before)
	set_uprobe
	attach one -x $target
	kill -INT $run
	wait $run
	grep -q breakpoint one.err && echo "said so"
	attach two -x $target
	touch stop
	wait $run
	;;
after | removed)
	attach two -v -x $target
	set_uprobe
	[ $4 = after ] || remove_uprobe
	kill -INT $run
	wait $run
	sed -n 's/process [0-9]* ([^)]*)/process N (NAME)/; s/ tool, and.*/ tool/; /WARNING/p' \
		two.err
	grep -o 'memory unmapped' two.err
	touch stop
	;;
esac
wait $target
echo "$(tail -n 1 result)"
[ $4 = removed ] || remove_uprobe
sed -n 's/^@: /uprobe /p' trace
cat two.out
