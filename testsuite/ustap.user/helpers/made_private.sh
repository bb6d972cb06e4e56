# made_private.sh STAPRUN BLOB PROGRAM: a user attaches to a program with the same owner, which that
# user may not trace any more when the run ends; root removes the script.
. "${0%/*}/common.sh"
dir=$(mktemp -d /tmp/private.XXXXXX)
trap 'rm -rf $dir' EXIT
chmod 755 $dir
install -m 755 "$staprun" $dir/staprun
install -m 755 "$prog" $dir/prog
# where that user can read all
sed "s|@prog@|$dir/prog|" "${0%/*}/../made_private.stp" > script.stp
install -m 644 "$("${staprun%/*}/ustap" --runtime=user -p4 script.stp)" $dir/blob
as_user() { exec setpriv --reuid=1234 --regid=1234 --clear-groups "$@"; }
mkfifo in
(as_user $dir/prog < in > result) & target=$!
exec 3> in
until_true grep -q ready result
(as_user $dir/staprun -v -x $target $dir/blob > out 2> err) & run=$!
armed_err() { grep -q "sites armed" err || ! kill -0 $run; }
until_true armed_err
echo >&3
until_true grep -q private result
kill -INT $run
wait $run
echo "status $?"
cat out
grep -A 1 WARNING err | sed "s/\b$target\b/PID/g"
"$staprun" --cleanup=$target | sed "s/$target/PID/; s/[0-9]* probe/N probe/"
grep -c ustap-script /proc/$target/maps
echo >&3
wait $target
echo "target: status $?, $(tail -n 1 result)"
