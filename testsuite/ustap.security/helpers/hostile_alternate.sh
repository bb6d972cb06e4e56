# USTAP PROGRAM.S EXCESS: files that dwz shares between programs, as an attacker provides them. Each
# run ends within ten seconds of a processor and 1 GB, with a warning where the file is not used.
ustap=$1 source=$2 excess=$3
dir=$PWD/alternate
mkdir -p "$dir" && cd "$dir" || exit
export LC_ALL=C DEBUGINFOD_URLS=
id=0x0123456789abcdef

# build FILE SHARED [ID]: a program whose shared file is SHARED
build() { gcc -DALT="\"$2\"" -Wl,--build-id="${3:-$id}" -o "$1" "$source"; }

# ended STATUS: say that a signal ended the run, as SIGXCPU does after ten seconds
ended() { [ "$1" -le 128 ] || echo "signal $(($1 - 128))"; }

# run NAME: with and without an index of names
run() {
	for names in no all; do
		for script in 'println($shared)' 'println($nosuch)' \
			'println(@cast(1, "nosuch")->x)' 'println(@var("nosuch"))'; do
			(ulimit -v 1000000 -t 10; USTAP_NAMES=$names "$ustap" -p2 \
				--runtime=user \
				-e "probe process(\"$dir/$1\").function(\"victim\") { $script }")
			ended $?
			(ulimit -v 1000000 -t 10; USTAP_NAMES=$names "$ustap" \
				-l "process(\"$dir/$1\").function(\"nosuch\").inline")
			ended $?
		done
	done > said 2>&1 < /dev/null
	echo "$1:" $(grep -oE -e 'signal [0-9]+|crashed ustap|refers to a further one' \
		-e 'part of the debug information.*is missing' said |
		sed "s|of $dir/[a-z]*|of it|" | sort -u) \
		$(grep -c 'error: no variable \$nosuch' said)
}

build missing no/such/file
build other other.shared
build other.shared x 0x1111111111111111
build fifo fifo.shared
mkfifo fifo.shared
build itself itself
build chained chained.shared
build chained.shared chained.third
build chained.third x
build bomb bomb.shared
"$excess" bomb bomb.shared
# Debian's packages have absolute names
build absolute "$dir/absolute.shared"
build absolute.shared x
objcopy --remove-section .gnu_debugaltlink absolute.shared
build foreign "$dir/other.shared"
for name in absolute foreign missing other fifo itself chained bomb; do run $name; done
