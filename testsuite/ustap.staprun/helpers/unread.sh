# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN KO PROGRAM: the program calls tick() 100,000 times, on one processor; staprun's output is
# read once it has ended.
has_ended() { ! grep -qs '^State:.*[^ZX] (' /proc/$1/status; }
{
	"$1" -c "sh -c 'echo \$\$ > pid; exec taskset -c 0 $3 100000'" "$2" 2> said
	echo "status $?" > code
} | {
	until [ -s pid ]; do sleep 0.05; done
	until has_ended "$(cat pid)"; do sleep 0.1; done
	wc -l
} > printed
cat code
sed 's/  *\(beware\|the last straw\)/ \1/; s/[0-9][0-9]* /N /g' said
