# SPDX-License-Identifier: GPL-2.0-or-later
#
# redis_stats.sh STAPRUN BLOB: a redis server does the same ten commands thousands of times, while
# the script adds up calls and nanoseconds of each.  Says of each whether that is within 10 % of
# what the server's own `info commandstats' has counted meanwhile.  The figures are on standard
# output if one is not.
set -f
staprun=$1 blob=$2
port=$((20000 + $$ % 20000))
cli() { redis-cli -p $port "$@"; }
wait_until() { until "$@" > /dev/null 2>&1; do sleep 0.05; done; }
redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no > server.log 2>&1 & server=$!
trap 'kill $server 2> /dev/null; wait' EXIT
wait_until cli ping
cli eval "local s = string.rep('some text ', 2000)
	for i = 1, 600 do
		redis.call('rpush', 'list', i * 7919 % 601) redis.call('sadd', 'set' .. i % 2, i)
		redis.call('zadd', 'sorted', i, 'member ' .. i)
		redis.call('hset', 'hash', 'field ' .. i, i)
		redis.call('set', 'key' .. i, s)
	end" 0 > /dev/null
keys=$(printf 'key%d ' {1..40})
commands=('lrange list 0 -1' 'zrange sorted 0 -1' 'hgetall hash' 'hkeys hash' 'hvals hash'
	'sort list' 'sunion set0 set1' "mget $keys" 'bitcount key1' 'keys *')

# those that are left; a processor that is taken away in the wrong moment costs more than the 10 %
for turn in 1 2 3 4; do
	[ ${#commands[@]} -gt 0 ] || break
	"$staprun" -x $server -o sums "$blob" 2> told & tracer=$!
	wait_until grep -q '^attached' told
	cli config resetstat > /dev/null
	for command in "${commands[@]}"; do
		redis-benchmark -p $port -q -P 4 -c 4 -n 2000 $command > load 2>&1 ||
			echo "failed: $command"
	done
	cli info commandstats | tr -d '\r' > stats
	kill -INT $tracer
	wait $tracer || echo "staprun: status $?"
	grep -vE '^attached|cannot be armed|probe sites' told
	# cmdstat_NAME:calls=N,usec=N,... and NAMECommand N NS
	awk -F '[:,=]' 'FNR == NR {
			split($0, f, " "); sub(/Command$/, "", f[1])
			calls[f[1]] = f[2]; ns[f[1]] = f[3]
			next
		}
		sub(/^cmdstat_/, "", $1) && $3 == 2000 {
			ours = ns[$1] / 1000
			off = ($5 > ours ? $5 - ours : ours - $5) / $5
			ok = calls[$1] == $3 && off < 0.1
			figures = sprintf(", %d calls, %d us, %d calls, %d us",
				$3, $5, calls[$1], ours)
			printf "%s: %s%s\n", $1, ok ? "right" : "wrong", ok ? "" : figures
		}' sums stats > result
	grep 'right$' result >> results
	left=()
	for command in "${commands[@]}"; do
		grep -qx "${command%% *}: right" results || left+=("$command")
	done
	commands=("${left[@]}")
done
grep wrong result
sort results
exit 0
