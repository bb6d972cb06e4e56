# Shell functions for the tests of --target-namespaces.

# Start a process that sleeps, as process 1 of new namespaces: $s is its id, $enter the options by
# which nsenter(1) gets there. In the guests, whose root is a chroot, neither user namespaces nor
# private mounts are possible, and neither is needed.
start_sleep() {
	private="--user --map-root-user --mount-proc"
	enter="--preserve-credentials -U -p -m"
	if ! unshare $private --pid --fork true 2> /dev/null; then
		private=
		enter=-p
	fi
	unshare $private --pid --fork sleep 100 &
	s=
	until [ -n "$s" ] && grep -q sleep /proc/$s/comm; do
		sleep 0.1
		s=$(cat /proc/$!/task/$!/children)
		s=${s%% *}
	done
}
