/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target kernel, and the cache of the debug information made for it and its modules. */
#ifndef USTAP_DWARF_KERNEL_H
#define USTAP_DWARF_KERNEL_H

#include "dwarf/index/debug_cache.h"
#include "base/diag.h"

struct target {
	const char *release, *build;
};
/* The kernel that kernel_select() selected, never NULL; its fields are NULL before. */
const struct target *kernel_target_get(void);
/* True if RELEASE is the running kernel's, as from uname -r. */
bool kernel_is_running(const char *release);
/* Prefix of the paths of the kernel's packages: those of another machine's kernel may have been
 * unpacked anywhere. */
const char *kernel_root(void);

/* Where NAME, a path below /usr/lib/debug, is; NULL: it is not there. */
const char *kernel_debug_path(const char *name);
/* The vmlinux with debug information of the kernel RELEASE; NULL: it is not installed. */
const char *kernel_debug_file(const char *release);
/* The module's own file, as kmodule_names() has found it, which may be compressed. */
const char *kmodule_file(const char *name);

/* The file with the kernel's BTF that can be read in place; NULL: not found. */
const char *kernel_btf_file(const struct target *t);
/* Key in the cache for PATH of that kernel (NULL: its boot image); NULL: no such file. */
const char *kernel_file_key(const struct target *t, const char *path);
/* Run COMMAND, which unpacks the file FROM, into TO; returns its status. A shell opens both files,
 * but their names are not part of its text. */
int kernel_unpack(const char *command, const char *from, const char *to);
/* Cache ELF as K; returns the name by which it can be opened. NULL: an error was reported. */
const char *kernel_cache_write(struct debug_cache_file *k, const struct strbuf *elf,
			       struct loc loc);
/* The path of K if it is cached and undamaged; NULL: it has to be made. */
const char *kernel_cache_find(const struct debug_cache_file *k);

#endif
