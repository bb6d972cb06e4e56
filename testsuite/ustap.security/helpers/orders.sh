# SPDX-License-Identifier: GPL-2.0-or-later
# orders.sh STAPRUN MODULE PROGRAM: PROGRAM gives orders to an approved module of a member of
# stapusr, as that user and others.
dir=/dev/shm/orders
modules=/lib/modules/$(uname -r)/ustap
mkdir -m 755 $dir
install -m 4755 "$1" $dir/staprun
install -m 755 "$3" $dir/orders
mkdir -p "$modules"
install -m 644 "$2" "$modules/x.ko"
sed -i '/^stapusr:/d' /etc/group
echo stapusr:x:4001: >> /etc/group
cd $dir || exit 1
as() { local u=$1; shift; setpriv --reuid="$u" --regid="$u" --groups=4001 "$@"; }

name=$(as 1234 $dir/staprun -L x.ko)
ctl=/proc/ustap/$name/ctl
echo "owner: $(stat -c %u "$ctl")"
echo "owner by hand: $(as 1234 $dir/orders "$ctl")"
echo "another user: $(as 1235 $dir/orders "$ctl")"
echo "inherited: $(as 1234 $dir/orders 9 9<> "$ctl")"
echo "root without rights:" \
	"$(setpriv --bounding-set=-sys_module --inh-caps=-sys_module $dir/orders "$ctl")"
echo "records: $(as 1234 cat "/proc/ustap/$name/cpu0" 2>&1 | sed 's/.*: //')"
cat "/proc/ustap/$name/alive"
as 1234 $dir/staprun -d "$name"; echo "removed $?"
rm -r "$modules" /dev/shm/orders
