# NAME ARGUMENT...: load a module of the running kernel; in a guest its files are those that
# vm/kernel unpacked.
name=$1 release=$(uname -r)
shift
modprobe "$name" "$@" 2> /dev/null && exit
file=
# The list of modules is read in a moment; to look through their folders takes half a minute of a
# guest.
find_in() { # TREE
	path=$(sed -n "s,^\(.*/$name\.ko[^:]*\):.*,\1,p" "$1/modules.dep" 2> /dev/null)
	[ -z "$path" ] || file=$1/$path
}
root=${USTAP_VM%/share/*}/kernels/$release/root
for tree in "$root/lib/modules/$release" "$root/usr/lib/modules/$release"; do
	find_in "$tree"
done
case $file in
*.xz) xz -dc "$file" > "/tmp/$name.ko" ;;
*.zst) zstd -dcq "$file" > "/tmp/$name.ko" ;;
*) cp "$file" "/tmp/$name.ko" ;;
esac
insmod "/tmp/$name.ko" "$@"
