# STAPRUN PROGRAM CASE: runs with --reload whose scripts change.
staprun=$1 prog=$2 mode=$3
. "${0%/*}/common.sh" "$staprun" "" "$prog"
ustap=${staprun%/*}/ustap

# script NAME TEXT: build it for later; its path is in the file NAME.built
script() {
	"$ustap" -w --runtime=user --reload -p4 --follow="$prog" -e "$2" > "$1.built"
}

# begin NAME OPTIONS: run NAME; the file `next' has the name of the script to reload
values=
begin() {
	local name=$1
	shift
	echo "$name" > next
	: > err
	"$staprun" --reload='cat "$(cat next).built"' --follow="$prog" "$@" "$(cat "$name.built")" \
		$values > out 2> err & run=$!
	until_true said following 1
}
said() { [ "$(grep -c "$1" err)" = "$2" ]; }

# reload NAME COUNT: reload it, the COUNT-th time
reload() {
	echo "$1" > next
	kill -HUP $run
	until_true said '^staprun: reloaded' "$2"
}

finish() {
	kill -INT $run
	wait $run
	echo "status $?" > messages
	sed -E "s|/[^ ]*/||g; s/[0-9.]+ s\$/S/; s/[a-zA-Z0-9_-]+\.ust/SCRIPT/" err |
		grep -v '^following' >> messages
}

marks='probe process.mark("called")'

globals() {
	script old "global n = 3, kept = 7, text, sizes, hist, by, gone, typed, wider
$marks {
	n++; text = \"a b%\\n\"; sizes <<< \$arg1; hist <<< \$arg1; by[\$arg1 % 2, \"k\"] <<< \$arg1
	gone++; typed++; wider[\$arg1]++
}
probe end { println(\"old ends\", text, kept, gone, typed, @count(sizes), @count(hist)) }"
	script new "global n = 4, kept = 8, text, sizes, hist, by, more, typed, wider[4]
probe begin { printf(\"begins with %d\n\", n) }
$marks {
	n++; sizes <<< \$arg1; hist <<< \$arg1; by[\$arg1 % 2, \"k\"] <<< \$arg1; more++
	typed = \"x\"; text = text . \"\"; wider[0] = 1
}
probe end {
	println(n, \" \", kept, \" \", text, @count(sizes), \" \", @sum(sizes))
	println(@variance(hist), \" \", more, typed)
	foreach ([i, k+] in by) println(i, k, \" \", @count(by[i, k]), \" \", @max(by[i, k]))
	foreach (i+ in wider) println(\"wider \", i)
}"
	begin old
	"$prog" 10
	reload new 1
	"$prog" 10
	finish
	cat messages out
}

failing() {
	script old "global n $marks { n++ } probe end { println(\"n \", n) }"
	script other "global m $marks { m++ } probe end { println(\"m \", m) }"
	"$ustap" -w --runtime=user -p4 --follow="$prog" \
		-e "global n $marks { n++ }" > plain.built
	echo /dev/null > none.built
	values=n=5
	begin old
	"$prog" 10
	for name in missing none; do
		echo $name > next
		before=$(wc -l < err)
		kill -HUP $run
		until_true said 'was not reloaded' $([ $name = missing ] && echo 1 || echo 2)
		"$prog" 10
	done
	# these are refused only when they start: both have no global "n" that can be set or kept
	reload_back other 1
	reload_back plain 2
	"$prog" 10
	finish
	grep -v '^cat:' messages
	cat out
}
reload_back() {
	echo "$1" > next
	kill -HUP $run
	until_true said 'going back' "$2"
	until_true said '^staprun: reloaded' "$2"
	"$prog" 10
}

# Calls between reloads are exact, whatever the number of reloads; no descriptor is left open.
many() {
	for i in 0 1; do
		script s$i "global n, by $marks { n++; by[\$arg1]++ } probe timer.ms(7) { }
			probe end { printf(\"n %d %d $i\\n\", n, by[3]) }"
	done
	begin s0 -o many -S 1,3
	"$prog" 10
	files=$(ls /proc/$run/fd | wc -l)
	for ((i = 1; i <= 20; i++)); do
		reload s$((i % 2)) $i
		"$prog" 10 &
		"$prog" 10
		wait $!
	done
	[ "$(ls /proc/$run/fd | wc -l)" = $files ] || ls -l /proc/$run/fd
	[ "$(pgrep -P $run | wc -l)" -le 2 ] || pgrep -P $run -a
	kill -USR2 $run
	finish
	sort messages | uniq -c
	for f in many.*; do echo "$f:" $(cat $f); done
}

# A process that calls all the time, until the end of all reloads: no call counts twice.
busy() {
	local calls count i

	for i in 0 1; do
		script s$i "global n $marks { n++ } probe end { printf(\"%d\\n\", n) }"
	done
	begin s0
	"$prog" 0 busy > calls & target=$!
	for ((i = 1; i <= 10; i++)); do
		reload s$((i % 2)) $i
	done
	kill $target
	wait $target
	finish
	count=$(cat out) calls=$(cat calls)
	[ "$count" -gt 0 ] && [ "$count" -lt $calls ] || echo "$count of $calls calls"
	sort messages | uniq -c
}

# A signal that arrives while the script is replaced ends the new one, once.
signalled() {
	local i

	for i in 0 1; do
		script s$i "global n $marks { n++ } probe end { printf(\"n %d\\n\", n) }"
	done
	for ((i = 0; i < 12; i++)); do
		: > err
		begin s0
		"$prog" 10
		echo s1 > next
		kill -HUP $run
		[ $((i % 3)) = 0 ] || until_true said '^following' 2
		[ $((i % 3)) = 1 ] || kill -HUP $run
		kill -TERM $run
		wait $run || echo "status $?" >> all
		cat out >> all
	done
	sort all | uniq -c
}

# nohup, and a script that was not built for it
refused() {
	script old 'global n probe begin { n++ } probe end { println(n) }'
	"$ustap" -w --runtime=user -p4 -e 'probe begin { println(1) }' > plain.built
	"$staprun" --reload=true "$(cat plain.built)" 2>&1 | sed 's/.*ust: //'
	for option in -c\ true -T\ 1 --globals=g --output=folded --monitor --report=tap; do
		"$staprun" --reload=true $option "$(cat old.built)" > out 2>&1
		echo "$? $(grep -c 'not valid' out)"
	done
	for text in 1,2 1,2,3,4,5,6,7,8,9,99,x 1,0,0,0,0,0,0,0,0,1,x 99,0,0,0,0,0,0,0,0,1,x -1,0; do
		"$staprun" --reloaded=$text --reload=true "$(cat old.built)" 2>&1 |
			sed 's/descriptor [0-9]* /descriptor N /'
	done
	"$staprun" --reloaded=0,0,0,0,0,0,0,0,0,1,x "$(cat old.built)" 2>&1 | head -n 1
}

$mode
