/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hooks: sites that the runtime itself watches, and the files that have them. */
#include "inject/arch/arch.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patched_file.h"
#include "inject/ptrace/ptrace.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct {
	const char *function;
	uint16_t hook;
} hooks[] = {
	{"_dl_debug_state", UST_HOOK_MODULES},
	{"execve", UST_HOOK_EXEC},
	{"execveat", UST_HOOK_FEXEC},
	{"fexecve", UST_HOOK_FEXEC},
	{"vfork", UST_HOOK_VFORK},
	{"clone", UST_HOOK_CLONE},
	{"posix_spawn", UST_HOOK_SPAWN},
	{"posix_spawnp", UST_HOOK_SPAWN},
	{"munmap", UST_HOOK_UNMAP},
	{"mmap", UST_HOOK_UNMAP}, /* over the mappings that were there */
	{"mremap", UST_HOOK_UNMAP},
	{"mprotect", UST_HOOK_UNMAP},
	{"pkey_mprotect", UST_HOOK_UNMAP},
	{"shmdt", UST_HOOK_UNMAP},
	{"brk", UST_HOOK_UNMAP},
	{"sigaction", UST_HOOK_SIGACTION},
	{"signal", UST_HOOK_SIGACTION},
	{"sigset", UST_HOOK_SIGACTION},
	{"longjmp", UST_HOOK_JUMP},
	{"siglongjmp", UST_HOOK_JUMP},
	{"__longjmp_chk", UST_HOOK_JUMP},
	{"prctl", UST_HOOK_PRCTL},
	{"syscall", UST_HOOK_SYSCALL},
	{"dl_iterate_phdr", UST_HOOK_PHDR},
	{"_dl_find_object", UST_HOOK_FIND_OBJECT},
};

/* libc.so.6, libc-2.31.so, libc.so, libc.musl-x86_64.so.1; before version 2.34 libpthread had some
 * of the functions, too. */
static bool is_c_library(const char *path)
{
	static const char *const names[] = {"libc.so", "libc-2.", "libc.musl-", "libpthread.so",
					    "libpthread-2."};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < sizeof names / sizeof *names; i++)
		if (!strncmp(slash + 1, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The dynamic linker is found by its address, which the kernel passes, whatever its name; the
 * mapping at that address need not contain its code. A program without one is static. */
bool hooks_in(const struct maps *maps, const struct mapping *m, uint64_t linker, uint64_t entry)
{
	const struct mapping *first = maps_at(maps, linker ? linker : entry);

	return (first && first->inode == m->inode && !strcmp(first->path, m->path)) ||
	       (linker && is_c_library(m->path));
}

static bool wants(const struct injector *in, uint16_t hook)
{
	return in->returns || (hook != UST_HOOK_PHDR && hook != UST_HOOK_FIND_OBJECT);
}

/* The script probes an entry after its endbr64, and there is no room for two jumps. */
static uint64_t place_for(const struct file *f, uint64_t addr)
{
	const uint8_t *text;
	size_t n = elffile_text(f->elf, addr, &text), pad = n ? landing_pad(text, n) : 0;

	return pad && file_has_place(f, addr + pad) ? addr + pad : addr;
}

static void add(struct file *f, const char *function, uint16_t hook)
{
	uint64_t addr = elffile_function(f->elf, function);
	struct place *p = addr ? file_place(f, place_for(f, addr)) : NULL;

	if (p && !p->hook)
		p->hook = hook;
}

void hooks_add(const struct injector *in, struct file *f)
{
	f->hooked = true;
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (wants(in, hooks[i].hook))
			add(f, hooks[i].function, hooks[i].hook);
}
