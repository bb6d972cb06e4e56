# BUILD DEBUG: results from the kernel's debug information below DEBUG/usr/lib/debug, compared with
# gdb and nm.
release=${2##*/} vmlinux=$2/usr/lib/debug/boot/vmlinux-${2##*/} \
	build=${2%/debug/*}/kernels/${2##*/}/build
export USTAP_KERNEL_DEBUG=$2
ustap() { "$1/ustap" --runtime=kernel -r "$build" "${@:2}"; }

# where sites are: the address of each, as it is handed to the runtime
addresses() {
	ustap "$1" -p3 -e "probe $2 { println(1) }" |
		sed -n 's/^.*{0x[0-9a-f]*, 0x\(ffff[0-9a-f]*\), .*UST_SITE_KERNEL.*/\1/p'
}

# the lines of three functions, not of what is inlined there from above, each of which gdb has one
# address of
bad=
for f in vfs_read@fs/read_write.c do_sys_openat2@fs/open.c schedule@kernel/sched/core.c; do
	first=$(ustap "$1" -l "kernel.function(\"$f\").call" | sed 's/.*:\([0-9]*\)".*/\1/')
	ustap "$1" -l "kernel.statement(\"$f:*\")" | sed 's/.*@\(.*\)").*/\1/' |
		awk -F: -v first="$first" '$2 >= first {print "info line " $0}' | sort -u
	addresses "$1" "kernel.statement(\"$f:*\")" >> said
done > ask
gdb -nx -batch -x ask "$vmlinux" 2> /dev/null | grep -o 'starts at address 0x[0-9a-f]*' |
	sed 's/.*0x//' > are
[ "$(wc -l < are)" -gt 20 ] || bad=1
while read -r place; do grep -qx "$place" said || { echo "not at $place"; bad=1; }; done < are
[ "$bad" ] || echo "lines agree"

addresses "$1" 'kernel.function("vfs_*@fs/read_write.c").call' | sort > said
nm "$vmlinux" | awk '$3 ~ /^vfs_/ {print $1}' | sort > are
[ "$(wc -l < said)" -gt 5 ] && [ -z "$(comm -23 said are)" ] && echo "functions agree"

# one script, with and without the package
script='probe kernel.function("vfs_read") { println($$parms, $file->f_flags) }'
USTAP_KERNEL_DEBUG= ustap "$1" -p2 -e "$script" | grep -v site > without
ustap "$1" -p2 -e "${script/vfs_read/vfs_read@fs/read_write.c}" | grep -v site > with
cmp without with && echo "the same parameters"

ustap "$1" -L 'kernel.statement("vfs_read@fs/read_write.c+12")' | grep -o '\$ret'
ustap "$1" -p2 -e 'probe kernel.function("vfs_read") { println($init_task->pid) }' |
	grep -o '\$init_task'

mkdir -p other/usr/lib/debug/boot
cp "$1/ustap" "other/usr/lib/debug/boot/vmlinux-$release"
USTAP_KERNEL_DEBUG=$PWD/other ustap "$1" -p2 -e 'probe kernel.statement("vfs_read@*:1") { }' 2>&1 |
	grep -q 'of another build' && echo "another build is not used"
