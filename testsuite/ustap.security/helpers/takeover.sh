# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN - PROGRAM CASE: root traces a program of another user (or of its own), which attacks
# root's processes.
staprun=$1 prog=$3
dir=$(mktemp -d /tmp/takeover.XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
install -m 755 "$prog" "$dir/prog"
# where the other user can read it
sed "s|@prog@|$dir/prog|" "${0%/*}/../takeover_$4.stp" > "$dir/script.stp"
cd "$dir" || exit 1
blob=$("${staprun%/*}/ustap" --runtime=user -p4 script.stp)
: > result > said > out
chmod 666 result

as_user() { exec setpriv --reuid=1234 --regid=1234 --clear-groups "$@"; }

# WHAT ARGS: start it, attach, let it attack, end
run() {
	local start=$1
	shift
	$start ./prog "$@" > result & target=$!
	until grep -q ready result; do sleep 0.02; done
	"$staprun" $options -o out -x $target "$blob" 2> said & p=$!
	until is_staprun $p || ! kill -0 $p 2> /dev/null; do sleep 0.02; done
	before=$(foreign_code $p)
	until grep -q done result || ! kill -0 $target 2> /dev/null; do sleep 0.02; done
	after=$(foreign_code $p)
	kill -INT $p
	wait $p
	status=$?
	kill $target
	wait $target 2> /dev/null
	grep -v '^ready$' result
}

# Executable memory of process P that does not belong to a file: the kernel's.
foreign_code() { grep -c 'r.xp 00000000 00:00' /proc/$1/maps; }
# P has executed staprun, and the kernel has mapped its code
is_staprun() { [ /proc/$1/exe -ef "$staprun" ] && [ "$(foreign_code $1)" -gt 0 ]; }

owner() { # FILE: who has made it
	for i in 1 2 3 4 5; do [ -s "$1" ] && break; sleep 0.1; done
	[ -e "$1" ] && stat -c %u "$1" || echo "does not exist"
}

mkdir -m 777 open
case $4 in
system) # the script never calls system()
	run as_user forge 7 "id -u > $dir/open/owned"
	echo "owned: $(owner open/owned)"
	grep -o 'has forged a record of type .*ignored' said ;;
switch) # nor switch_file()
	options="-S 1"
	run as_user forge 8 "to another file, please"
	ls out*
	grep -o 'has forged a record of type .*ignored' said ;;
code)
	run as_user code "$dir/open/owned"
	echo "owned: $(owner open/owned)" ;;
handles)
	run as_user handles
	run exec handles ;;
requests)
	run as_user requests
	[ "$before" = "$after" ] && echo "staprun is not patched" ;;
dropped) # the script calls system(), and its target has become another user
	run exec drop 1234 forge 7 "id -u > $dir/open/owned; id -G >> $dir/open/owned"
	echo "owned: $(owner open/owned), by $(head -n 2 open/owned | paste -sd " ")" ;;
namespace)
	run 'exec setpriv --reuid=1234 --regid=1234 --clear-groups unshare -Ur' forge 7 \
		"id -u > $dir/open/owned"
	echo "owned: $(owner open/owned)" ;;
esac
grep -v forged said >&2
echo "status $status"
