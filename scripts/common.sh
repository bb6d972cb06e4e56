# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by try and check: the build directory, packages, progress, the build.  Sourced by sh.
set -e
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

say() { printf '==> %s\n' "$*"; }

die() {
	printf '%s: %s\n' "$0" "$*" >&2
	exit 1
}

. "$top/scripts/place.sh"

# Progress: print every few seconds how long LOG is being written, and its last line; with
# TOTAL, how many of so many compiler runs make has announced.  Runs until it is terminated.
show_progress() {
	log=$1 total=$2 waited=0 every=10 end='\n' begin=
	[ ! -t 1 ] || every=1 end='' begin='\r\033[K'
	timer=
	trap '[ -z "$timer" ] || kill "$timer" 2> /dev/null; exit 0' TERM
	while :; do
		sleep $every > /dev/null 2>&1 &
		timer=$!
		wait $timer
		kill -0 $$ 2> /dev/null || exit 0
		waited=$((waited + every))
		last=$(tail -n 1 "$log" | tr -cd '[:print:]' | cut -c 1-60)
		if [ -n "$total" ]; then
			done_lines=$(grep -c '^  [A-Z]' "$log" || true)
			[ "$done_lines" -le "$total" ] || done_lines=$total
			last="$done_lines of $total steps: $last"
		fi
		printf "$begin    %d s: %s$end" $waited "$last"
	done
}

# quiet NAME COMMAND...: run it and show that it progresses; show its output only if it fails
quiet() {
	log=$build/$1.log
	shift
	: > "$log"
	show_progress "$log" "$steps" &
	progress=$!
	status=0
	"$@" > "$log" 2>&1 < /dev/null || status=$?
	stop_progress
	[ $status = 0 ] && return
	tail -n 40 "$log" >&2
	echo "$0: \`$*' failed; all its output is in $log" >&2
	return $status
}

stop_progress() {
	[ -n "$progress" ] || return 0
	kill "$progress" 2> /dev/null || true
	wait "$progress" 2> /dev/null || true
	progress=
	[ ! -t 1 ] || printf '\r\033[K'
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

# missing PACKAGE...: those that are not installed
missing() { for p; do is_installed "$p" || printf ' %s' "$p"; done; }

can_install() {
	command -v apt-get > /dev/null || return
	[ -z "$as_root" ] || {
		command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }
	}
}

# available PACKAGE...: those that the configured archives have
available() {
	for p; do
		case $(LC_ALL=C apt-cache policy "$p" 2> /dev/null |
			sed -n 's/^ *Candidate: //p') in
		'' | '(none)') ;;
		*) printf ' %s' "$p" ;;
		esac
	done
}

# amount PACKAGE...: "N packages, X MB to download, Y MB on disk", from apt's own summary, of
# which version 3 has another form at terminals
amount() {
	LC_ALL=C apt-get install -y --no-install-recommends --print-uris "$@" 2>&1 | awk '
		/ newly installed,/ { n = $1 + $3 }
		/^ *Upgrading: [0-9]+, Installing: / { n = $2 + $4 }
		/^Need to get / { get = $4 " " $5 }
		/^ *Download size: / { get = $3 " " $4 }
		/^After this operation, .* will be used/ { use = $4 " " $5 }
		/^ *Space needed: / { use = $3 " " $4 }
		END {
			sub("/.*", "", get)
			printf "%d package%s, %s to download, %s on disk\n", n, n == 1 ? "" : "s",
				get == "" ? "nothing" : get, use == "" ? "nothing more" : use
		}'
}

# for_root PACKAGE...: print the command that installs them
for_root() {
	echo "    apt-get update && apt-get install -y --no-install-recommends $*" >&2
}

# apt_update: read the archives' lists, once
apt_update() {
	[ -z "$updated" ] || return 0
	updated=1
	say "reading the lists of packages (apt-get update)"
	quiet apt-update $as_root apt-get update
}

# install REQUIRED OPTIONAL: install the missing packages of both lists in one transaction. Those
# of OPTIONAL that the release does not have are named. Without the right to install, fail if a
# required one is missing; if nothing is missing, an ordinary user needs no rights.
install() {
	command -v dpkg-query > /dev/null || return 0   # not Debian: configure says what it lacks
	need=$(missing $1) wish=$(missing $2)
	[ -n "$need$wish" ] || return 0
	if ! can_install; then
		if [ -n "$need" ]; then
			echo "$0: packages are missing, and installing them needs root." \
				"As root:" >&2
			for_root $need $wish
			return 1
		fi
		echo "$0: tests that need these packages will be skipped; to install them," \
			"as root:" >&2
		for_root $wish
		return 0
	fi
	apt_update
	found=$(available $wish)
	for p in $wish; do
		case " $found " in
		*" $p "*) ;;
		*) say "this release has no package $p: its tests will be skipped" ;;
		esac
	done
	[ -n "$need$found" ] || return 0
	say "installing $(amount $need $found):$need$found"
	quiet apt-install $as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends $need $found
}

# Packages for the build: Autotools, the compiler, and two parser generators; elfutils reads DWARF,
# libdeflate inflates it, Zydis decodes instructions, libbpf reads the types of kernels, json-c the
# messages of the language server, Nettle computes SHA-256 for the cache, libmicrohttpd serves
# metrics, libbabeltrace2 writes CTF, and libcurl posts OTLP.
build_packages="autoconf automake pkg-config gcc libc6-dev make bison flex \
libdw-dev libelf-dev libdeflate-dev libzydis-dev libbpf-dev libjson-c-dev nettle-dev \
libmicrohttpd-dev libbabeltrace2-dev libcurl4-openssl-dev"
# Packages for a guest: the emulator, and tools that unpack a kernel package.
guest_packages="qemu-system-x86 cpio kmod xz-utils zstd lz4 libc6-dev patchelf"

build_ustap() {
	copy_sources
	say "building ustap in $build"
	[ -e "$source/configure" ] || (cd "$source" && quiet bootstrap ./bootstrap)
	cd "$build"
	is_configured || quiet configure "$source/configure"
	steps=$(make -n 2> /dev/null | grep -c 'echo "  [A-Z]' || true)
	quiet make make -j"$(nproc)"
	steps=
}

updated= progress= steps=
trap stop_progress EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
choose_place
