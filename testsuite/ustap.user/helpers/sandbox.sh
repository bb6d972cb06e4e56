# STAPRUN BLOB PROGRAM HOW...: PROGRAM is in the sandbox HOW when the script attaches; it must go on
. "${0%/*}/common.sh"
mkfifo in
sleep 1000 > in & holder=$!
"$prog" "${@:4}" < in > result & target=$!
until_true grep -qs ready result
attach run -x $target
printf xxxxx > in
kill $holder
wait $holder 2> /dev/null
wait $run
echo "status $?"
cat run.out
complaints run
wait $target
echo "target $?, $(tail -n 1 result)"
