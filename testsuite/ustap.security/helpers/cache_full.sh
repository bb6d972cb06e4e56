# cache_full.sh USTAP PROGRAM: a cache without room.  The script runs all the same.
mkdir cache
mount -t tmpfs -o size=16k,mode=700 none cache || exit
export USTAP_CACHE_DIR=$PWD/cache
for script in 'probe begin { println("hello") exit() }' \
	'probe process.function("f") { print_ubacktrace() }'; do
	"$1" --runtime=user -c "$2" -e "$script" 2> told | grep -o 'hello\|f+'
	sed -n 's/^ustap: warning: .*: No space left on device; \(.*\) \[.*/\1/p' told
	find cache -name '.new-*' | wc -l
done
