# STAPRUN BLOB PROGRAM [OPTION]: a daemon outlives the run
. "${0%/*}/common.sh"
"$staprun" $4 -c "$prog daemon 100 result" "$blob" 2> said
echo "status $?"
# the daemon may come to a probe before the run ends
grep -v ' not traced: see --children, -x$' said >&2
until_true test -s result
cat result
