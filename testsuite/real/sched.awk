# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f sched.awk TIMEHIST FOLDED: number of threads, but the first one of the process, whose time
# on and off the processor is the same in the output of `perf sched timehist' and in that of `ustap
# time --per-thread', within 1 % and 5 ms; and number of all. The tracer stops a thread a few times
# when it starts, and when it ends: so the first rows of perf, up to MOST, may not be the program's,
# the wait of the last of these and that of the last row in part.
function within(a, least, most)
{
	return a > least - 5 - least / 100 && a < most + 5 + most / 100
}
function agrees(thread,    skip, i, perf_on, perf_off, end)
{
	end = waited[thread, rows[thread]]
	for (skip = 1; skip <= MOST; skip++) {
		perf_on = perf_off = 0
		for (i = skip; i <= rows[thread]; i++) {
			perf_on += ran[thread, i]
			perf_off += i > skip ? waited[thread, i] : 0
		}
		if (within(on[thread], perf_on, perf_on) &&
		    within(off[thread], perf_off - end, perf_off + waited[thread, skip]))
			return 1
	}
	printf "thread %s: on %.1f ms, off %.1f ms; perf:\n", thread, on[thread], off[thread] \
		> "/dev/stderr"
	for (i = 1; i <= rows[thread]; i++)
		if (waited[thread, i] > 1 || ran[thread, i] > 1)
			printf "row %d: off %.1f ms, on %.1f ms\n", i, waited[thread, i],
				ran[thread, i] > "/dev/stderr"
	return 0
}
BEGIN { MOST = 6 }
FNR == NR && match($0, /kinds\[[0-9]+\/[0-9]+\]/) {
	thread = substr($0, RSTART + 6, RLENGTH - 7)
	sub(/\/.*/, "", thread)
	# wait, delay until it runs, and run, in ms
	waited[thread, ++rows[thread]] = $(NF - 2) + $(NF - 1)
	ran[thread, rows[thread]] = $NF
}
FNR < NR && match($0, /^thread [0-9]+/) {
	thread = substr($0, 8, RLENGTH - 7)
	if (/\[on CPU\] [0-9]+$/)
		on[thread] += $NF / 1000
	else
		off[thread] += $NF / 1000
}
END {
	for (thread in rows) {
		all++
		same += agrees(thread)
	}
	print same + 0, all + 0
}
