# SPDX-License-Identifier: GPL-2.0-or-later
# tracefs.sh STAPRUN KO COMMAND SED EVENT...: run COMMAND and see whether what the script prints is
# what the kernel's own trace says, between two signals SIGURG that the program `prog' sends itself.
# SED makes lines `EVENT: TEXT' of the trace what the script prints; what it leaves empty does not
# count.  ALONE=y: on one processor, as events of others are in no order with those signals.
staprun=$1 ko=$2 command=$3 sed=$4
shift 4
others=$(ls -d /sys/devices/system/cpu/cpu[1-9]*/online 2> /dev/null)
turn() { [ -z "${ALONE-}" ] || for cpu in $others; do echo "$1" > "$cpu"; done; }
trap 'turn 1' EXIT
turn 0
t=/sys/kernel/tracing
echo 0 > $t/tracing_on
echo > $t/trace
echo 8192 > $t/buffer_size_kb
mark=signal/signal_generate
echo 'sig == 23' > $t/events/$mark/filter
for e in "$@"; do echo 0 > "$t/events/$e/filter"; done
for e in $mark "$@"; do
	echo 1 > "$t/events/$e/enable" || exit 9
done
echo 1 > $t/tracing_on
"$staprun" "$ko" -c "$command" > mine.raw
echo 0 > $t/tracing_on
for e in $mark "$@"; do
	echo 0 > "$t/events/$e/enable"
done
echo 0 > $t/events/$mark/filter
sed -n 's/^ *\(.*\)-[0-9]\+ .*[0-9]: \([a-z_]*: .*\)/\2/p' $t/trace |
	awk '/^signal_generate: sig=23 .* comm=prog / {on = !on; next} on' |
	sed "s/ *$//;$sed" | grep . | sort > theirs
echo > $t/trace
echo 1 > $t/tracing_on                  # as it was
grep '^[a-z_]*: ' mine.raw | sort > mine
if diff theirs mine; then
	echo agree: $(sed 's/:.*//' mine | uniq)
fi
