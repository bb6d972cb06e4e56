# SPDX-License-Identifier: GPL-2.0-or-later
# ancestors.sh PROGRAM FILE: write what /proc says of this process, once it is PROGRAM, and of those
# that it comes from: as pstrace() does to the first line of FILE, as task_ancestry() to the second;
# then be PROGRAM.
name=${1##*/} p=$$ up= down=
while [ "$p" -gt 0 ]; do
	up="$up${up:+<-}$name($p)" down="$name${down:+=>}$down"
	p=$(sed -n 's/^PPid:\t//p' "/proc/$p/status")
	[ "$p" = 0 ] || name=$(cat "/proc/$p/comm")
done
printf '%s\n' "$up" "$down" > "$2"
exec "$1"
