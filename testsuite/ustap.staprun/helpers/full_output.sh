# DIRECTORY PROGRAM: print to a full device with each command of DIRECTORY
ustap=$1/ustap
printf '# expect: 1\nprobe begin { println(1) exit() }\n' > one.stp
"$ustap" record -o calls -c "$2 1" > record.log 2>&1

# full NAME COMMAND: its exit status, if it says why
full() {
	local name=$1 status
	shift
	"$@" > /dev/full 2> messages
	status=$?
	[ $status = 0 ] || grep -Eq 'cannot write to .*: (No space left|an earlier)' messages ||
		status="$status silently"
	echo "$status $name"
}

for word in --help --version; do
	full $word "$ustap" $word
done
for word in -l -L; do
	full $word "$ustap" $word "process(\"$2\").function(\"*\")"
done
for word in -p1 -p3 "--runtime=user -p4"; do
	full "${word##* }" "$ustap" $word one.stp
done
full --dump-functions "$ustap" --dump-functions
full run "$ustap" --runtime=user one.stp
full 'staprun --help' "$1/staprun" --help
full 'test --list' "$ustap" test --list one.stp
full test "$ustap" test one.stp
full report "$ustap" report calls
full 'nothing printed' "$ustap" --runtime=user -e 'probe begin { exit() }'
