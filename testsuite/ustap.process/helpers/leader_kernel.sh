# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN KO PROGRAM: run the script in a process whose main thread has ended before
staprun=$1 ko=$2 prog=$3
d=$(mktemp -d) && cd "$d" || exit
"$prog" 3 go > out & target=$!
until grep -q ready out; do sleep 0.05; done
"$staprun" "$ko" -x $target --ready-command='touch go'
wait $target
echo "target $?, $(tail -n 1 out)"
cd / && rm -rf "$d"
