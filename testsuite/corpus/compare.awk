# SPDX-License-Identifier: GPL-2.0-or-later
# What the program printed (first file) against what the script did: how many are right, refused, missed, and each that is wrong.
function key_of(line,    w, n, k, i) {
	n = match(line, / \$[^ ]* /)
	return substr(line, 1, RSTART + RLENGTH - 2)
}
/ \$/ {
	k = key_of($0)
	v = substr($0, length(k) + 2)
	if (FNR == NR) {
		if (!(k in want))
			order[++total] = k
		want[k] = want[k] "\n" v
	} else if (v == "refused") {
		refused[k] = 1
	} else {
		got[k] = 1
		if (index(want[k] "\n", "\n" v "\n") == 0)
			wrong = wrong "\n  " name ": " k " is" want[k] " and not " v
	}
}
END {
	for (i = 1; i <= total; i++) {
		k = order[i]
		if (k in got)
			right++
		else if (k in refused)
			lost = lost " " k ";"
		else
			missed = missed " " k ";"
		nlost += !(k in got) && k in refused
		nmissed += !(k in got) && !(k in refused)
	}
	bad = wrong != "" || (strict < 2 && (!right || nmissed * 10 > total)) || (strict == 1 && nlost + nmissed)
	why = wrong
	if (verbose || (bad && nlost))
		why = why (nlost ? "\n  refused:" lost : "")
	if (verbose || (bad && nmissed))
		why = why (nmissed ? "\n  not hit:" missed : "")
	printf "%s %s: %d values right, %d refused, %d not hit%s\n", bad ? "not ok" : "ok", name, right, nlost, nmissed, why
	exit bad
}
