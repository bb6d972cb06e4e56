# STAPRUN KO
pipe=$(mktemp -u /dev/shm/blocked.XXXXXX)
mkfifo "$pipe"
trap 'rm -f "$pipe"' EXIT
sleep 60 < "$pipe" & sleeper=$!
"$1" -v -s 4 "$2" > "$pipe" 2> said & p=$!
until grep -q runs said; do sleep 0.05; done
kill -INT $p
sleep 2
kill -0 $p && echo "still waiting after one signal"
kill -INT $p
wait $p
echo "status $?"
kill $sleeper
wait $sleeper 2> /dev/null
grep -q 'unloaded$\|removed$' said && echo "end probes ran"
echo "loaded: $(cat /proc/modules 2> /dev/null | grep -c ^ustap_)"
grep -v ': module ustap_\| loaded at \| runs, \| runs$\| removed$' said >&2
:
