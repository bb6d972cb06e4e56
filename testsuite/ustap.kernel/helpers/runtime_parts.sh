# runtime_parts.sh USTAP RELEASE-DIRECTORY needed|together|shared: which parts of the runtime
# scripts compile and are linked with, from an empty cache.
ustap=$1 build=$2
export USTAP_CACHE_DIR=$PWD/cache
mkdir -m 700 cache
module() { "$ustap" -r "$build" -p4 -e "$1" || cat told; }
parts() {
	(cd cache/kernels &&
		echo $(ls -d *-*-*/ | sed 's:/$::; s/.*-[0-9a-f]\{64\}//; s/^$/-base/' | sort))
}
# the tables of functions that a module is not always linked with
tables() {
	nm "$1" | sed -nE 's/.* [DR] ust_(kernel_probes|process_events|procfs|overhead)$/\1/p'
}

case $3 in
needed)
	first=$(module 'probe begin { println("hello") exit() }')
	echo "first: $(parts), tables:" $(tables "$first")
	second=$(module 'probe kernel.trace("sched_switch") { exit() }')
	echo "second: $(parts), tables:" $(tables "$second")
	third=$(module 'probe begin { println(ctime(0)) exit() }')
	echo "third: $(parts), tables:" $(tables "$third")
	fourth=$(module 'probe process.begin { exit() } probe procfs("a").read { $value = "b" }')
	echo "fourth: $(parts), tables:" $(tables "$fourth")
	# a damaged part is made again
	truncate -s 100 cache/kernels/*-kernel/part.o
	module 'probe kernel.trace("sched_switch") { println("again") exit() }' > /dev/null
	[ "$(stat -c %s cache/kernels/*-kernel/part.o)" -gt 100 ] && echo 'made again'
	;;
together) # one run of kbuild for all parts that a script needs
	"$ustap" -v -r "$build" -p4 -e 'global a probe begin { a[1] = 1 println(ctime(0)) exit() }
		probe end { foreach (k in a) println(k) }' > /dev/null 2> told
	grep -c '^preparing kernel' told
	echo "together: $(parts)"
	;;
shared) # two runs share the work, and a terminal shows what is done of it
	script -qec "'$ustap' -v -r '$build' -p4 -e 'probe begin { println(1) exit() }'" \
		one > /dev/null &
	while ! ls cache/kernels/.new-* > /dev/null 2>&1; do sleep 0.1; done
	"$ustap" -v -r "$build" -p4 -e 'probe begin { println(2) exit() }' > /dev/null 2> two
	wait
	tr '\r' '\n' < one | grep -q '^preparing kernel [^ ]*: [1-4]/4$' && echo 'progress shown'
	grep '^preparing' two | sed 's/kernel [^ ]*:/kernel RELEASE:/'
	ls cache/modules | wc -l
	;;
esac
