# A server of Redis on a socket of its own, two commands, and its end.
dir=$(mktemp -d)
redis-server --port 0 --unixsocket "$dir/socket" --save '' --daemonize no --dir "$dir" \
	> "$dir/log" 2>&1 &
server=$!
until [ -S "$dir/socket" ]; do sleep 0.05; done
redis-cli -s "$dir/socket" set a 1 > /dev/null
redis-cli -s "$dir/socket" get a > /dev/null
kill "$server"
wait "$server"
rm -rf "$dir"
