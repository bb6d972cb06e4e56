# STAPRUN BLOB PROGRAM: gdb comes and goes while the process is traced
. "${0%/*}/common.sh"
start result "$prog" gate stop 5000
attach one -x $target
gdb -nx -batch -p $target -ex 'bt 3' > bt 2>&1
grep -qE 'nanosleep|usleep|gate|main' bt || { echo "no backtrace:"; tail -n 5 bt; }
cat > commands <<'E'
set pagination off
break steps
shell touch stop
continue
bt
stepi 400
bt
delete
detach
E
gdb -nx -batch -x commands -p $target > bt 2>&1
grep -q 'Breakpoint 1, steps' bt || { echo "no breakpoint:"; tail -n 5 bt; }
ended one $run
wait $target
echo "target: status $?, $(tail -n 1 result)"
cat one.out
