# late_library.sh STAPRUN BLOB PROGRAM stopped|sandbox: attach to a program that loads a library but
# does not wait for the tracer, which is stopped, or as its sandbox may forbid that.
. "${0%/*}/common.sh"
mkfifo in
"$prog" $([ "$4" = stopped ] || echo "$4") < in > result & target=$!
exec 3> in
until_true grep -q ready result
attach one -x $target
[ "$4" != stopped ] || kill -STOP $(pgrep -P $run staprun-tracer)
echo >&3
until_true grep -q loaded result
[ "$4" != stopped ] || kill -CONT $(pgrep -P $run staprun-tracer)
until_true grep -q 'libm.*probe sites' one.err
echo >&3
wait $target
echo "target: status $?, $(tail -n 1 result)"
ended one $run
cat one.out
