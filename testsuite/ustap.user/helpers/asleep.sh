# STAPRUN BLOB PROGRAM: a run ends while a thread of the process sleeps in a probed function; others
# attach meanwhile, of which one ends before the sleep does
. "${0%/*}/common.sh"
# one process, which locks a file, is a child and not traced
complaints() { grep -E '^(ERROR|WARNING)|cannot' "$1.err" | grep -v 'see --children'; }

sleeps() {
	touch asleep
	until_true grep -qs asleep result
}

goes_on() {
	touch load
	until_true grep -qs loaded result
	touch awake
	sleep 0.3
	touch over
}

# NAME...: print what these runs have printed, and the end of the program
results() {
	wait $target
	local name s=$?
	for name; do
		echo "$name:"
		grep -ho 'a thread is executing in it' $name.err
		grep -ho 'sleeping threads continue in the middle of planned jumps' $name.err
		cat $name.out
	done
	echo "status $s, $(tail -n 1 result)"
	rm -f asleep load awake over
}

start result "$prog" locked asleep load awake over "$prog.so"
attach before -x $target
sleeps
detach before $run
goes_on
results before

start result "$prog" locked asleep load awake over "$prog.so"
sleeps
attach during -x $target
detach during $run
attach until -x $target
goes_on
ended until $run
results during until
