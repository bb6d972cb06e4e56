# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM HOW POINT...: the program runs elsewhere, as HOW says; each point is hit in
# it, and it goes on
. "${0%/*}/common.sh"
how=$4
shift 4
ustap=${staprun%/*}/ustap
here=$PWD

# a root directory with the program and what it needs
fill() {
	local lib
	mkdir -p "$1/bin" "$1/tmp" "$1/proc"
	install -m 755 "$prog" "$1/bin/inside"
	for lib in $(ldd "$prog" | grep -o '/[^ ]*'); do
		mkdir -p "$1${lib%/*}" && cp -L "$lib" "$1$lib"
	done
}

case $how in
chroot)
	fill root
	start out chroot root /bin/inside run ;;
leave)          # its files are not below its root any more; one of them has another file there
	install "$prog" inside
	mkdir -p "empty$here"
	cp /bin/true "empty$here/inside"
	start out ./inside leave empty ;;
mounted)        # what is mounted there is seen in there only
	mkdir m
	start out unshare -m sh -c "mount -t tmpfs none '$here/m' &&
		install '$prog' '$here/m/inside' && exec '$here/m/inside' run" ;;
overlay)
	fill lower
	mkdir m
	start out unshare -m sh -c "mount -t tmpfs none '$here/m' && cd '$here/m' && mkdir u w o &&
		mount -t overlay -o 'lowerdir=$here/lower,upperdir=u,workdir=w' none o &&
		exec chroot o /bin/inside run" ;;
deleted)
	install "$prog" inside
	start out ./inside run
	rm inside ;;
replaced)
	install "$prog" inside
	start out ./inside run
	cp /bin/true inside.new && mv inside.new inside ;;
upgraded | upgraded-link)      # the library has been replaced, or is a file of another name now
	mkdir lib
	cp -L "$(ldd "$prog" | sed -n 's,^.*libc.so.6 => \(/[^ ]*\).*,\1,p')" lib/libc.so.6.1
	ln -s libc.so.6.1 lib/libc.so.6
	start out env LD_LIBRARY_PATH="$here/lib" "$prog" run
	cp lib/libc.so.6.1 lib/new
	echo >> lib/new
	if [ "$how" = upgraded ]; then
		mv lib/new lib/libc.so.6.1
	else
		mv lib/new lib/libc.so.6.2
		ln -sf libc.so.6.2 lib/libc.so.6
		rm lib/libc.so.6.1
	fi ;;
overlay-deleted)
	fill lower
	mkdir m
	start out unshare -m sh -c "mount -t tmpfs none '$here/m' && cd '$here/m' && mkdir u w o &&
		mount -t overlay -o 'lowerdir=$here/lower,upperdir=u,workdir=w' none o &&
		exec chroot o /bin/inside run"
	rm "/proc/$target/root/bin/inside" ;;
memory)
	start out "$prog" memory ;;
esac

for point; do
	script="global n, parms
		probe $(sed "s,TARGET,$target,; s,HERE,$here," <<< "$point") {
			if (!n++) parms = \$\$parms
			if (n == 3) exit()
		}
		probe end {
			printf(\"%s %s\\n\", n >= 3 ? \"hit\" : \"missed\",
			       parms =~ \"^n=0x[0-9a-f]+$\" ? \"n\" : parms)
		}"
	"$ustap" --runtime=user --quiet -T 20 -x $target -e "$script" 2> err ||
		echo "status $?"
	grep -v "process $target: .* probe sites" err
	[ "$(awk '/TracerPid/ { print $2 }' /proc/$target/status)" = 0 ] || echo traced
done
kill $target
wait $target
echo "target $?"
