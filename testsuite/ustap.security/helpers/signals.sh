# STAPRUN KO: each of the 64 signals, to a staprun of its own or, where it goes on, one after
# another to one.
staprun=$1 ko=$2

start() { # NAME
	: > "$1.out"
	"$staprun" "$ko" > "$1.out" 2> "$1.err" &
}

begun() { # NAME...
	local n
	for n in "$@"; do
		until grep -q begin "$n.out"; do sleep 0.02; done
	done
}

# SIGKILL and SIGSTOP cannot be handled; SIGTSTP and SIGCONT are job control.
start quiet; quiet=$!
begun quiet
left_alone="10 12 13 17 18 21 22 23 25 28 32 33"
for sig in $left_alone; do kill -n "$sig" $quiet; done
kill -n 20 $quiet
kill -n 18 $quiet
sleep 0.3
kill -0 $quiet && echo "goes on after: $left_alone"
kill -TERM $quiet
wait $quiet
echo "then ends with status $?"

ended=
set -- 1 2 3 4 5 6 7 8 11 14 15 16 24 26 27 29 30 31 $(seq 34 64)
while [ $# -gt 0 ]; do
	batch=${*:1:10}
	shift $(($# < 10 ? $# : 10))
	for sig in $batch; do start "s$sig"; eval "p$sig=$!"; done
	for sig in $batch; do begun "s$sig"; eval "kill -n $sig \$p$sig"; done
	for sig in $batch; do
		eval "wait \$p$sig"
		status=$?
		[ $status = 0 ] && grep -q end "s$sig.out" && ended="$ended $sig" ||
			echo "signal $sig: status $status"
		cat "s$sig.err"
	done
done
echo "end in order:$ended"
cat /proc/modules 2> /dev/null | grep -c ^ustap_
:
