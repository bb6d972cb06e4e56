# STAPRUN BLOB PROGRAM: one run, three processes
. "${0%/*}/common.sh"
start a "$prog" gate stop 300; a=$target
start b "$prog" gate stop 400; b=$target
start c "$prog" gate stop 500; c=$target
attach one -x $a -x $b
touch stop
ended one $run
wait $a && wait $b && wait $c && tail -q -n 1 a b c
cat one.out
