/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules of the kernel, from its debug package.
 *
 * The package has them as the kernel loads them: not linked, with debug information full of
 * relocations. The linker makes a program at a fixed address of each, which is cached. Its section
 * addresses are unrelated to those in the kernel, but a function is in one piece: an address is
 * translated to an offset from the symbol of its function.
 */
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "kernel_image.h"
#include "base/cache.h"
#include "base/kernel_target.h"
#include "base/subprocess.h"

/* "kernel/fs/ext4/ext4.ko" of "/lib/modules/RELEASE/kernel/fs/ext4/ext4.ko.xz". */
static const char *path_in_tree(const char *path)
{
	const char *dir = xprintf("/lib/modules/%s/", kernel_target_get()->release),
		   *at = strstr(path, dir), *end;

	at = at ? at + strlen(dir) : NULL;
	end = at ? strstr(at, ".ko") : NULL;
	return end ? xstrndup(at, (size_t)(end + 3 - at)) : NULL;
}

static const char *debug_file(const char *name)
{
	const char *own = kmodule_file(name), *in_tree = path_in_tree(own),
		   *release = kernel_target_get()->release, *path;

	if (!in_tree)
		return NULL;
	path = kernel_debug_path(xprintf("lib/modules/%s/%s", release, in_tree));
	if (!path)
		path = kernel_debug_path(xprintf("usr/lib/modules/%s/%s", release, in_tree));
	return path ? path
		    : kernel_debug_path(xprintf("lib/modules/%s/%s.debug", release, in_tree));
}

static const char *linked(struct debug_cache_file *k, const char *path, struct loc loc)
{
	const char *tmp = cache_path("names", xprintf("module.%d.tmp", (int)getpid()));
	const char *const argv[] = {"ld", "-e", "0",  "--unresolved-symbols=ignore-all",
				    "-o", tmp,  path, NULL};
	struct strbuf elf = {0};
	size_t len;
	const char *text = tmp && !run_command(argv, NULL, "/dev/null") ? read_file(tmp, &len)
									: NULL;

	if (tmp)
		unlink(tmp);
	if (!text) {
		diag_error(E_BAD_ELF, loc, "%s cannot be linked", path);
		return NULL;
	}
	sb_addn(&elf, text, len);
	return kernel_cache_write(k, &elf, loc);
}

/* Is the debug information of PATH that of the module's own file?  One that is compressed does not
 * say. */
static bool fits(const char *path, const char *own, struct loc loc)
{
	const char *a = file_build_id(path), *b = file_build_id(own);

	if (!a || !b || !strcmp(a, b))
		return true;
	diag_warn(W_DEBUG_FILE, loc, "%s is of another build of the kernel and is ignored", path);
	return false;
}

static struct module *open_module(const char *name, const char *path, struct loc loc)
{
	struct debug_cache_file k = debug_cache_find(kernel_file_key(kernel_target_get(), path),
						     "module");
	const char *file;
	struct module *m;

	debug_cache_lock(&k);
	file = kernel_cache_find(&k);
	file = file ? file : linked(&k, path, loc);
	debug_cache_unlock(&k);
	m = file ? module_get(file, loc) : NULL;
	if (m) {
		m->is_kernel = true;
		m->kernel = module_kernel(loc);
		m->path = xstrdup(name);
	}
	return m;
}

struct module *module_kmodule_debug(const char *name, struct loc loc, bool quiet)
{
	static ARENA_STATE struct smap known;
	struct module *m = smap_get(&known, name);
	const char *path = m ? NULL : debug_file(name);

	if (path && fits(path, kmodule_file(name), loc)) {
		m = open_module(name, path, loc);
		if (m)
			smap_put(&known, m->path, m);
	} else if (!m && !quiet) {
		diag_error(E_NO_DEBUGINFO, loc,
			   "this needs the debug information of module %s of kernel %s, which is "
			   "not installed",
			   name, kernel_target_get()->release);
		diag_hint("`apt install %s`; functions by name, parameters and "
			  "tracepoints work without it",
			  kernel_debug_package(kernel_target_get()->release));
	}
	return m;
}
