# STAPRUN BLOB PROGRAM [OPTION]: a daemon outlives the run
. "${0%/*}/common.sh"
"$staprun" $4 -c "$prog daemon 100 result" "$blob"
echo "status $?"
until_true test -s result
cat result
