# STAPRUN BLOB PROGRAM OTHER: the program's file is another one by now, as after an upgrade
. "${0%/*}/common.sh"
cp "$prog" old
start result "$prog" gate stop 500
cp "$4" "$prog.new" && mv "$prog.new" "$prog"
"$staprun" -v -o out -x $target "$blob" 2> err & run=$!
said() { ! kill -0 $run 2> /dev/null || grep -q 'sites armed' err; }
until_true said
touch stop
wait $run
wait $target
echo "target: status $?, $(tail -n 1 result)"
cp -p old "$prog"
:
