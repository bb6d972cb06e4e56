# SPDX-License-Identifier: GPL-2.0-or-later
# uprobe_instructions.sh STAPRUN MODULE PROGRAM: what the program prints must not change, and each
# probed function be hit three times.
set -u
"$3" > plain.out
"$1" -c "$3" "$2" > traced.out 2> traced.err
echo "status $?"
grep -v '^hits' traced.out | diff plain.out - > /dev/null && echo "the program is unharmed" || {
	grep -v '^hits' traced.out | diff plain.out -
}
awk '/^hits/ && $3 != 3 {print "wrong:", $0} /^hits/ {n++} END {print n, "probed"}' traced.out
sed 's/^WARNING: [0-9]* of/WARNING: some of/' traced.err
