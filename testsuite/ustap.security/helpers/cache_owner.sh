# cache_owner.sh USTAP: caches that another user can change, and one that is swapped during the run.
ustap=$1
top=$PWD
unset USTAP_CACHE_DIR XDG_CACHE_HOME
hello='probe begin { println("my script") exit() }'

# The other user's cache has an entry of the right name and digests, with another script in it.
USTAP_CACHE_DIR=$top/good "$ustap" --runtime=user -e "$hello" > /dev/null
evil=$(USTAP_CACHE_DIR=$top/scratch "$ustap" --runtime=user -p4 \
	-e 'probe begin { println("script of another user") exit() }')
cp -a good evil
blob=$(find evil -name '*.ust')
cp "$evil" "$blob"
[ ! -e "${blob%/*}/SHA256SUMS" ] ||
	(cd "${blob%/*}" && { echo '# ustap cache entry of 1 files'; sha256sum *.ust; } > SUMS &&
	mv SUMS SHA256SUMS)

# run NAME DIRECTORY: with a cache that is not to be used; $top/good/spare would be
run() {
	XDG_CACHE_HOME=$top/spare USTAP_CACHE_DIR=$2 "$ustap" --runtime=user -e "$hello" 2> told
	why='belongs to [a-z]*|is writable by [a-z ]*[a-z]'
	echo "$1: $(sed -nE "s/.*is not used: [^ ]*\/([a-z]*) ($why).*/\1 \2/p" told)"
}
mkdir home && cp -a evil home/theirs && cp -a evil home/ours && chown nobody home &&
	chown -R nobody home/theirs
run directory "$top/home/theirs"
run parent "$top/home/ours"
cp -a evil group && chmod 770 group
run group "$top/group"
cp -a evil world && chmod 777 world
run world "$top/world"
ln -s home/ours link && chown -h nobody link
run link "$top/link"
cp -a good sub && rm -r sub/blobs && cp -a home/theirs/blobs sub/blobs
run subdirectory "$top/sub"

# The owner of `home' swaps the caches while root runs.
cp -a good home/now && cp -a evil home/next
(cd home && while :; do mv now old; mv next now; mv old next; done 2> /dev/null) &
swapper=$!
for i in 1 2 3 4 5 6 7 8; do
	XDG_CACHE_HOME=$top/spare USTAP_CACHE_DIR=$top/home/now "$ustap" --runtime=user \
		-e "$hello" 2> told
done | sort | uniq -c | sed 's/^ *//'
kill $swapper
