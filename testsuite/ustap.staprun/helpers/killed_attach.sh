# STAPRUN KO PROGRAM
"$3" 2000 1000 & target=$!
"$1" -x $target "$2" > text & p=$!
until [ -s text ]; do sleep 0.05; done
kill -9 $p
wait $p 2> /dev/null
"$1" -A | grep -q 'paused, no reader' && echo "the script is paused"
"$1" -A "$2" > more
echo "attached: $?"
[ -s more ] && head -n -1 text | cat - more | grep -v end |
	awk '$1 <= last {print "not in order: " last " " $1; bad = 1; exit} {last = $1}
		END {if (!bad) print "numbers rise"}'
tail -n 1 more | sed 's/^/the last line is /'
