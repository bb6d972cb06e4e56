# STAPRUN: "save" of the interactive mode, where another user may have put links.
ustap=$(dirname "$1")/ustap
dir=$(mktemp -d /dev/shm/save.XXXXXX)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir -m 755 mine
mkdir -m 1777 open
echo secret > mine/victim
ln -s mine/victim link                          # root's own, in root's directory
ln -s ../mine/victim open/by_nobody
ln mine/victim open/hard
chown -h nobody open/by_nobody

for path in open/by_nobody open/hard open/none/new link open/new; do
	said=$(printf '%s\n' 'global g' "save $path" | "$ustap" -i --runtime=user 2>&1 |
		sed -n 's/.*cannot write //p')
	echo "$path: $(cat mine/victim) ${said%% of another*}"
	[ "$(cat mine/victim)" = secret ] || echo secret > mine/victim
done
cat open/new
