#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# crowd_left STAPRUN PROGRAM SCRIPT: 60 children, of which 48 could be open files, live when the
# script ends. Prints in how many processes it is still mapped, and what became of them.
staprun=$1 program=$2 script=$3
mkfifo crowd.go
: > crowd.err
"$program" 60 wait < crowd.go > crowd.ended &
pid=$!
exec 3> crowd.go
(ulimit -n 48; exec "$staprun" --children -x $pid "$script" > crowd.out 2> crowd.err) &
run=$!
until grep -q 'attached to' crowd.err; do sleep 0.05; done
echo >&3
wait $run
echo "status $?"
cat crowd.out
grep -v attach crowd.err
children=$(pgrep -P $pid -d ' ')
echo "$(echo $children | wc -w) children, $(for p in $pid $children; do
	cat /proc/$p/maps; done | grep -c ustap-script) mappings left"
echo >&3
wait $pid
cat crowd.ended
