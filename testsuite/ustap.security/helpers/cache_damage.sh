# cache_damage.sh USTAP PROGRAM: damage each file of the cache, one after another; the same script
# prints the same.
ustap=$1 program=$2
export USTAP_CACHE_DIR=$PWD/cache USTAP_NAMES=all DEBUGINFOD_URLS=

script='probe process.function("f") {
	print_ubacktrace_fileline()
	printf("%s %d\n", ctime(0), &@cast(0, "struct timeval", "<sys/time.h>")->tv_usec)
	exit()
}'
# The program's own line may come before or after those of the script.
run() {
	{
		"$ustap" --runtime=user -c "$program > /dev/null" -e "$script" || echo "status $?"
	} 2>&1 |
		sed 's/0x[0-9a-f]*//g'
}

run > want
grep -q 'f+' want || cat want
find cache -type f ! -name '*.lock' ! -name '*.tmp' | sort > files
for kind in blobs library names stackmaps types; do
	grep -q "/$kind/" files && echo "$kind are cached"
done

# same NAME HOW: the output after the damage
same() {
	run > got
	cmp -s want got && return
	echo "after $2 of $1:"
	cat got
}
for file in $(cat files); do
	[ -e "$file" ] || { echo "$file is gone"; continue; }
	chmod u+w "$file"
	size=$(stat -c %s "$file")
	printf '\377\376\375' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
	same "$file" 'a change'
	[ -e "$file" ] || continue
	chmod u+w "$file"
	truncate -s $((size / 3)) "$file"
	same "$file" 'a cut'
done

# another file with the same build-id has names of its own
cp "$program" prog &&
	"$ustap" --runtime=user -c ./prog \
	-e 'probe process.function("f") { print_ubacktrace() exit() }' |
	grep -o 'f+' | sort -u
objcopy --redefine-sym f=g "$program" prog
"$ustap" --runtime=user -c ./prog -e 'probe process.function("g") { print_ubacktrace() exit() }' |
	grep -o 'g+' | sort -u
