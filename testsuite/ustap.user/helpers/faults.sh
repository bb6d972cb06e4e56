# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults.sh STAPRUN BLOB PROGRAM HOW: does PROGRAM print and return the same with a probe as
# without? Then what the script printed, and messages but that children were killed.
staprun=$1 blob=$2
shift 2
"$@" > bare 2> costs
echo "status $?"
"$staprun" --children --target-status "$blob" -c "$*" > seen 2> told
echo "status $?"
grep -v '^#' seen | diff bare - > difference && echo same || head -n 20 difference
sed -n 's/^# //p' seen
grep -vE ' ns a call|was killed by' told >&2
exit 0
