# SPDX-License-Identifier: GPL-2.0-or-later
# bridge.sh COMMAND...: run COMMAND, which calls `bridge.sh -d': a bridge with one port sends
# spanning tree messages each second.
root=${USTAP_VM:+${USTAP_VM%/share/*}/kernels/$(uname -r)/root}
[ -d "$root/lib/modules" ] || root=$root/usr
PATH=$PATH:/sbin:/usr/sbin
if [ "$1" != -d ]; then
	modprobe -d "$root" bridge && modprobe -d "$root" veth || exit 9
	"$@"
	status=$?
	ip link delete v0
	ip link delete br0
	rmmod veth bridge stp llc
	exit $status
fi
ip link add br0 address 02:00:00:00:00:17 type bridge stp_state 1 hello_time 100 forward_delay \
	1500 max_age 2000 priority 4096
ip link add v0 type veth peer name v1
ip link set v0 master br0
ip link set v1 up
ip link set v0 up
ip link set br0 up
sleep 2.5
