# fleet.sh DIRECTORY COMMAND...: run COMMAND with hosts web1 and web2, which ssh(1) reaches.
# Both are a private sshd on a port of 127.0.0.1; each has a home of its own below DIRECTORY. SHLVL
# keeps bash from reading the ~/.bashrc of this machine, as it does below sshd.
dir=$1
shift
mkdir -p "$dir/web1" "$dir/web2" "$dir/home" "$dir/bin"
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
for key in host user; do
	rm -f "$dir/$key"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/$key" || exit 1
done
cat > "$dir/sshd" <<END
ListenAddress 127.0.0.1
HostKey $dir/host
PidFile $dir/pid
AuthorizedKeysFile $dir/user.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
MaxStartups 100
AcceptEnv FLEET_HOST
SetEnv SHLVL=2
Subsystem sftp /usr/lib/openssh/sftp-server
ForceCommand cd $dir/\$FLEET_HOST && HOME=\$PWD exec sh -c "\$SSH_ORIGINAL_COMMAND"
END
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
/usr/sbin/sshd -D -e -p "$port" -f "$dir/sshd" 2> "$dir/log" &
server=$!
trap 'kill $server; wait $server 2> /dev/null' EXIT
for host in web1 web2; do
	cat <<-END
	Host $host
	HostName 127.0.0.1
	Port $port
	SetEnv FLEET_HOST=$host
	END
done > "$dir/config"
cat >> "$dir/config" <<END
Host *
IdentityFile $dir/user
IdentitiesOnly yes
BatchMode yes
StrictHostKeyChecking accept-new
UserKnownHostsFile $dir/known
END
printf '#!/bin/sh\nexec %s -F "%s" "$@"\n' "$(command -v ssh)" "$dir/config" > "$dir/bin/ssh"
printf '#!/bin/sh\nexec %s -F "%s" "$@"\n' "$(command -v scp)" "$dir/config" > "$dir/bin/scp"
printf '#!/bin/sh\nexec %s -F "%s" "$@"\n' "$(command -v sftp)" "$dir/config" > "$dir/bin/sftp"
chmod +x "$dir/bin"/*
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$dir/bin/ssh" web1 : 2> /dev/null && break
	sleep 0.2
done
# No connection outlives the test, so a task of Ansible uses few of them.
PATH=$dir/bin:$PATH HOME=$dir/home ANSIBLE_PIPELINING=1 ANSIBLE_SSH_ARGS='-o ControlMaster=no' \
	ANSIBLE_NOCOLOR=1 LC_ALL=C.UTF-8 "$@"
