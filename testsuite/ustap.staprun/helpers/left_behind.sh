# STAPRUN KO PROGRAM: modules of killed runs are paused; --list and --cleanup show and remove them
staprun=$1 ko=$2
"$3" 60000 1000 > result & target=$!

# Output of --list about the modules, sorted, without their names.
about() { "$staprun" --list 2> /dev/null | sed -n 's/^ustap_[^ ]*  //p' | sort; }

modules() { "$staprun" --list 2> /dev/null | sed -n 's/^\(ustap_[^ ]*\)  .*/\1/p'; }

for i in 1 2 3; do
	"$staprun" -x $target "$ko" > text$i & p=$!
	until [ -s text$i ]; do sleep 0.05; done
	[ $i != 3 ] || { echo "before:"; about; }
	kill -9 $p
	wait $p 2> /dev/null
done
echo "killed:"
about
# it goes on when it is attached to
for m in $(modules); do
	timeout --preserve-status -s INT 2 "$staprun" -A "$m" > more 2> warning
	echo "attached: $?, $(grep -c 'WARNING: the script was paused 1 time: ' warning) warning"
	tail -n 1 more
	break
done
for m in $(modules); do "$staprun" --cleanup=$m; echo "removed: $?"; done
modules
"$staprun" --cleanup=$m 2> /dev/null
echo "again: $?"
kill $target
