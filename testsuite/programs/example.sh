# For the examples: functions, loops, a file that is not there, a child and its status.
f() { local i; for ((i = 0; i < 3; i++)); do case $i in 1) echo $i ;; *) : ;; esac; done; }
f
f
for x in a b; do f; done
cat /nothing
(exit 3)
trap : USR1
exit 5
