# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM: attach to the changing and to the quiet program some times each; print how
# often the counts and the program's results were right, and whether plans had to be made again
. "${0%/*}/common.sh"
rounds=12

round() {
	local line=
	attach run -x $target
	until_true grep -q ' runs, ' run.err
	echo >&3
	read -t 20 -r line <&4
	detach run $run
	[ "$line $(cat run.out)" = 'right 100 100' ] && right=$((right + 1))
	grep -q 'code has changed since' run.err && again=$((again + 1))
}

mkfifo calls results
for kind in changing quiet; do
	"$prog" $kind < calls > results & target=$!
	exec 3> calls 4< results
	right=0 again=0
	for ((i = 0; i < rounds; i++)); do round; done
	exec 3>&-
	wait $target
	status=$? anew=no
	[ $again = 0 ] || anew=yes
	echo "$kind: status $status, $right right, planned again: $anew"
	exec 4<&-
done
