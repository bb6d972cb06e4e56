# STAPRUN BLOB PROGRAM: an ordinary user's traced program executes a setuid one, which gets its
# owner's rights
. "${0%/*}/common.sh"
dir=$(mktemp -d /tmp/setuid.XXXXXX)
trap 'rm -rf $dir' EXIT
chmod 755 $dir
install -m 755 "$staprun" $dir/staprun
install -m 755 "$prog" $dir/prog
install -m 755 "$prog" $dir/suid
chown 1235 $dir/suid
chmod u+s $dir/suid
sed "s|@prog@|$dir/prog|" "${0%/*}/../exec_setuid.stp" > $dir/user.stp
cd $dir
install -m 644 "$("${staprun%/*}/ustap" --runtime=user -p4 user.stp)" blob
setpriv --reuid=1234 --regid=1234 --clear-groups ./staprun -c './prog exec 100 ./suid who' ./blob
echo "status $?"
setpriv --reuid=1234 --regid=1234 --clear-groups ./staprun \
	-c './prog exec 100 ./suid exec 10 ./prog who' ./blob
echo "status $?"
