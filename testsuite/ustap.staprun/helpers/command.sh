# STAPRUN KO
echo "from standard input" | "$1" -c cat "$2"
[ "$("$1" -c pwd "$2")" = "$PWD" ] && echo "the same directory"
VARIABLE="value of a variable" "$1" -c "printenv VARIABLE" "$2"
"$1" -c "printf '%s|%s\\n' 'a b' c" "$2"
"$1" -c "echo through a pipe | cat" "$2"
echo "gone: $(cat /proc/modules 2> /dev/null | grep -c ^ustap_)"
