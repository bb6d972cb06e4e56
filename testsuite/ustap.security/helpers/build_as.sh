# build_as.sh USTAP: what the process of --build-as is, while it waits for the script on standard
# input, and whether a handle that it leaves behind can change the script.
ustap=$1
mkfifo script
SECRET=secret "$ustap" --runtime=user --build-as=daemon - < script > o 2> e 7< /etc/shadow &
parent=$!
exec 8> script
# Says whether the first child of process $1 waits for the script; its process id is in $child.
waits() {
	local call fd
	child=$(cat /proc/$1/task/$1/children)
	child=${child%% *}
	[ -n "$child" ] && read -r call fd _ < /proc/$child/syscall && [ "$call" = 0 ] &&
		[ "$(readlink /proc/$child/fd/$((fd)))" = "$PWD/script" ]
}
until waits $parent; do sleep 0.05; done
daemon=$(id -u daemon)
awk -v id="$daemon" '/^(Uid|Gid):/ { print $1, ($2 == id) ($3 == id) ($4 == id) ($5 == id) }
	/^(CapPrm|CapEff|NoNewPrivs):/ { print $1, $2 }' /proc/$child/status
[ "$(ps -o sid= -p "$child" | tr -d ' ')" = "$child" ] && echo "in a session of its own"
echo "terminal: $(ps -o tty= -p "$child")"
echo "secrets: $(tr '\0' '\n' < /proc/$child/environ | grep -c -i secret)"
for fd in /proc/$child/fd/*; do
	echo "${fd##*/} $(readlink "$fd" | sed 's/:.*//; s/ .*//; s#.*/##')"
done
exec 9<> /proc/$child/fd/4
echo 'probe begin { println("as ", uid()) } probe timer.s(1) { println("end") exit() }' >&8
exec 8>&-
until grep -q as o; do sleep 0.05; done
echo "a change of the script: $(echo x | LC_ALL=C cat 2>&1 >&9 | sed 's/.*: //')"
wait $parent
echo "status $?"
cat o
! grep error e
