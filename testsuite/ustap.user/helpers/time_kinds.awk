# Compares folded stacks of time_kinds.c, one for each thread, with what the program measured of
# itself: `awk -f time_kinds.awk SUM FOLDED'. With -v disk=1 writing to the disk takes time, too;
# -v end=SECONDS is a time after its end, in seconds since 1970.
# The longest stack of a kind must have more than LEAST us; there may be short ones beside it.
function seen(what, least)
{
	need[what] = least
	if ($NF > longest[what])
		longest[what] = $NF
}
NR == FNR {
	shortest = $1; most = $2; cpu = $3
	if (end)
		most += end * 1e6 - $4
	next
}
{ sum += $NF }
/\[on CPU\]/ {
	used += $NF
	split($2, part, ";")
	of[part[1]] += $NF
}
/start_thread;run;nap;clock_nanosleep;.*\[sleep\]/ && $NF > 1e5 { seen("sleep", 989999) }
/;take_lock;pthread_mutex_lock;.*\[lock\];\[woken by\];.*;wake_all;/ {
	seen("lock", 500000)
}
/;wait_change;pthread_cond_wait;.*\[lock\];\[woken by\];.*;wake_all;/ {
	seen("condition", 500000)
}
/;read_pipe;read;.*\[I.O\]/ { seen("pipe", 500000) }
/;read_socket;recv;.*\[network\]/ { seen("socket", 500000) }
/;write_file;fsync;/ { on_disk += $NF }
END {
	for (what in need)
		print what, (longest[what] > need[what] ? "ok" : "of " longest[what] " us")
	# the sum of all has an upper limit, below
	for (thread in of)
		spins += of[thread] > 970000
	print "spin", spins == 1 ? "ok" : spins
	if (disk)
		print "disk", on_disk ? "ok" : "no time"
	# the program measured itself before it ended
	fits = sum > shortest * .99 && sum < most * 1.01
	print "sum", fits ? "ok" : sum " of " shortest " to " most
	# getrusage() counts the start of the program, too
	fits = used > cpu * .98 - 50000 && used < cpu * 1.02 + 20000
	print "cpu", fits ? "ok" : used " of " cpu
}
