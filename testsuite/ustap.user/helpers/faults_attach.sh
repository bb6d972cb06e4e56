# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults_attach.sh STAPRUN BLOB PROGRAM: attach to a program that has a handler of SIGSEGV, and
# detach while it runs.  Prints what it printed and says whether memory of ours stays in it.
staprun=$1 blob=$2 program=$3
wait_until() { until "$@"; do sleep 0.05; done; }
"$program" wait > seen 2> costs & pid=$!
wait_until grep -q ready seen
caught=$(grep SigCgt "/proc/$pid/status")
"$staprun" -v -x $pid "$blob" > script 2> told & tracer=$!
wait_until grep -q '^attached' told
touch go
wait_until grep -q '^  11' seen
kill -INT $tracer
wait $tracer
echo "status $?"
[ "$(grep SigCgt "/proc/$pid/status")" = "$caught" ] || echo "other signals are caught"
grep -c memfd:ustap "/proc/$pid/maps"
rm go
wait $pid
echo "status $?"
cat seen script
cat costs >&2
exit 0
