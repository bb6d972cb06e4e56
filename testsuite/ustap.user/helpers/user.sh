# STAPRUN - PROGRAM STARTER TRACER HOW [FILE]: user STARTER starts PROGRAM HOW, user TRACER attaches
# to it; it must go on
. "${0%/*}/common.sh"
dir=$(mktemp -d /tmp/user.XXXXXX)
trap 'rm -rf $dir' EXIT
chmod 777 $dir
install -m 755 "$staprun" $dir/staprun
install -m 755 "$prog" $dir/prog
install -o 1235 -m 4755 "$prog" $dir/suid
# where that user can read all
sed "s|@prog@|$dir/${7:-prog}|" "${0%/*}/../user_own.stp" > $dir/user.stp
cd $dir
install -m 644 "$("${staprun%/*}/ustap" --runtime=user -p4 user.stp)" blob
as() { exec setpriv --reuid=$1 --regid=$1 --clear-groups "${@:2}"; }
mkfifo in
sleep 30 > in & holder=$!
as $4 ./${7:-prog} $6 < in > result & target=$!
until_true grep -q ready result
as $5 ./staprun -v -o out -x $target ./blob 2> err & run=$!
said() { ! kill -0 $run 2> /dev/null || grep -q 'sites armed' err; }
until_true said
printf xxxxx > in
kill $holder
wait $holder 2> /dev/null
wait $run
echo "status $?"
[ -e out ] && cat out
grep '^staprun\|^  ' err |
	grep -vE -e 'armed|loaded at|probe sites:|removed|as it was' \
		-e 'does not report its exit status' |
	sed "s/ $target\b/ PID/g" >&2
wait $target
echo "target $?, $(tail -n 1 result)"
