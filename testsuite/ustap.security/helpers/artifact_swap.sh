# artifact_swap.sh USTAP STAPRUN: -m NAME in a directory where another user can write, and swaps
# NAME.ust at the worst moment: when staprun has been started and has opened nothing yet.
ustap=$1 staprun=$2
export USTAP_CACHE_DIR=$PWD/cache
mkdir shared victim
echo untouched > victim/file
cd shared || exit
"$ustap" --runtime=user -m other -p4 -e 'probe begin { println("script of another user") exit() }' \
	> /dev/null
printf '#!/bin/sh\ncp other.ust mine.ust\nexec %s "$@"\n' "$staprun" > ../loader
chmod +x ../loader
USTAP_STAPRUN=$PWD/../loader "$ustap" --runtime=user -m mine \
	-e 'probe begin { println("my script") exit() }'

# a link in place of NAME.ust is replaced, not followed
rm -f mine.ust
ln -s ../victim/file mine.ust
"$ustap" --runtime=user -m mine -e 'probe begin { println("my script") exit() }'
cat ../victim/file
[ -L mine.ust ] || echo "the link was replaced"
"$staprun" ./mine.ust
