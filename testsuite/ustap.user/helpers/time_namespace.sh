# STAPRUN BLOB PROGRAM: attach to it in a time namespace of its own
. "${0%/*}/common.sh"

# the namespace is that of the children of unshare
start result unshare -T --fork --monotonic 100000 "$prog" gate stop 1000
runs() { inside=$(pgrep -P $target); }
until_true runs
cat /proc/$inside/timens_offsets > offsets
attach one -x $inside
touch stop
wait $target
wait $run
tail -n 1 result
echo "another namespace: $(grep -c 'monotonic *100000' offsets)"
cat one.out
