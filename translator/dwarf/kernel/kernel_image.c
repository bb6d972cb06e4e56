/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel as a module.
 *
 * Its types and functions come from its BTF, which is read from the running kernel, from the
 * vmlinux of its headers or its debug package, or from the compressed image that it is booted from
 * (btf.c describes the conversion). The result is cached.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "btf.h"
#include "createfile.h"
#include "dwarf/dwarf.h"
#include "kernel_image.h"
#include "dwarf/index/debug_cache.h"
#include "dwarf/index/stamp.h"
#include "base/cache.h"
#include "base/subprocess.h"

static ARENA_STATE struct target target;

void kernel_select(const char *release, const char *build)
{
	target = (struct target){release, build};
}
const struct target *kernel_target_get(void) { return &target; }
const char *kernel_root(void)
{
	char *real = target.build ? realpath(target.build, NULL) : NULL,
	     *end = real ? strstr(real, "/usr/src/") : NULL;
	const char *root = end ? xstrndup(real, (size_t)(end - real)) : "";

	free(real);
	return root;
}

/* --------------------------------------------------------- where BTF is */

bool kernel_is_running(const char *release)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.release, release);
}

/* The compressed image has no BTF that can be read in place. */
const char *kernel_btf_file(const struct target *t)
{
	const char *const places[] = {
		kernel_is_running(t->release) ? "/sys/kernel/btf/vmlinux" : NULL,
		t->build ? xprintf("%s/vmlinux", t->build) : NULL,
		xprintf("/usr/lib/debug/boot/vmlinux-%s", t->release),
		xprintf("/usr/lib/debug/lib/modules/%s/vmlinux", t->release),
		xprintf("/boot/vmlinux-%s", t->release),
		xprintf("/lib/modules/%s/vmlinux", t->release),
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (places[i] && !access(places[i], R_OK))
			return places[i];
	return NULL;
}

/* -------------------------------------------------- out of a boot image */

static const struct {
	const char *magic;
	size_t len;
	const char *command;
} unpackers[] = {
	{"\xfd"
	 "7zXZ",
	 5, "xz -dc"},
	{"\x28\xb5\x2f\xfd", 4, "zstd -dcq"},
	{"\x1f\x8b", 2, "gzip -dc"},
	{"\x02\x21\x4c\x18", 4, "lz4 -dc"},
	{"BZh", 3, "bzip2 -dc"},
};

/* The file that T is booted from: below the root of its build tree, else of this machine. */
static const char *boot_image(const struct target *t)
{
	const char *own = xprintf("%s/boot/vmlinuz-%s", kernel_root(), t->release);

	return access(own, R_OK) ? xprintf("/boot/vmlinuz-%s", t->release) : own;
}

int kernel_unpack(const char *command, const char *from, const char *to)
{
	const char *text = xprintf("%s < \"$1\" > \"$2\" 2>/dev/null", command);

	return run_command((const char *const[]){"sh", "-c", text, "sh", from, to, NULL}, NULL,
			   NULL);
}

/* Run the program that unpacks P from a file to the file TO. */
static bool unpack(const char *p, size_t n, const char *to)
{
	const char *from = xprintf("%s.packed", to);
	int fd = private_open(from, O_WRONLY | O_TRUNC);
	bool ok = fd >= 0 && debug_cache_write(fd, p, n, 0),
	     is_btf = n > 2 && !memcmp(p, "\x9f\xeb", 2);

	if (fd >= 0)
		close(fd);
	if (ok && is_btf)
		return !rename(from, to);
	for (size_t i = 0; ok && i < ARRAY_LEN(unpackers); i++)
		if (n > unpackers[i].len && !memcmp(p, unpackers[i].magic, unpackers[i].len)) {
			/* the packed data is followed by its length, which unpackers complain
			 * about: the output counts */
			kernel_unpack(unpackers[i].command, from, to);
			break;
		}
	unlink(from);
	return ok;
}

/* The vmlinux in the boot image of T, unpacked to a temporary file, which the caller removes; NULL:
 * not found. */
static const char *unpacked_vmlinux(const struct target *t)
{
	const char *to = cache_path("names", xprintf("vmlinux.%d.tmp", (int)getpid()));
	size_t len, at, n;
	const char *image = to ? read_file(boot_image(t), &len) : NULL;

	return image && arch_target()->boot_payload(image, len, &at, &n) &&
			       unpack(image + at, n, to)
		       ? to
		       : NULL;
}

/* ------------------------------------------------------------- the file */

/* Key in the cache of the BTF in PATH, or, if it is NULL, in the boot image of T; NULL: no such
 * file. */
const char *kernel_file_key(const struct target *t, const char *path)
{
	const char *file = path ? path : boot_image(t);
	struct utsname u = {0};
	struct stat st;

	if (stat(file, &st))
		return NULL;
	uname(&u);
	/* files that the running kernel provides have no time of their own */
	const char *const parts[] = {
		"kernel 4",
		t->release,
		strncmp(file, "/sys/", 5) ? file_identity(file) : u.version,
		file,
	};
	return xprintf("kernel-%s", hash_hex(parts, ARRAY_LEN(parts)));
}

/* The key of the stamp of K, which is beside it. */
static const char *stamp_key(const struct debug_cache_file *k) { return strrchr(k->path, '/') + 1; }

const char *kernel_cache_write(struct debug_cache_file *k, const struct strbuf *elf, struct loc loc)
{
	int fd = debug_cache_create(k, elf->n);

	if (fd >= 0 && debug_cache_write(fd, elf->s, elf->n, 0)) {
		if (!debug_cache_publish(k, fd))
			return xprintf("/proc/self/fd/%d", fd);
		stamp_write(stamp_key(k), fd, debug_cache_checksum(elf->s, elf->n, 0));
		close(fd);
		return k->path;
	}
	diag_error(E_IO, loc, "cannot cache the functions and types of the kernel: %s",
		   strerror(errno));
	debug_cache_discard(k);
	return NULL;
}

const char *kernel_cache_find(const struct debug_cache_file *k)
{
	int fd = debug_cache_open(k);
	bool ok = fd >= 0 && stamp_fits(fd, stamp_key(k), stamp_sum);

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !ok)
		debug_cache_damaged(k);
	return ok ? k->path : NULL;
}

/* Print a hint for the case that the BTF of T cannot be read. */
static void hint_btf(const struct target *t)
{
#ifndef HAVE_LIBBPF
	diag_hint("ustap was built without libbpf, which reads it: install libbpf-dev, run "
		  "configure again");
	return;
#endif
	if (!t->build || access(t->build, F_OK))
		diag_hint("its headers are not installed either: install linux-image-RELEASE and "
			  "linux-headers-RELEASE, or select another kernel with -r");
	else
		diag_hint("searched: /sys/kernel/btf, the boot image, and vmlinux of the kernel's "
			  "headers and of its debug package");
}

/* Make K of PATH; the name by which it can be opened, NULL: an error was reported. */
static const char *make(struct debug_cache_file *k, const struct target *t, const char *path,
			struct loc loc)
{
	const char *unpacked = path ? NULL : unpacked_vmlinux(t), *from = path ? path : unpacked;
	struct strbuf elf = {0};
	bool ok = from && btf_to_elf(from, NULL, &elf);

	if (unpacked)
		unlink(unpacked);
	if (!ok) {
		diag_error(
			E_NO_DEBUGINFO, loc,
			"the functions and types of kernel %s are not known: no readable BTF found",
			t->release);
		hint_btf(t);
		return NULL;
	}
	return kernel_cache_write(k, &elf, loc);
}

struct module *module_kernel(struct loc loc)
{
	static ARENA_STATE struct module *known;
	const struct target *t = &target;
	const char *path = kernel_btf_file(t), *file;
	struct debug_cache_file k = debug_cache_find(kernel_file_key(t, path), "kernel");

	if (known)
		return known;
	debug_cache_lock(&k);
	file = kernel_cache_find(&k);
	file = file ? file : make(&k, t, path, loc);
	debug_cache_unlock(&k);
	known = file ? module_get(file, loc) : NULL;
	if (known) {
		known->is_kernel = known->of_btf = true;
		known->path = "kernel";
	}
	return known;
}

bool module_is_kernel(const struct module *m) { return m->is_kernel; }
