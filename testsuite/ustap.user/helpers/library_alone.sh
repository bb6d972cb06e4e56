# USTAP: each tapset function compiles in a script that uses no other.
# A function that reads types of a kernel module may fail where this machine lacks the module, and
# one that reads objects of Python where that has no debug information.
ustap=$1

# only_modules_missing FILE: whether each error of FILE is a type of a module that is not here
only_modules_missing() {
	local file module modules

	[ "$(grep -c ': error: ' "$1")" = \
		"$(grep -c ' in kernel:[a-z0-9_]* \[no-type\]$' "$1")" ] || return
	modules=$(sed -n 's/.* in kernel:\([a-z0-9_]*\) \[no-type\]$/\1/p' "$1" | sort -u)
	[ -n "$modules" ] || return
	for module in $modules; do
		[ ! -e "/sys/kernel/btf/$module" ] || return
		file=$(find "/lib/modules/$(uname -r)" -name "${module//_/[_-]}.ko*" 2> /dev/null)
		[ -z "$file" ] || return
	done
}

# only_python_debuginfo_missing FILE: whether the only error of FILE is that
only_python_debuginfo_missing() {
	[ "$(grep -c ': error: ' "$1")" = 1 ] &&
		grep -q ', which /[^ ]*python3[^ ]* does not have \[no-debuginfo\]$' "$1"
}

# a line "NAME:TYPE (NAME:TYPE, ...)" becomes a call of it
"$ustap" --dump-functions | grep -v -e '^@' -e '^__' | awk -v quote='"' '{
	call = $0
	sub(/[:(].*/, "", call)
	arguments = $0
	gsub(/^[^(]*\(|\)$/, "", arguments)
	n = split(arguments, each, ",")
	list = ""
	for (i = 1; i <= n; i++)
		list = list (i > 1 ? "," : "") (each[i] ~ /:string/ ? quote "1" quote : "1")
	print call "(" list ")"
}' > calls
while IFS= read -r call; do
	"$ustap" -g -w -p3 --runtime=user \
		-e "probe process(\"/bin/bash\").function(\"main\") { $call }" > text \
		2> err || only_modules_missing err || only_python_debuginfo_missing err || {
		echo "$call"
		head -n 3 err
	}
done < calls
[ "$(wc -l < calls)" -gt 200 ] && echo "all functions compile"
