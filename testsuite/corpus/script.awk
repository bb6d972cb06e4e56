# SPDX-License-Identifier: GPL-2.0-or-later
# The `probe:' lines of a corpus source -> a script that prints what they ask for, or that it is refused.
function body(kind, key, e1, e2,    out) {
	if (kind == "d" || kind == "r")
		out = sprintf("printf(\"%s %%d\\n\", %s)", key, e1)
	else if (kind == "x")
		out = sprintf("printf(\"%s %%x\\n\", %s)", key, e1)
	else if (kind == "s")
		out = sprintf("printf(\"%s %%s\\n\", user_string(%s))", key, e1)
	else if (kind == "n")
		out = sprintf("printf(\"%s %%s\\n\", user_string_n(%s, %s))", key, e1, e2)
	else
		out = sprintf("printf(\"%s %%s\\n\", %s)", key, e1)
	return sprintf("{ if (@defined(%s)) %s else println(\"%s refused\") }", e1, out, key)
}
match($0, /^\/[\/*] probe: /) {
	line = substr($0, RLENGTH + 1)
	sub(/ *\*\/$/, "", line)
	n = split(line, w, " ")
	at = 1                                   # a function's name may have spaces: the kind is one letter
	f = w[1]
	while (length(w[at + 1]) > 1)
		f = f " " w[++at]
	kind = w[at + 1]
	e1 = w[at + 2]
	e2 = w[at + 3]
	if (kind == "p" || kind == "q")
		e1 = e1 "$"
	key = f " " e1 (e2 != "" ? "," e2 : "")
	point = kind == "r" || kind == "q" ? ".return" : ""
	printf "probe process(\"%s\").function(\"%s\")%s?\n%s\n", prog, f, point, body(kind, key, e1, e2)
}
