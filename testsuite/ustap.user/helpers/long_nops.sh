# long_nops.sh USTAP PROGRAM: the instruction that ustap selects at nops of five bytes, for kernels
# that single-step them, that replace them by a call, and that emulate them.
ustap=$1 program=$2
headers() { # NAME TEXT: a directory that passes for kernel headers
	mkdir -p "$1/include/config" "$1/include/generated" "$1/include/linux"
	printf 'CONFIG_UPROBES=y\nCONFIG_MODULES=y\n' > "$1/include/config/auto.conf"
	echo "#define UTS_RELEASE \"$1\"" > "$1/include/generated/utsrelease.h"
	: > "$1/Makefile"
	echo "$2" > "$1/include/linux/uprobes.h"
}
headers stepping ''
headers calling 'struct hlist_head head_tramps; extern void arch_uprobe_optimize(void *auprobe);'
headers emulating 'extern void arch_uprobe_optimize(void *auprobe);'
# Debian's build directories include the Makefile of the sources
headers debian ''
rm debian/include/linux/uprobes.h
echo "include $PWD/calling/Makefile" > debian/Makefile
for kernel in stepping calling emulating debian; do
	echo "$kernel:"
	for point in 'function("entry")' 'statement("leaf@*:15")' 'statement("movable@*:23")' \
		'statement("caller@*:30")' 'statement("marked@*:39")'; do
		"$ustap" --runtime=kernel --explain -r "$PWD/$kernel" \
			-e "probe process(\"$program\").$point { println(1) }" 2>&1 |
			sed -n 's/.*instruction: [^;]*; \([^)]*\)).*/  \1/p
				s/.*\[red-zone\].*/  warned/p'
	done
done
