# build_as_messages.sh USTAP: bytes that the process of --build-as writes to standard error, on a
# terminal and in a file.
ustap=$1
mkfifo script

# Says whether the child of process $1 has given up its rights; its process id is in $child.
restricted() {
	child=$(cat /proc/$1/task/$1/children)
	child=${child%% *}
	[ -n "$child" ] && grep -q '^NoNewPrivs:.1' /proc/$child/status
}

speak() {
	exec 8> script
	until [ -s pid ]; do sleep 0.05; done
	until restricted "$(cat pid)"; do sleep 0.05; done
	exec 9> /proc/$child/fd/2
	printf '\033]2;X\007 \302\2332J \2332J \303\274\342\202\254\t\ntwo \303' >&9
	sleep 0.3
	printf '\274 \342' >&9
	sleep 0.3
	printf '\202' >&9
	sleep 0.3
	printf '\254 \302' >&9
	sleep 0.3
	printf '\233\033\n' >&9
	echo 'probe begin { exit() }' >&8
	exec 8>&-
}

cat > run << END
echo \$\$ > pid
exec "$ustap" --runtime=user -w --build-as=daemon - < script
END
for run in "script -qec 'sh run' /dev/null" "sh run"; do
	rm -f pid
	speak &
	eval "$run" > said 2>&1 < /dev/null
	status=$?
	wait
	tr -d '\r' < said | cat -A
	echo "status $status"
done
