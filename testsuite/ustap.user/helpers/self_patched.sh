# STAPRUN BLOB PROGRAM: attach to it when it has changed its code
. "${0%/*}/common.sh"

mkfifo go
"$prog" < go > result & target=$!
exec 3> go
until_true grep -qs ready result
attach one -x $target
echo >&3
wait $target
wait $run
echo "changed:"
sed 1d result
echo "status $?"
complaints one | sed "s,$prog,PROGRAM,g; s,\(function(\"\)[^\"]*,\1NAME,
	s/offset [0-9a-fx]*/offset N/" > seen.txt
grep -v more seen.txt | uniq
echo "$(grep -vc more seen.txt) of these"
grep more seen.txt
cat one.out
