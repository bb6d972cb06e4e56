# STAPRUN KO: a setuid staprun finds no program by the caller's environment, and removes no module
# but its own.
dir=/dev/shm/environment
modules=/lib/modules/$(uname -r)/ustap
mkdir -m 755 $dir
mkdir -m 777 $dir/open $dir/bin
cp "$1" $dir/staprun
chmod 4755 $dir/staprun
mkdir -p "$modules"
install -m 644 "$2" "$modules/x.ko"
for g in 4001:stapusr 4002:stapdev; do
	sed -i "/^${g#*:}:/d" /etc/group
	echo "${g#*:}:x:${g%:*}:" >> /etc/group
done
as() { local g=$1; shift; setpriv --reuid=1234 --regid=1234 --groups="$g" "$@"; }
# every program that a loader could think of, as the caller's
for p in modprobe insmod rmmod depmod lsmod sh bash mount uname; do
	printf '#!/bin/sh\n/usr/bin/id -u >> %s/open/ran\n' $dir > $dir/bin/$p
	chmod 755 $dir/bin/$p
done
cat > $dir/preload.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void)
{
	FILE *f = fopen("/dev/shm/environment/open/ran", "a");

	if (f && !geteuid())
		fprintf(f, "preloaded\n");
}
END
gcc -shared -fPIC -o $dir/preload.so $dir/preload.c || echo "no library"
cd $dir/open || exit 1
hostile() {
	as "$@" env PATH=$dir/bin MODPROBE_OPTIONS="-C $dir/bin" LD_PRELOAD=$dir/preload.so \
		LD_LIBRARY_PATH=$dir IFS=/ BASH_ENV=$dir/bin/sh ENV=$dir/bin/sh GCONV_PATH=$dir \
		HOME=$dir/open TMPDIR=$dir/open "${command[@]}"
}
command=($dir/staprun x.ko)
hostile 4001; echo "stapusr $?"
install -m 644 "$2" $dir/x.ko
command=($dir/staprun $dir/x.ko)
hostile 4002; echo "stapdev $?"
for m in 9p 9pnet_virtio ../9p no_such_module ''; do
	as 4002 $dir/staprun -d "$m" 2>> $dir/errors; echo "remove ${m:-nothing} $?"
done
[ -e ran ] && sort ran | uniq -c
grep -q '^9p ' /proc/modules && echo "9p is there"
rm -r "$modules" $dir
