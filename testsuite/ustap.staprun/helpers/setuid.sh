# STAPRUN KO
dir=/dev/shm/setuid
modules=/lib/modules/$(uname -r)/ustap
mkdir -m 755 $dir
mkdir -m 777 $dir/open
cp "$1" $dir/plain
cp "$1" $dir/staprun
chmod 755 $dir/plain
chmod 4755 $dir/staprun
cp "$2" $dir/x.ko
chmod 644 $dir/x.ko
cd $dir/open || exit 1
for g in 4001:stapusr 4002:stapdev; do
	sed -i "/^${g#*:}:/d" /etc/group
	echo "${g#*:}:x:${g%:*}:" >> /etc/group
done
as() { local g=$1; shift; setpriv --reuid=1234 --regid=1234 --groups="$g" "$@"; }
ids='echo uid $(id -ru), gid $(id -rg), effective $(id -u)'

as 5000 $dir/staprun $dir/x.ko; echo "nobody $?"
as 4001 $dir/plain $dir/x.ko; echo "not setuid $?"
as 4001 $dir/staprun $dir/x.ko; echo "stapusr, own module $?"
mkdir -p "$modules"
install -m 644 $dir/x.ko "$modules/x.ko"
as 4001 $dir/staprun -c "$ids" x.ko; echo "stapusr, root's module $?"
chmod 666 "$modules/x.ko"
as 4001 $dir/staprun x.ko; echo "stapusr, writable module $?"
as 4002 $dir/staprun -c "$ids" -o out $dir/x.ko; echo "stapdev $?"
[ "$(stat -c %u out)" = 1234 ] && echo "output is 1234's"
as 4002 $dir/staprun -c true -o /root/file $dir/x.ko; echo "not into root's file $?"
other=$($dir/plain -L $dir/x.ko)
as 4002 $dir/staprun -d "$other"; echo "another's module $?"
$dir/plain -d "$other"
own=$(as 4002 $dir/staprun -L $dir/x.ko)
as 4002 $dir/staprun -d "$own"; echo "own module $?"
rm -r "$modules" $dir
