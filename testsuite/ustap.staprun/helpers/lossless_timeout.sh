# STAPRUN KO PROGRAM: the output is read only when the time limit has passed. In the kernel the
# thread that is killed while it waits loses its record.
{ "$1" --timeout=3 -c "echo \$\$ > pid; exec $3 200000" "$2" 2> said; echo $? > code; } | {
	sleep 6
	grep -q 'State:.*Z' "/proc/$(cat pid)/status" || [ ! -d "/proc/$(cat pid)" ] &&
		echo "the program ended" >&3
	wc -l > lines
} 3>&1
echo "status $(cat code)"
[ "$(cat lines)" -lt 200000 ] || echo "it has not waited"
grep -v '^WARNING: 1 records lost' said >&2
:
