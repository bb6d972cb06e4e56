# SPDX-License-Identifier: GPL-2.0-or-later
# monitor_tmux.sh USTAP: the display of --monitor on the screen of tmux, its keys, and a window that
# becomes smaller.
ustap=$1
export LC_ALL=C.UTF-8
socket=$PWD/socket
screen() { tmux -S "$socket" capture-pane -p; }
keys() { tmux -S "$socket" send-keys "$@"; }
# wait_for [!] PATTERN: wait until it is, or is not, on the screen
wait_for() {
	want=0
	[ "$1" = ! ] && want=1 && shift
	trap 'echo "not reached: $1"; screen; exit 1' TERM
	while
		screen | grep -qE -- "$1"
		[ $? != $want ]
	do
		sleep 0.1
	done
}
cat > t.stp << 'END'
global sold, prices
probe timer.ms(20) { sold++; prices <<< 1 << sold % 4 }
probe timer.ms(30) { println("a line of output") }
probe end { println("sold: ", sold > 10) }
END
tmux -S "$socket" -u -f /dev/null new-session -d -x 110 -y 20 \
	"'$ustap' --runtime=user --monitor=1 -o lines t.stp; echo status \$?; sleep 20"
trap 'tmux -S "$socket" kill-server' EXIT
wait_for '^----- .*t.stp, uptime'
wait_for '^ +index .* recent hits'
wait_for '^  1 [▁▂▃▄▅▆▇█]{4} 8$'
wait_for '[▁▂▃▄▅▆▇█]  timer.ms\(20\)$'
keys p
wait_for '\(off\) timer.ms\(30\)$'
keys r
wait_for ! '\(off\)'
keys f 'prices' Enter
wait_for ! '^sold='
keys f Enter
wait_for '^sold='
tmux -S "$socket" resize-window -x 40 -y 10
wait_for "^ +index +hits +min"
wait_for ! 'recent hits'
[ "$(screen | grep -c .)" -le 10 ] && echo "the screen has its lines"
keys q
wait_for 'status 0'
grep -c 'a line of output' lines | sed 's/^[0-9]*[1-9][0-9]*$/lines of output/'
grep '^sold' lines
