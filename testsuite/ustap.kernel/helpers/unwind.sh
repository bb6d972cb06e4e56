# unwind.sh MODULE: have each step of the start fail in turn, by the
# module's parameter fail_at, and then none: all started parts must be stopped again. A leftover
# callback would be called after the module is removed, which the kernel's log shows.
die() { echo "$*"; exit 1; }
work() { # what the script probes: what is left of it is called now
	grep -q . /proc/self/status
	kill -0 $$
	(: > /dev/tcp/127.0.0.1/9) 2> /dev/null
	sleep 0.1
}
ip link set lo up
name= init=0 start=0
for n in $(seq 100); do
	work
	if ! insmod "$1" fail_at="$n" 2> /dev/null; then
		[ -z "$name" ] || die "step $n: loading fails again"
		[ ! -e /proc/ustap ] || die "step $n: files are left"
		init=$((init + 1))
		continue
	fi
	name=$(ls /proc/ustap)
	if printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' 2> /dev/null > "/proc/ustap/$name/ctl"; then
		work
		printf '\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "/proc/ustap/$name/ctl" ||
			die "does not stop"
		done=1
	else
		start=$((start + 1))
		done=
	fi
	rmmod "$name" || die "step $n: cannot be removed"
	[ ! -e /proc/ustap ] || die "step $n: files are left"
	[ -z "$done" ] || break
done
work
[ -n "$done" ] || die "never started"
[ $init -ge 6 ] || die "only $init steps of loading failed"
[ $start -ge 10 ] || die "only $start steps of starting failed"
echo "unwound"
