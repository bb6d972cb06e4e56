# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN KO PROGRAM: the program calls tick() 100,000 times, on one processor, most of them when
# staprun waits for its reader, which reads once the program has ended.
has_ended() { ! grep -qs '^State:.*[^ZX] (' /proc/$1/status; }
{
	"$1" -c "sh -c 'echo \$\$ > pid; exec taskset -c 0 $3 100000 0 full'" "$2" 2> said
	echo "status $?" > code
} | {
	until [ -s pid ]; do sleep 0.05; done
	staprun=$(sed -n 's/^PPid:\t//p' "/proc/$(cat pid)/status")
	# a write that waits, proc(5)
	until grep -qs '^1 ' /proc/$staprun/task/*/syscall; do sleep 0.05; done
	touch full
	until has_ended "$(cat pid)"; do sleep 0.1; done
	wc -l
} > printed
cat code
sed 's/  *\(beware\|the last straw\)/ \1/; s/[0-9][0-9]* /N /g' said
