# STAPRUN KO: root writes its output where another user may have put links.
staprun=$1 ko=$2
dir=$(mktemp -d /dev/shm/output.XXXXXX)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir -m 755 mine hers
mkdir -m 1777 open
echo secret > mine/victim
ln -s mine/victim link                          # root's own, in root's directory
ln -s ../mine/victim open/by_root
ln -s ../mine/victim open/by_nobody
ln -s ../mine hers/way
ln mine/victim open/hard
mkfifo open/fifo
touch hers/old
chown -h nobody hers hers/way hers/old open/by_nobody open/fifo
chmod 755 .

try() { # OPTION PATH
	"$staprun" "$1$2" "$ko" > said 2>&1
	echo "$1$2: $? $(cat mine/victim) $(sed -n '/^staprun/s/.*: //p' said | cut -c 1-37)"
	[ -s mine/victim ] && [ "$(cat mine/victim)" = secret ] || echo secret > mine/victim
}

for path in open/by_nobody hers/way/victim hers/way/new open/hard open/fifo; do try -o $path; done
try --counts= open/by_nobody
try --report=tap: open/by_nobody
"$staprun" -S 1 -o open/rotated "$ko" && ls open/rotated.0
ln -s ../mine/victim open/next.0 && chown -h nobody open/next.0
"$staprun" -S 1 -o open/next "$ko" 2> /dev/null; echo "-S: $? $(cat mine/victim)"
ls mine
for path in link open/by_root open/new hers/old /dev/null mine/../mine/x; do try -o $path; done
"$staprun" -o /dev/stdout "$ko" | cat
"$staprun" -o /proc/self/fd/1 "$ko" | cat
mkfifo mine/fifo; cat mine/fifo & "$staprun" -o mine/fifo "$ko"; wait $!
mkfifo mine/unread
"$staprun" -o mine/unread "$ko" & p=$!; sleep 0.3; kill -TERM $p; wait $p; echo "unread FIFO: $?"
