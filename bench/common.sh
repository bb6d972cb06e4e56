# SPDX-License-Identifier: GPL-2.0-or-later
# Comparison of measured values with their limits, for the parts of `make bench'.

# Exit status of the part: 1 if a value is over its limit or was not measured.
status=0

# record NAME VALUE UNIT LIMIT [below]: compare VALUE with LIMIT, the largest value allowed; with
# `below', the smallest. Sets `mark' to the end of the line that shows the value.  An empty LIMIT
# allows every value.  `bench/run' reads the results in $BENCH_RESULTS.
record() {
	local verdict=ok
	if [[ ! $2 =~ ^-?[0-9]+(\.[0-9]+)?$ ]]; then
		verdict='NOT MEASURED'
	elif [ -n "$4" ] && ! awk -v v="$2" -v l="$4" -v below="${5:-}" \
		'BEGIN {exit !(below != "" ? v >= l : v <= l)}'; then
		verdict=OVER
		[ -z "${5:-}" ] || verdict=BELOW
	fi
	[ -n "$4" ] || [ "$verdict" = ok ] || verdict=absent
	mark=
	case $verdict in
	OVER | BELOW | 'NOT MEASURED') mark="  $verdict" status=1 ;;
	esac
	[ -z "${BENCH_RESULTS:-}" ] || printf '%s\t%s\t%s\t%s\t%s\t%s\n' \
		"$(basename "$0")" "$1" "$2" "$3" "$4" "$verdict" >> "$BENCH_RESULTS"
}

# show NAME VALUE UNIT LIMIT [below]: record, and print a line of its own.
show() {
	record "$@"
	printf '%-52s %10s %-12s %10s%s\n' "$1" "$2" "$3" "$4" "$mark"
}

# cost NAME TOTAL FLOOR HITS LIMIT: record and print instructions a hit, TOTAL less those of a bare
# probe, FLOOR.  A run with fewer HITS than $calls measured nothing.
cost() {
	local above=-
	if [ -n "$2" ] && [ -n "$3" ] && [ "${4:-0}" -ge "$calls" ]; then
		above=$(awk -v t="$2" -v f="$3" 'BEGIN {printf "%.1f", t - f}')
	fi
	record "$1" "$above" instructions "$5"
	printf '%-14s %9.1f %9.1f %9s %9s%s\n' "$1" "${2:-0}" "${3:-0}" "$above" "$5" "$mark"
}
