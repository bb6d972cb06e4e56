/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel as a module, from its debug package.
 *
 * The package has a vmlinux with DWARF, a program at a fixed address. Run-time addresses are
 * derived from it in two ways: code is an offset from the symbol _stext; data is an offset from a
 * function that the runtime knows, or, if it is per-CPU, from a per-CPU variable.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "kernel_image.h"
#include "base/environment.h"
#include "base/kernel_target.h"

const char *kernel_debug_path(const char *name)
{
	const char *dir = environment_path("USTAP_KERNEL_DEBUG");
	const char *const roots[] = {kernel_root(), "", dir ? dir : ""};

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		const char *path = xprintf("%s/usr/lib/debug/%s", roots[i], name);

		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

const char *kernel_debug_file(const char *release)
{
	const char *boot = kernel_debug_path(xprintf("boot/vmlinux-%s", release));

	return boot ? boot : kernel_debug_path(xprintf("lib/modules/%s/vmlinux", release));
}

/* ----------------------------------------------------- is it of this kernel? */

/* The note of the build-id among the LEN bytes of NOTES. */
static const char *id_among(const char *notes, size_t len)
{
	for (size_t i = 0; i + sizeof(Elf64_Nhdr) <= len;) {
		const Elf64_Nhdr *n = (const Elf64_Nhdr *)(notes + i);
		size_t name = i + sizeof *n, desc = name + ((n->n_namesz + 3) & ~3u);
		struct strbuf sb = {0};

		i = desc + ((n->n_descsz + 3) & ~3u);
		if (i > len || n->n_type != NT_GNU_BUILD_ID || strcmp(notes + name, "GNU"))
			continue;
		for (size_t k = 0; k < n->n_descsz; k++)
			sb_printf(&sb, "%02x", (unsigned char)notes[desc + k]);
		return sb.s;
	}
	return NULL;
}

/* The build-id of the kernel T: from the notes of the running kernel, else from the vmlinux of its
 * headers; NULL: not known. */
static const char *kernel_id(const struct target *t)
{
	char notes[4096];
	int fd = kernel_is_running(t->release) ? open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC)
					       : -1;
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof notes) : 0;
	const char *id = n > 0 ? id_among(notes, (size_t)n) : NULL;

	if (fd >= 0)
		close(fd);
	return id || !t->build ? id : file_build_id(xprintf("%s/vmlinux", t->build));
}

struct module *module_kernel_debug(struct loc loc, bool quiet)
{
	static ARENA_STATE struct module *known;
	static ARENA_STATE bool unfit;
	const struct target *t = kernel_target_get();
	const char *path = known || unfit ? NULL : kernel_debug_file(t->release), *id;

	if (path) {
		known = module_get(path, loc);
		id = kernel_id(t);
		if (known && id && *known->build_id && strcmp(id, known->build_id)) {
			diag_warn(W_DEBUG_FILE, loc,
				  "%s is of another build of the kernel and is ignored", path);
			known = NULL;
			unfit = true;
		}
	}
	if (known && !known->is_kernel) {
		known->is_kernel = true;
		known->path = "kernel";
	}
	if (!known && !quiet) {
		diag_error(E_NO_DEBUGINFO, loc,
			   "this needs the debug information of kernel %s, which is not installed",
			   t->release);
		diag_hint("`apt install %s`; functions by name, parameters and "
			  "tracepoints work without it",
			  kernel_debug_package(t->release));
	}
	return known;
}

const char *kernel_debug_hint(const struct module *m)
{
	if (!m->of_btf || module_kernel_debug((struct loc){0}, true))
		return NULL;
	return xprintf("without the kernel's debug package only parameters and per-CPU variables "
		       "are known: `apt install %s`",
		       kernel_debug_package(kernel_target_get()->release));
}

/* ------------------------------------------------------------ where it is */

struct sought {
	const char *name;
	uint64_t addr;
	bool found;
};

static bool is_sought(const struct elf_symbol *sym, void *arg)
{
	struct sought *s = arg;

	if (sym->bare != strlen(s->name) || memcmp(sym->name, s->name, sym->bare))
		return true;
	s->addr = sym->value;
	s->found = true;
	return false;
}

static bool address_of(struct module *m, const char *name, uint64_t *addr)
{
	static ARENA_STATE struct smap known;
	const char *key = xprintf("%d %s", m->of_btf, name);
	struct sought *s = smap_get(&known, key);

	if (!s) {
		s = xalloc(sizeof *s);
		s->name = name;
		module_symbols(m, is_sought, s);
		smap_put(&known, key, s);
	}
	*addr = s->addr;
	return s->found;
}

/* The text of the kernel is one piece, whose first
 * address is _stext; that of a module are several. */
const char *kernel_place(struct module *m, uint64_t addr, uint64_t *off)
{
	uint64_t base = addr, unused;

	if (m->kernel) {
		const struct function *f = module_function_at(m, addr);

		*off = addr - f->entry;
		return xprintf("%s:%s", m->path, f->linkage);
	}
	module_code(m, &base, &unused);
	*off = addr - base;
	return "_stext";
}

/* Is ADDR that of a variable of which each processor has one? */
static bool is_percpu(struct module *m, uint64_t addr)
{
	size_t strings;

	for (Elf_Scn *scn = NULL;
	     !elf_getshdrstrndx(m->elf, &strings) && (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
							  : NULL;

		if (name && !strcmp(name, ".data..percpu"))
			return addr >= sh.sh_addr && addr - sh.sh_addr < sh.sh_size;
	}
	return false;
}

bool kernel_distance(struct module *m, uint64_t addr, int64_t *distance, bool *percpu)
{
	uint64_t reference;

	*percpu = m->of_btf || is_percpu(m, addr);
	if (m->kernel || !address_of(m, *percpu ? "this_cpu_off" : "register_kprobe", &reference))
		return false;
	*distance = (int64_t)(addr - reference);
	return true;
}
