# STAPRUN KO PROGRAM
calls=60000
{ "$1" -c "$3 $calls" "$2"; echo $? > code; } | {
	sleep 4
	awk '$1 != NR - 1 {bad = 1} END {print NR " lines, " (bad ? "in disorder" : "in order")}'
} > counted
echo "status $(cat code)"
cat counted
