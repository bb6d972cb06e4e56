# STAPRUN BLOB PROGRAM: after kill -9 of staprun the target's text is soon as it was
. "${0%/*}/common.sh"
start result "$prog" gate stop 100
text() { gdb -nx -batch -p $target -ex 'x/16xb round_trip' 2> /dev/null | grep round_trip; }
text > before
attach first -x $target
text > during
cmp -s before during && echo "the text did not change"
kill -9 $run
wait $run 2> /dev/null
restored() { text > after; cmp -s before after; }
until_true restored && echo "restored"
touch stop
wait $target
echo "target: status $?, $(tail -n 1 result)"
