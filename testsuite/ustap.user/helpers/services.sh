# STAPRUN PROGRAM SERVICES: the units of SERVICES are correct, and a run of a bundle has all
# privileges that it needs by the command line and the capabilities of staprun@.service.
staprun=$1 prog=$2 services=$3
mkdir -p units && cd units || exit 1

# the programs need not be installed
for unit in ustap staprun; do
	sed -e 's|^ExecStart=/usr/bin/[a-z]*|ExecStart=/bin/true|' "$services/$unit@.service" \
		> "$unit@web.service"
	systemd-analyze verify --man=no "./$unit@web.service"
	# 10 is the worst; those that only run as root have no less
	systemd-analyze --no-pager security --offline=true --threshold=70 "./$unit@web.service" \
		> security || tail -n 1 security
	! grep -E '^(SystemCall|Restrict(Name|Addr|Real|SUID)|LockPers|ProtectClock)' \
		"./$unit@web.service"
done

grep -c '^ExecReload=/bin/sh -c "kill -HUP $MAINPID"$' "$services"/*.service | sed 's|.*/||'
"${staprun%/*}/ustap" bundle --runtime=user --reload --follow="$prog" -o "$PWD/bundle" \
	-e 'global hits probe process.mark("called") { hits++ }
	probe end { printf("hits %d\n", hits) }' > sum || exit
command=$(sed -n 's/^ExecStart=//p' "$services/staprun@.service" |
	sed -e "s|/opt/ustap/%i|$PWD/bundle|; s|/var/log/ustap/%i|$PWD/web|; s|\$OPTIONS|--quiet|")
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$services/staprun@.service" |
	tr 'A-Z\n' 'a-z ' | sed 's/cap_/+/g; s/ *$//; s/  */,/g')
setpriv --bounding-set=-all,$capabilities --no-new-privs --inh-caps=-all $command \
	--ready-command="touch $PWD/ready" 2> messages & run=$!
while ! [ -e ready ] && kill -0 $run; do sleep 0.1; done
setpriv --reuid=1234 --regid=1234 --clear-groups "$prog" 10
kill -HUP $run
while ! grep -q reloaded messages && kill -0 $run; do sleep 0.1; done
setpriv --reuid=1234 --regid=1234 --clear-groups "$prog" 10
kill -TERM $run
wait $run
echo "status $?"
sed 's/[0-9.]* s$/S/' messages
cat web.log.0
