#!/bin/sh
# PROGRAM STACK: are the names and offsets of the first three frames of PROGRAM in the file STACK
# those that nm has? All must then give the same address for the beginning of the program.
program=$1
nm -C "$program" | sort > symbols
sed -n 's/^ 0x\([0-9a-f]*\) : \(.*\)+0x\([0-9a-f]*\)\/0x[0-9a-f]* \[.*\/prog\]$/\1 \3 \2/p' "$2" |
	head -3 > frames
while read -r address offset name; do
	start=$(awk -v name="$name" 'substr($0, 20) == name { print $1; exit }' symbols)
	echo $((0x$address - 0x$offset - 0x${start:-0}))
done < frames > bases
if [ "$(sort -u bases | wc -l)" = 1 ] && [ $(($(head -1 bases) % 4096)) = 0 ]; then
	echo "$(wc -l < bases) frames agree"
else
	cat frames bases
fi
