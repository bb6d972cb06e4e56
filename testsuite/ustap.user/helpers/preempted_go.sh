# STAPRUN BLOB PROGRAM: runs attach while an address of a probed function is on the stack of a
# thread as a return address, and while a handler of a signal will push it there
. "${0%/*}/common.sh"
for what in call signal; do
	start $what "$prog" $what $what.go
	attach run -x $target
	touch $what.go
	ended run $run
	wait $target
	echo "$what: status $?, $(tail -n 1 $what)"
	cat run.out
	grep -ho 'goroutines continue in the middle of planned jumps' run.err
done
