# STAPRUN BLOB PROGRAM: no room for trampolines
. "${0%/*}/common.sh"
start result "$prog" crowded stop
"$staprun" -v -T 1 -o out -x $target "$blob" 2> err
echo "status $?"
hits=$(cat out)
[ "${hits#hit }" != 0 ] || grep -q 'cannot' err && echo "hit, or said why not"
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
