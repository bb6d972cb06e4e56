#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel_stack.sh build DIRECTORY KERNEL: the module deep_stack.ko in DIRECTORY/deep.
# kernel_stack.sh run MODULE COMMAND...: load it, run COMMAND, and remove it.
# kernel_stack.sh write NUMBER...: to its parameter.
set -e
if [ "$1" = build ]; then
	mkdir -p "$2/deep"
	cp "$(dirname "$0")"/../../kernel-stack/* "$2/deep"
	PATH=$(dirname "$3")/bin:$PATH
	env -u MAKEFLAGS -u MFLAGS make -s -C "$3" M="$(cd "$2/deep" && pwd)" CONFIG_DEBUG_INFO= \
		CONFIG_DEBUG_INFO_BTF= CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2
elif [ "$1" = write ]; then
	shift
	for left; do
		echo "$left" > /sys/module/deep_stack/parameters/left
	done
else
	insmod "$2"
	shift 2
	"$@"
	rmmod deep_stack
fi
