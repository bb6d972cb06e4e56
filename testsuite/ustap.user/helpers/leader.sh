# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM POINT...: each point is hit in a process whose main thread has ended
. "${0%/*}/common.sh"
shift 3
ustap=${staprun%/*}/ustap
for point; do
	rm -f go
	start out "$prog" 3 go
	"$ustap" --runtime=user --quiet -x $target --ready-command='touch go' -e "
		global n
		probe $(sed "s,TARGET,$target," <<< "$point") { n++ }
		probe end { println(n, \" hits\") }" 2>&1
	wait $target
	echo "target $?, $(tail -n 1 out)"
done
