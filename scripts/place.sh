# SPDX-License-Identifier: GPL-2.0-or-later
# The build directory of ustap: ./build, or, where that is not possible, one below the user's cache
# directory. Sourced by common.sh; sets $build, and $source, the sources that are configured.

# is_unsafe DIRECTORY: its name has characters that configure, make or the test suite take apart
is_unsafe() {
	case $1 in *[[:space:]\"\'\`\\\$\#\&\;\|\<\>\(\)\{\}\[\]\*\?\!%,:~=]*) return 0 ;; esac
	return 1
}

# can_build_in_place: $top is writable, and configure, make and the test suite can use its name
can_build_in_place() {
	! is_unsafe "$top" && [ -w "$top" ] && { [ ! -e "$top/build" ] || [ -w "$top/build" ]; }
}

# is_private DIRECTORY: make it if it is missing; it belongs to this user, who can write to it
is_private() { mkdir -p -m 700 "$1" 2> /dev/null && [ -O "$1" ] && [ ! -L "$1" ] && [ -w "$1" ]; }

# choose_place: set $source and $build and make $build; nothing has been installed yet
choose_place() {
	source=$top build=$top/build
	if can_build_in_place; then
		[ ! -L "$build" ] || rm "$build"
		mkdir -p "$build"
		return
	fi
	why="is read-only"
	! is_unsafe "$top" || why="has a character in its name that make takes apart"
	for place in "${XDG_CACHE_HOME:-$HOME/.cache}/ustap/build" \
		"${TMPDIR:-/tmp}/ustap-$(id -u)"; do
		if [ "${place#/}" != "$place" ] && ! is_unsafe "$place" && is_private "$place"; then
			place=$place/$(printf %s "$top" | cksum | tr ' ' -)
			source=$place/source build=$place/build
			mkdir -p "$source" "$build"
			say "$top $why: building a copy"
			return
		fi
	done
	die "cannot build: $top $why, and neither does the cache directory serve;" \
		"name one without blanks: XDG_CACHE_HOME=DIR $0"
}

# copy_sources: bring the copy up to date.  Times of files are kept, so that
# make builds what changed.
copy_sources() {
	[ "$source" != "$top" ] || return 0
	tar -C "$top" -c --mode=u+rwX --exclude=./build --exclude=./.git --exclude=./testrun \
		--exclude=./Makefile --exclude=./config.status \
		--exclude=./config.h --exclude='./*.o' . |
		tar -C "$source" -x -v --no-same-owner --delay-directory-restore \
			> "$build/copied.new"
	sort -o "$build/copied.new" "$build/copied.new"
	[ ! -e "$build/copied" ] || comm -23 "$build/copied" "$build/copied.new" |
		while IFS= read -r file; do rm -f "$source/$file"; done
	mv "$build/copied.new" "$build/copied"
	# the programs are found where the README says, too
	[ ! -w "$top" ] || { [ -e "$top/build" ] && [ ! -L "$top/build" ]; } ||
		ln -sfn "$build" "$top/build"
}

# is_configured: the build directory has been configured for these sources
is_configured() { [ -e Makefile ] && grep -qxF "abs_srcdir = $source" Makefile; }
