# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM keep|remove POINT: the first frames at POINT of the program, found by -x.
# HERE in POINT is this directory.
. "${0%/*}/common.sh"
cp "$prog" prog
echo text > data
start ready ./prog data "$4" stop
"${staprun%/*}/ustap" --runtime=user --quiet -x $target --ready-command='touch stop' \
	-e "probe ${5//HERE/$PWD} { print_ubacktrace() }" 2>&1 |
	sed -n "s,$PWD/,,; s/^ *0x[0-9a-f]* : //; 1,2p"
wait $target || echo "status $?"
