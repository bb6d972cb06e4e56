# target_limits.sh STAPRUN BLOB PROGRAM KIND: attach to a program that may map little more: KIND
# "address" limits its addresses, "locked" the memory that it may lock, "files" and "all_files" the
# files that it may open, for now or for good, and "mappings" has all that it may have.
. "${0%/*}/common.sh"

# without CAP: run a command that root could exceed limits by
without() {
	local cap=$1
	shift
	[ "$(id -u)" = 0 ] || exec "$@"
	exec setpriv --bounding-set=-"$cap" --inh-caps=-"$cap" "$@"
}

case $4 in
address) limited() { ulimit -v 12000; exec "$prog"; } ;;
locked) limited() { ulimit -l 8000; without ipc_lock "$prog" lock; } ;;
files) limited() { ulimit -Sn 100; exec "$prog" files; } ;;
all_files) limited() { ulimit -n 100; exec "$prog" files; } ;;
mappings) limited() { exec "$prog" mappings; } ;;
esac
mkfifo go
(limited < go > told) & target=$!
exec 3> go
until_true grep -qs ready told
(without sys_resource "$staprun" --quiet --ready-command="touch $PWD/armed" -x $target "$blob") \
	> said 2>&1 & run=$!
come() { [ -e armed ] || ! kill -0 $run; }
until_true come 2> /dev/null
echo >&3
wait $target
echo "target: status $?"
wait $run
echo "status $?"
sed "s/$target/PID/g" said
