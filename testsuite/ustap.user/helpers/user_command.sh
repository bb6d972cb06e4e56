# STAPRUN - PROGRAM: an ordinary user compiles and runs a script on commands of his own, one of them
# setuid
. "${0%/*}/common.sh"
dir=$(mktemp -d /tmp/user.XXXXXX)
trap 'rm -rf $dir' EXIT
chmod 777 $dir
install -m 755 "$staprun" $dir/staprun
install -m 755 "$prog" $dir/prog
install -o 1235 -m 4755 "$prog" $dir/suid
for p in prog suid; do
	sed "s|@prog@|$dir/$p|" "${0%/*}/../user_command.stp" > $dir/user.stp
	(cd $dir && install -m 644 "$("${staprun%/*}/ustap" --runtime=user -p4 user.stp)" blob)
	(cd $dir && setpriv --reuid=1234 --regid=1234 --clear-groups ./staprun -c "./$p steps 50" \
		./blob)
	echo "$p: $?"
done
