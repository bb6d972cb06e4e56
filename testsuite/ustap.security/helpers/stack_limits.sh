#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stack_limits.sh USTAP OPTIONS...: errors about scripts whose handlers do not fit the stack.
ustap=$1
shift

# Each level keeps five values.
deep='function f(x, y) {
	if (x <= 1) return y
	a = f(x - 1, y + 1); b = f(x - 2, a); c = f(x - 3, b); d = f(x - 4, c); e = f(x - 5, d)
	return a + b * c + d * e + x + y
}
probe begin { println(f(5, 1)) }'
room='function f:long() %{ volatile char room[6000]; room[9] = 1; STAP_RETURN(room[9]); %}
probe begin { f() }'
large='function f:long(n:long) %{
	volatile char room[3900]; room[9] = 1; STAP_RETURN(room[9] + STAP_ARG_n); %}
function g(n) { return f(n) + (n > 0 ? g(n - 1) : 0) }
probe begin { println(g(3)) }'

try() {
	name=$1
	shift
	"$ustap" "$@" -p4 2>&1 > /dev/null |
		sed -n 's/[0-9][0-9]* bytes/N bytes/; s/.*: error: //p' | sort -u |
		sed "s/^/$name: /"
}

try ten_deep "$@" -e "$deep"
try hundred_deep "$@" -DMAXNESTING=100 -e "$deep"
try large_frame "$@" -g -e "$room"
try large_frames "$@" -g -e "$large"
