# STAPRUN SCRIPT COMMAND...: trace the running command, which then reads the end of its input.
staprun=$1 script=$2
shift 2
rm -f input said
mkfifo input
"$@" < input > said & target=$!
exec 3> input
until grep -q ready said; do sleep 0.05; done
"$staprun" --ready-command='touch traced' -x $target "$script" 2> errors 3>&- & run=$!
until [ -e traced ] || ! kill -0 $run 2> /dev/null; do sleep 0.05; done
exec 3>&-
wait $run
status=$?
wait $target
sed "s/process $target /process PID /" errors >&2
exit $status
