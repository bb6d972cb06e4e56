# USTAP PROGRAM.S: debug information that is small and endless. Each look-up ends within ten seconds
# of a processor and 1.5 GB, with and without an index of names, and what ended it is said.
ustap=$1 source=$2
dir=$PWD/tree
mkdir -p "$dir" && cd "$dir" || exit
export LC_ALL=C DEBUGINFOD_URLS=

limited() { # ARGUMENT...
	(ulimit -v 1500000 -c 0 -t 10; "$ustap" "$@")
	status=$?
	[ $status = 0 ] || [ $status = 1 ] || echo "status $status"
}

look() { # PROGRAM
	victim="process(\"$1\").function(\"victim\")"
	limited -L "process(\"$1\").function(\"*\")"
	limited -l "process(\"$1\").function(\"*\").inline"
	limited -p2 --runtime=user -e "probe $victim { println(\$nosuch) }"
	limited -p2 --runtime=user -e "probe $victim { println(@cast(1, \"nosuch\")->x) }"
	limited -p3 --runtime=user -e "probe $victim { println(\$\$vars\$\$) }"
}

for attack in RANGES OLD_RANGES LOCATIONS ABBREVS IMPORTS SELF_IMPORTS BLOCKS ORIGINS TYPES \
	SIBLING; do
	gcc -D$attack -o $attack "$source" || exit
	for names in no all; do USTAP_NAMES=$names look "$dir/$attack"; done > said 2>&1 < /dev/null
	faults='crashed ustap|does not end|too many of its units share|Assertion'
	echo "$attack:" $(grep -oE "^status.*|$faults" said | sort -u)
done
