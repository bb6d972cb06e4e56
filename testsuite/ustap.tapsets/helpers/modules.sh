# SPDX-License-Identifier: GPL-2.0-or-later
# modules.sh PROGRAM FILE PROGRAM2: lines `FILE OFFSET BUILD-ID' of FILE against what nm and readelf
# say of the entries of main() and exit(), from the first byte that is loaded on; both programs must
# be there.
for program in "$1" "$3"; do
	grep -qF "${program#./} " "$2" || echo "nothing of $program"
done
sed '/^plain /d' "$2" | while read -r file offset id; do
	first=$(readelf -lW "$file" | awk '$1 == "LOAD" { print $3; exit }')
	found=
	for at in $({ nm "$file"; nm -D "$file"; } 2> /dev/null |
		awk '$3 ~ /^(main|exit)(@|$)/ { print $1 }'); do
		[ $((0x$at - first)) != $((0x$offset)) ] || found=y
	done
	[ "$found" ] || echo "$file: no entry at $offset"
	[ "$id" = "$(readelf -n "$file" | sed -n 's/.*Build ID: //p')" ] ||
		echo "$file: not its build-id: $id"
done
echo "as nm and readelf have it"
