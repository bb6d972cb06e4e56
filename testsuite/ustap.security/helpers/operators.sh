# SPDX-License-Identifier: GPL-2.0-or-later
# operators.sh STAPRUN MODULE: what members of stapusr may ask of an approved module that has a
# policy.
dir=/dev/shm/operators
modules=/lib/modules/$(uname -r)/ustap
mkdir -m 755 $dir
mkdir -m 777 $dir/open
install -m 4755 "$1" $dir/staprun
install -m 755 /bin/true $dir/prog
install -m 4755 /bin/true $dir/setuid
mkdir -p "$modules"
install -m 644 "$2" "$modules/x.ko"
sed -i '/^stapusr:/d; /^stapsys:/d; /^stapdev:/d' /etc/group
printf 'stapusr:x:4001:\nstapsys:x:4003:\n' >> /etc/group
cd $dir/open || exit 1
as() { local g=$1; shift; setpriv --reuid=1234 --regid=1234 --groups="$g" "$@"; }
try() {
	local what=$1
	shift; echo "$what: $(as 4001 $dir/staprun "$@" 2>&1 | sed 's/^staprun: //' | head -n 1)"
}
policy() { cat > "$modules/x.policy"; chmod 644 "$modules/x.policy"; }

try "no policy" -c $dir/prog x.ko most=99
try "no policy, becomes root's" -c "$dir/setuid; true" x.ko
policy <<'P'
# for the operators
global most number 1 10
option -c -x
buffer 2
time 100
own-processes
P
try "in range" x.ko most=7 -c $dir/prog
try "out of range" x.ko most=11 -c $dir/prog
try "other global" x.ko other=1 -c $dir/prog
try "other option" x.ko -c $dir/prog -o file
try "larger buffer" x.ko -s 3 -c $dir/prog
try "longer" x.ko -T 101 -c $dir/prog
try "left running" x.ko -L
try "everything" x.ko -T 1
sleep 100 &
try "root's process" x.ko -x $!
kill $!
try "becomes root's" x.ko -c "$dir/setuid; true"
chmod 664 "$modules/x.policy"
try "writable" x.ko -c $dir/prog
policy <<< "tim 5"
try "misspelt" x.ko -c $dir/prog
rm "$modules/x.policy"
ln -s /dev/null "$modules/x.policy"
try "link" x.ko -c $dir/prog
rm "$modules/x.policy"
echo "stapsys, approved: $(as 4003 $dir/staprun x.ko -c $dir/prog 2>&1)"
cp "$2" own.ko
chmod 644 own.ko
as 4003 $dir/staprun own.ko -c $dir/prog 2>&1 | head -n 1 |
	sed 's/.*: members/stapsys, own: members/'
rm -r "$modules" /dev/shm/operators
