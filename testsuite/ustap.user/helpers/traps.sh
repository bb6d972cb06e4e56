# STAPRUN BLOB PROGRAM HOW...: PROGRAM prints and returns the same as when it is not traced
staprun=$1 blob=$2
shift 2
"$@" > bare 2> bare.calls
echo "status $?"
"$staprun" -v "$blob" -c "$*" > seen 2> told
echo "status $?"
grep -v '^#' seen | diff bare - && grep ' calls$' told | diff bare.calls - && sed -n 's/^# //p' seen
grep -o '[1-9] breakpoint, 0 not probed' told
