# STAPRUN KO
run() { local what=$1; shift; "$@"; echo "$what $?"; }
run plain "$1" -c "sh -c 'exit 7'" "$2"
run asked "$1" --target-status -c "sh -c 'exit 7'" "$2"
run "asked, success" "$1" --target-status -c true "$2"
run killed "$1" --target-status -c "sh -c 'kill \$\$'" "$2"
run "not found" "$1" -c no-such-program "$2"
run "not executable" "$1" -c /etc/passwd "$2"
run "no process" "$1" -x 4194303 "$2"
python3 -c 'import threading
def thread():
	print(threading.get_native_id(), flush=True)
	threading.Event().wait(20)
threading.Thread(target=thread, daemon=True).start()
threading.Event().wait(20)' > tid & p=$!
until [ -s tid ]; do sleep 0.1; done
run "a thread is not a process" "$1" -x "$(cat tid)" "$2"
kill $p
run usage "$1"
