# SPDX-License-Identifier: GPL-2.0-or-later
# frames.sh USTAP FILE CASE...: the largest stack frame of the C that each case of the test FILE is
# compiled to, if it is larger than the kernel's limit of 1,024 bytes.
ustap=$1 file=$2
shift 2
include=$(dirname "$(readlink -f "$ustap")")/../runtime/include

for name; do
	awk -v name="$name" '/^# case: / { wanted = $3 == name } wanted' "$file" > "$name.stp"
	options=$(sed -n 's/^# options: //p' "$name.stp")
	"$ustap" -p3 -w --runtime=user $options "$name.stp" > "$name.c" || exit 1
	gcc -std=gnu11 -O2 -w -fstack-usage -I"$include" -S "$name.c" -o "$name.s" || exit 1
	largest=$(awk -F '\t' '$2 > most { most = $2 } END { print most + 0 }' "$name.su")
	[ "$largest" -le 1024 ] && echo "$name: fits" || echo "$name: a frame of $largest bytes"
done
