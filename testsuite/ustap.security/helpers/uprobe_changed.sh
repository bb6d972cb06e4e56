# SPDX-License-Identifier: GPL-2.0-or-later
# uprobe_changed.sh STAPRUN MODULE PROGRAM: after the compile, a probed instruction of the program
# becomes one that kernels refuse.
at=$(LC_ALL=C grep -obUaP '\x48\xff\x07\x0f\x1f\x80\x78\x56\x34\x12' "$3" | cut -d: -f1)
printf '\xf0' | dd of="$3" bs=1 seek="$at" conv=notrunc status=none && echo changed
"$1" --strict -c "$3" "$2"
echo "status $?"
