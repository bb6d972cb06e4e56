# fifo.sh USTAP: FIFOs without a writer for each option that names a file. Each run ends at once.
ustap=$1
dir=$PWD/fifo
mkdir -p "$dir/lib" "$dir/inc"
cd "$dir" || exit
export LC_ALL=C DEBUGINFOD_URLS=

# run NAME ARGUMENT...: end, whatever the status
run() {
	name=$1
	shift
	"$ustap" "$@" > out 2>&1 < /dev/null
	echo "$name ends"
}

mkfifo fifo.so lib/x.stp lib/y.stpm
printf 'int main(int argc, char **argv) { struct { int a; } s = {argc}; return s.a - 1; }\n' > p.c
gcc -g p.c -o program && objcopy --only-keep-debug program link.debug
strip -g -o linked program && objcopy --remove-section=.note.gnu.build-id linked &&
	objcopy --add-gnu-debuglink=link.debug linked && rm link.debug && mkfifo link.debug
gcc -g -gsplit-dwarf -c p.c -o split.o && gcc split.o -o split && rm -f split.dwo &&
	mkfifo split.dwo
cp program package && gcc -g -gsplit-dwarf p.c -o package && rm -f ./*-p.dwo && mkfifo package.dwp

run program -l "process(\"$dir/fifo.so\").function(\"*\")"
run wildcard -l "process(\"$dir/*.so\").function(\"*\")"
run library -l "process(\"$dir/program\").library(\"$dir/fifo.so\").function(\"*\")"
run cast -p2 -e "probe begin { println(@cast(1, \"int\", \"$dir/fifo.so\")) }"
run symbols -d "$dir/fifo.so" -p3 --runtime=user -e 'probe begin { print_ubacktrace() }'
run command -c "$dir/fifo.so" -p3 --runtime=user -e 'probe begin { print_ubacktrace() }'
run script "$dir/fifo.so"
run tapsets -I "$dir/lib" -p3 -e 'probe begin { undefined_function() }'
run debuglink -L "process(\"$dir/linked\").function(\"main\")"
run split -L "process(\"$dir/split\").function(\"main\")"
run package -L "process(\"$dir/package\").function(\"main\")"
echo 'probe begin { println("read") exit() }' | "$ustap" -p1 /dev/stdin > out &&
	echo "a pipe is read"
