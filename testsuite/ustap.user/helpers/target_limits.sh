# target_limits.sh STAPRUN BLOB PROGRAM KIND: attach to a program that may map little more: KIND
# "address" limits its addresses, "locked" the memory that it may lock.
. "${0%/*}/common.sh"
case $4 in
address) limited() { ulimit -v 12000; exec "$prog"; } ;;
locked)
	# root may lock any amount
	limited() {
		ulimit -l 8000
		[ "$(id -u)" = 0 ] || exec "$prog" lock
		exec setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock "$prog" lock
	} ;;
esac
mkfifo go
(limited < go > told) & target=$!
exec 3> go
until_true grep -qs ready told
"$staprun" -x $target "$blob" 2>&1 | sed "s/$target/PID/g"
echo "status ${PIPESTATUS[0]}"
echo >&3
wait $target
echo "target: status $?"
