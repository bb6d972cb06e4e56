# Check the sets of records in the marked lines of staprun --interval --globals-mark=set, from a
# pipe: in files of a guest with Linux 7.2 (9p), lines that are written while others read the file
# can become zeros. The program ends after three sets.
function wrong(why) {
	print "set " sets + 1 ": " why
	faults++
}
!/^set[:+]/ { print; next }
/^set\+/ { begun = begun substr($0, 5); next }
/^set:/ {
	$0 = begun substr($0, 5)
	begun = ""
	if (/^ustap-globals 1 /) {
		split("", keys)
		lines = n = seen = 0
		name = ""
		next
	}
	if (/^end /) {
		if ($2 != lines || lines < 6)
			wrong($2 " lines, not " lines)
		if (n < before || seen < seen_before)
			wrong("fewer hits than before")
		before = n
		seen_before = seen
		if (++sets == 3) {
			printf "" > "stop"
			close("stop")
		}
		next
	}
	lines++
	if ($1 == "global")
		name = $2
	if ($1 == "value" && name == "n")
		n = $2
	if ($1 == "value" && name == "seen")
		seen += $3
	if (($1 == "value" && name == "seen") || ($1 == "statistic" && name != "all"))
		if (keys[name, $2]++)
			wrong("two elements " $2 " of " name)
	if ($1 == "statistic" && name != "all" && ($3 < 1 || $5 > $6))
		wrong($0)
}
END { print (sets < 3 ? sets " sets" : "3 sets or more") ",", faults ? "wrong" : "ok" }
