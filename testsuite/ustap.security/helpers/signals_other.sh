# STAPRUN KO PROG: signals that come in unusual ways to a staprun that traces a process.
staprun=$1 ko=$2 prog=$3

start() { # COMMAND...
	"$prog" 100000 1000 & target=$!
	: > text
	"$@" "$staprun" "$ko" -x $target > text 2> said &
	p=$!
	until grep -q begin text; do sleep 0.02; done
	tracer=$(cat /proc/$p/task/$p/children)
}

end_target() {
	kill -0 $target || echo "the target has ended"
	kill $target
	wait $target 2> /dev/null
}

finish() { # WHAT
	wait $p
	echo "$1: status $?, $(tail -n 1 text)"
	cat said >&2
	grep -q memfd:ustap /proc/$target/maps && echo "the script is still mapped"
	end_target
}

start env --ignore-signal=INT --ignore-signal=QUIT --block-signal=TERM --block-signal=USR2
kill -USR2 $p; kill -INT $p; finish "ignored SIGINT"
start env --block-signal=TERM
kill -TERM $p; finish "blocked SIGTERM"
start env --ignore-signal=HUP --ignore-signal=ALRM
kill -HUP $p
kill -ALRM $p
sleep 0.2; kill -0 $p && kill -QUIT $p; finish "ignored SIGHUP and SIGALRM, then SIGQUIT"
start setsid
kill -ALRM -- -$p; finish "SIGALRM to the process group"
start env
for sig in $(seq 1 64); do
	case $sig in 9 | 19) ;; *) kill -n $sig $tracer ;; esac
done
sleep 0.2; kill -TERM $p; finish "all signals to the tracer"

start env
kill -STOP $tracer
kill -TERM $p; sleep 0.3
began=$(date +%s%N); kill -TERM $p; wait $p; status=$?
# after 0.8 s, and what it takes to end where other programs run, too
[ $((($(date +%s%N) - began) / 1000000)) -lt 3000 ] && echo "stopped tracer: status $status"
cat said >&2
kill -CONT $tracer
while grep -q memfd:ustap /proc/$target/maps; do sleep 0.05; done
echo "the target is released"
end_target
:
