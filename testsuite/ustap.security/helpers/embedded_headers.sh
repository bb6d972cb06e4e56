# embedded_headers.sh USTAP: what headers of embedded C say counts in each run, although the blob is
# cached.
ustap=$1
dir="$PWD/a \$b #c"
mkdir -p "$dir" && export USTAP_CACHE_DIR=$PWD/cache LC_ALL=C

cat > script.stp <<EOF
%{
#include "$dir/outer.h"
%}
function value:long() %{ STAP_RETVALUE = OUTER * 10 + INNER; %}
probe begin { println(value()) exit() }
EOF
printf '#include "inner.h"\n#define OUTER 1\n' > "$dir/outer.h"
echo '#define INNER 1' > "$dir/inner.h"

# run [OPTION]: the value; whether what was cached is used
run() {
	"$ustap" -g -v --runtime=user "$@" script.stp > printed 2> said || cat said
	echo "$(cat printed)$(grep -q "from the cache" said && echo " cached")"
}

run
run
echo '#define INNER 2' > "$dir/inner.h"
run
run
# of the same size and time
touch -r "$dir/outer.h" time
printf '#include "inner.h"\n#define OUTER 7\n' > "$dir/outer.h" && touch -r time "$dir/outer.h"
run
run
rm "$dir/inner.h"
"$ustap" -g --runtime=user script.stp 2>&1 | grep -o 'inner.h: No such file or directory' | head -1
