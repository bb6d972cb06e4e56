#!/bin/sh
# In place of ssh, for tests of `ustap --remote': hosts that send anything. The words before the
# command are "-- HOST".
while [ "$1" != -- ]; do shift; done
size=${3#*head -c } size=${size%%)*}
nonce=$(head -c "$size" | sed -n '1s/nonce=//p')
greeting="$nonce 6.1.0-1 $(uname -m) 1000"
receive() {
	echo "$greeting"
	read -r bytes sum && head -c "$bytes" > /dev/null
}
# A set of globals at an interval, and the same at the end of the run once LINE is printed.
send_set_until() {
	receive
	printf '%s:ustap-globals 1 1\n%s:global n sum -\n' "$nonce" "$nonce" >&2
	printf '%s:value 4\n%s:end 2\n' "$nonce" "$nonce" >&2
	until grep -qx "$1" lines; do sleep 0.1; done
	printf '\n%s globals\nustap-globals 1 1\nglobal n sum -\nvalue 4\nend 2\n' "$nonce"
	leave
}
# As the program of ustap does.
leave() { printf '\n%s 0\n' "$nonce" >&2; }
case $2 in
noise) yes login banner | head -n 100000 ;;
release) echo "$nonce ../../etc $(uname -m) 0" ;;
machine) printf '%s 6.1.0-1 vax\033 0\n' "$nonce"; sleep 5 ;;
escapes)
	receive
	printf '\033[2J\n'
	printf 'a\033[31mb\007\n' >&2
	leave ;;
endless)
	receive
	head -c 1000000 /dev/zero | tr '\0' x
	leave ;;
silent) exec sleep 20 ;;
globals)
	receive
	printf 'line\n\n%s globals\nustap-globals 1 1\nglobal n sum -\nvalue 4\nend 2\n' "$nonce"
	leave ;;
wrong)
	receive
	printf '\n%s globals\nustap-globals 1 1\nglobal n sum -\nvalue \033[2J\nend 2\n' "$nonce"
	leave ;;
flood)
	receive
	printf '\n%s globals\nustap-globals 1 1\n' "$nonce"
	yes 'value 1' | head -c 70000000
	leave ;;
interval)
	receive
	printf 'half a' >&2
	printf '%s:ustap-globals 1 1\n%s:global n sum -\n' "$nonce" "$nonce" >&2
	printf '%s+val\n%s+u\n%s:e 4\n%s:end 2\n' "$nonce" "$nonce" "$nonce" "$nonce" >&2
	printf ' line\n%s:ustap-globals 1 2\n%s:global n sum -\n' "$nonce" "$nonce" >&2
	until grep -q '^n' lines; do sleep 0.1; done ;;
early) send_set_until 'n 8' ;;
late)
	until grep -qx 'n 4' lines; do sleep 0.1; done
	send_set_until 'n 8' ;;
interval_flood)
	receive
	{
		printf '%s:ustap-globals 1 1\n' "$nonce"
		yes "$nonce:value $(head -c 200 /dev/zero | tr '\0' 1)" | head -c 90000000
		printf '\n%s:end 1\n%s:end\n%s:\n%s+\n' "$nonce" "$nonce" "$nonce" "$nonce"
	} >&2
	leave ;;
spoof)
	receive
	printf 'ustap-0123456789abcdef 5\n' >&2
	echo real
	leave ;;
esac
