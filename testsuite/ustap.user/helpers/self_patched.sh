# STAPRUN BLOB PROGRAM [later]: attach to it when it has changed its code, or before
. "${0%/*}/common.sh"

show_complaints() {
	complaints one | sed "s,$prog,PROGRAM,g; s,\(function(\"\)[^\"]*,\1NAME,
		s/offset [0-9a-fx]*/offset N/
		s/process [0-9]* ([^)]*)/process N (NAME)/" > seen.txt
	grep -v more seen.txt | uniq
	echo "$(grep -vc more seen.txt) of these"
	grep more seen.txt
}

finish() {
	echo >&3
	wait $target
	status=$?
	echo "$(tail -n 1 result), status $status"
}

mkfifo go
"$prog" $4 < go > result & target=$!
exec 3> go
until_true grep -qs ready result
attach one -x $target
if [ "$4" ]; then
	echo >&3
	until_true grep -q changed result
	kill -INT $run
	wait $run
	show_complaints
	finish
else
	finish
	wait $run
	show_complaints
fi
cat one.out
