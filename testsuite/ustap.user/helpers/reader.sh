# STAPRUN BLOB PROGRAM: standard error of the run is a full pipe, which the target reads
. "${0%/*}/common.sh"
mkfifo messages
"$prog" < messages > result & target=$!
exec 8> messages
until_true grep -qs ready result
yes >&8 & filler=$!
"$staprun" -v -o run.out -x $target "$blob" 2>&8 & run=$!
wait $run
echo "run: status $?"
kill $filler
exec 8>&-
cat run.out
wait $target
echo "reader: status $?"
grep -o 'attached to' result
grep -o 'code restored' result
