# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by kernel, debug-kernel and run: where things are kept.  Sourced by bash.
# depmod and modprobe are there, which is not in the PATH of an ordinary user of Debian
PATH=$PATH:/usr/sbin:/sbin
vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
die() { echo "${0##*/}: $*" >&2; exit 125; }

state=${USTAP_VM_STATE:-${XDG_CACHE_HOME:-$HOME/.cache}/ustap/vm}
mkdir -p "$state/kernels" "$state/saved" "$state/share"
state=$(cd "$state" && pwd -P)
# make, QEMU and the guest's init take names apart at such characters
case $state in *[[:space:]\'\"\`\\,:\;\&\|\<\>\(\)\{\}\$\*\?\#\!%]*)
	die "kernels cannot be kept in $state, because of a character of its name;" \
		"USTAP_VM_STATE names another directory" ;;
esac

modules_root() { if [ -d "$1/usr/lib/modules" ]; then echo "$1/usr"; else echo "$1"; fi; }

# One entry of an archive as cpio(5) calls newc, without contents: a device node, which an ordinary
# user cannot make.
cpio_node() { # NAME MODE MAJOR MINOR
	printf '070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\0' 1 "$2" 0 0 1 0 0 0 \
		0 "$3" "$4" $((${#1} + 1)) 0 "$1"
	head -c $((3 - (110 + ${#1}) % 4)) /dev/zero
}

# Checksum of what an initrd depends on besides its kernel.
initrd_sources() { cat "$vm_dir/init.c" "$vm_dir/common.sh" | md5sum; }
has_initrd() { # DIR
	[ -e "$1/initrd" ] && [ "$(cat "$1/initrd.sources" 2>/dev/null)" = "$(initrd_sources)" ]
}

# init and the modules that it needs
make_initrd() { # DIR RELEASE
	local dir=$1 release=$2 root mods m ko
	root=$(modules_root "$dir/root")
	mods=$dir/initrd.d
	mkdir -p "$mods/modules" "$mods/dev"
	: > "$mods/modules/order"
	depmod -b "$root" "$release" 2>/dev/null
	for m in virtio_pci virtio_mmio virtio_console 9pnet_virtio 9p overlay; do
		# a module without a file is built in
		[ -n "$(find "$root/lib/modules" -name "$m.ko*")" ] || continue
		modprobe -d "$root" -S "$release" --show-depends "$m" |
			awk '$1 == "insmod" {print $2}'
	done | awk '!seen[$0]++' | while read -r ko; do
		m=$(basename "$ko"); m=${m%.xz}; m=${m%.zst}
		case $ko in
		*.xz) xz -dcq "$ko" > "$mods/modules/$m" ;;
		*.zst) zstd -dcq "$ko" > "$mods/modules/$m" ;;
		*) cp "$ko" "$mods/modules/$m" ;;
		esac
		strip --strip-debug "$mods/modules/$m"
		echo "$m" >> "$mods/modules/order"
	done
	${CC:-gcc} -std=gnu11 -O2 -static -o "$mods/init" "$vm_dir/init.c"
	{
		(cd "$mods" && find . | cpio -o -H newc --quiet)
		cpio_node dev/console $((8#20600)) 5 1
		cpio_node 'TRAILER!!!' 0 0 0
	} > "$dir/initrd.new"
	rm -rf "$mods"
	mv "$dir/initrd.new" "$dir/initrd"
	initrd_sources > "$dir/initrd.sources"
}
