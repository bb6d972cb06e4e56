# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN - PROGRAM: root traces processes of different users, which would share the script's
# memory.
staprun=$1 prog=$3
dir=$(mktemp -d /tmp/privileges.XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
install -m 755 "$prog" "$dir/prog"
install -m 4755 "$prog" "$dir/suid"
sed "s|@prog@|$dir/prog|; s|@suid@|$dir/suid|" "${0%/*}/../privileges.stp" > "$dir/script.stp"
cd "$dir" || exit 1
blob=$("${staprun%/*}/ustap" --runtime=user -p4 script.stp)

as_user() { exec setpriv --reuid=1234 --regid=1234 --clear-groups "$@"; }

as_user sleep 20 & first=$!
sleep 20 & second=$!
until [ "$(cat /proc/$first/comm)" = sleep ]; do sleep 0.02; done
"$staprun" -x $first -x $second "$blob" 2>&1 | grep -c 'is not traced'
"$staprun" -x $second -x $first "$blob" 2>&1 | grep -c 'is not traced'
kill $first $second
wait $first $second 2> /dev/null

# a command that becomes another user by exec is traced, on its own
"$staprun" -c "setpriv --reuid=1234 --regid=1234 --clear-groups ./prog 5 1" "$blob"
# its parent, still root, keeps it out
"$staprun" --children \
	-c "/bin/sh -c 'setpriv --reuid=1234 --regid=1234 --clear-groups ./prog 5 1; true'" \
	"$blob" 2> said
grep -o 'is not traced: it has fewer privileges' said
# and an unprivileged one does not take the memory into a setuid program
"$staprun" --children \
	-c "setpriv --reuid=1234 --regid=1234 --clear-groups sh -c './prog 5 1; exec ./suid 5 1'" \
	"$blob" 2> said
grep -o 'is not traced: it has more privileges' said
