# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by try and check: packages, and a build in ./build.  Sourced by sh.
set -e
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

say() { printf '==> %s\n' "$*"; }

# quiet NAME COMMAND...: run it; show its output only if it fails
quiet() {
	log=$build/$1.log
	shift
	"$@" > "$log" 2>&1 < /dev/null && return
	status=$?
	tail -n 40 "$log" >&2
	echo "$0: \`$*' failed; all its output is in $log" >&2
	return $status
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

# missing PACKAGE...: those that are not installed
missing() { for p; do is_installed "$p" || printf ' %s' "$p"; done; }

can_install() {
	command -v apt-get > /dev/null || return
	[ -z "$as_root" ] || { command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; }
}

# install PACKAGE...: those that are missing.  An ordinary user needs no rights if there are none.
install() {
	command -v dpkg-query > /dev/null || return 0   # not Debian: configure says what it lacks
	list=$(missing "$@")
	[ -n "$list" ] || return 0
	if ! can_install; then
		echo "$0: packages are missing, and installing them needs root. As root:" >&2
		echo "    apt-get update && apt-get install -y --no-install-recommends$list" >&2
		return 1
	fi
	say "installing:$list"
	[ -n "$updated" ] || quiet apt-update $as_root apt-get update
	updated=1
	quiet apt-install $as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends $list
}

# What building needs: Autotools, the compiler, and two parser generators;
# elfutils reads DWARF, which libdeflate inflates; Zydis reads instructions; libbpf, the types of kernels;
# json-c, the messages of the language server; Nettle has SHA-256, for the cache.
build_packages="autoconf automake pkg-config gcc libc6-dev make bison flex libdw-dev libelf-dev libdeflate-dev libzydis-dev libbpf-dev libjson-c-dev nettle-dev"
# What a guest needs: the machine, and tools that unpack a kernel package.
guest_packages="qemu-system-x86 cpio kmod xz-utils zstd lz4 libc6-dev patchelf"

build_ustap() {
	install $build_packages
	say "building ustap in $build"
	[ -e "$top/configure" ] || (cd "$top" && quiet bootstrap ./bootstrap)
	cd "$build"
	[ -e Makefile ] || quiet configure "$top/configure"
	quiet make make -j"$(nproc)"
}

updated=
mkdir -p "$build"
