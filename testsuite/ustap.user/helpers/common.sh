# SPDX-License-Identifier: GPL-2.0-or-later
# For the scenarios beside it: STAPRUN BLOB PROGRAM are their arguments.
staprun=$1 blob=$2 prog=$3
mkdir scenario && cd scenario || exit 1

# until_true COMMAND: wait until it succeeds; the time limit of the test ends what waits in vain
until_true() {
	trap 'echo "waited in vain: $*"; exit 1' TERM
	until "$@"; do sleep 0.02; done
	trap - TERM
}

# attach NAME ARGS: a run of the script in the background, output in NAME.out and NAME.err; comes
# back when the probes are armed, with its process id in $run
attach() {
	local name=$1
	shift
	: > "$name.err"
	"$staprun" -v -o "$name.out" "$@" "$blob" 2> "$name.err" & run=$!
	until_true armed "$name" $run
}
armed() { grep -q 'sites armed' "$1.err" || ! kill -0 $2 2> /dev/null; }

# detach NAME PID: end that run; prints what is wrong
detach() {
	kill -INT $2
	ended "$1" $2
}
ended() {
	wait $2
	local s=$?
	[ $s = 0 ] || echo "status $s"
	complaints "$1"
}
# messages of a run, except that it runs
complaints() { grep -E '^(ERROR|WARNING)|cannot' "$1.err"; }

# gone PID...: wait until they have ended; a killed tracer takes a moment, in which its script is
# one that runs
gone() {
	local pid
	for pid; do
		until_true has_ended $pid
	done
}
has_ended() { ! grep -qs '^State:.*[^ZX] (' /proc/$1/status; }

# a random number below $1; milliseconds as sleep takes them
below() { echo $((RANDOM % $1)); }
ms() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }

# start NAME COMMAND: the target, output in NAME; comes back when it said that it is ready; its id
# is in $target
start() {
	local name=$1
	shift
	"$@" > "$name" & target=$!
	until_true grep -qs ready "$name"
}
