# STAPRUN BLOB: a client asks a traced sshd for its key; in a network and mount namespace
. "${0%/*}/common.sh"
ip link set lo up
mount -t tmpfs none /run
mkdir /run/sshd
ssh-keygen -q -t ed25519 -N '' -f key
/usr/sbin/sshd -D -f /dev/null -h "$PWD/key" -o ListenAddress=127.0.0.1 -o PidFile=none \
	2> sshd.err & target=$!
listens() { : < /dev/tcp/127.0.0.1/22; }
until_true listens 2> /dev/null
attach run --children -x $target
ssh-keyscan -T 30 -t ed25519 127.0.0.1 2> keyscan.err | cut -d ' ' -f 2,3 > got
cut -d ' ' -f 1,2 key.pub | cmp - got && echo "the client has the host's key" || cat keyscan.err
kill -INT $run
wait $run
kill $target
wait $target
cat run.out
