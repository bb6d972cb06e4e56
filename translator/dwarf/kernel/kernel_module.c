/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules of the kernel.
 *
 * A module's file below /lib/modules has its BTF, which counts on from that of the kernel, and is
 * often compressed. It is converted to a module like others, whose `kernel' has the types that it
 * only declares. Without BTF (kernels before 5.11 have none for modules) only the names of its
 * functions are known.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "btf.h"
#include "dwarf/dwarf.h"
#include "kernel_image.h"
#include "base/trust.h"
#include "base/cache.h"

/* ------------------------------------------------------------- its file */

struct kmodule {
	const char *name, *path;
};
static ARENA_STATE VEC(struct kmodule) files; /* by name */
static ARENA_STATE bool listed;

/* "snd-pcm.ko.xz" is the module snd_pcm; NULL for other files. */
static const char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
		   *dot = strstr(base, ".ko");
	char *name = dot && (!dot[3] || dot[3] == '.') && strcmp(dot, ".ko.debug")
			     ? xstrndup(base, (size_t)(dot - base))
			     : NULL;

	for (char *p = name; p && *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *name = type == FTW_F ? name_of_file(path) : NULL;

	(void)st, (void)where;
	if (name)
		vec_push(&files, ((struct kmodule){name, xstrdup(path)}));
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kmodule *)a)->name, ((const struct kmodule *)b)->name);
}

static void list_files(void)
{
	const char *release = kernel_target_get()->release, *root = kernel_root();
	const char *const dirs[] = {
		xprintf("%s/lib/modules/%s", root, release),
		xprintf("%s/usr/lib/modules/%s", root, release),
		*root ? xprintf("/lib/modules/%s", release) : NULL,
	};

	for (size_t i = 0; i < ARRAY_LEN(dirs) && !files.n; i++)
		if (dirs[i])
			nftw(dirs[i], add_file, 16, FTW_PHYS);
	if (files.n)
		qsort(files.v, files.n, sizeof *files.v, by_name);
	listed = true;
}

void kmodule_names(const char *pattern, name_vec *out)
{
	char *name = xstrdup(pattern);

	for (char *p = name; *p && !is_glob(pattern); p++)
		if (*p == '-')
			*p = '_';
	if (!listed)
		list_files();
	for (size_t i = 0; i < files.n; i++)
		if (is_glob(name) ? glob_match(name, files.v[i].name)
				  : !strcmp(name, files.v[i].name))
			if (!out->n || strcmp(out->v[out->n - 1], files.v[i].name))
				vec_push(out, files.v[i].name);
	if (!out->n && !is_glob(name) && kernel_is_running(kernel_target_get()->release) &&
	    !access(xprintf("/sys/kernel/btf/%s", name), R_OK))
		vec_push(out, name);
}

const char *kmodule_suggest(const char *name)
{
	name_vec names = {0};

	for (size_t i = 0; i < files.n; i++)
		vec_push(&names, files.v[i].name);
	return is_glob(name) ? NULL : nearest(name, names.v, names.n);
}

bool kmodule_is_builtin(const char *name)
{
	const char *release = kernel_target_get()->release;
	size_t len;

	for (int usr = 0; usr < 2; usr++) {
		const char *text = read_file(xprintf("%s%s/lib/modules/%s/modules.builtin",
						     kernel_root(), usr ? "/usr" : "", release),
					     &len);

		for (const char *p = text, *end; p && *p; p = *end ? end + 1 : end) {
			const char *own;

			end = p + strcspn(p, "\n");
			own = name_of_file(xstrndup(p, (size_t)(end - p)));
			if (own && !strcmp(own, name))
				return true;
		}
	}
	return false;
}

const char *kmodule_file(const char *name)
{
	const struct kmodule key = {.name = name};
	const struct kmodule *k = files.n ? bsearch(&key, files.v, files.n, sizeof key, by_name)
					  : NULL;

	return k ? k->path : xprintf("/sys/kernel/btf/%s", name);
}

/* ---------------------------------------------------------- what is in it */

static const struct {
	const char *suffix, *command;
} packed[] = {
	{".xz", "xz -dc"},
	{".zst", "zstd -dcq"},
	{".gz", "gzip -dc"},
};

/* The name of PATH's contents, which may have to be unpacked, into TMP. */
static const char *unpacked(const char *path, const char *tmp)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(packed); i++)
		if (!strcmp(dot, packed[i].suffix))
			return kernel_unpack(packed[i].command, path, tmp) ? NULL : tmp;
	return path;
}

static bool is_code(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static void add_names(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, name_vec *out)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (name && *name && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    is_code(elf, sym.st_shndx) && strncmp(name, "__pfx_", 6))
			vec_push(out, xstrdup(name));
	}
}

/* The functions that the symbols of PATH name. */
static bool names_of(const char *path, name_vec *out)
{
	int fd = open_regular(path);
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	for (Elf_Scn *scn = NULL; elf && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			add_names(elf, scn, &sh, out);
	}
	elf_end(elf);
	close(fd);
	return out->n;
}

static const char *make(struct debug_cache_file *k, const char *name, const char *path,
			struct loc loc)
{
	const char *base = kernel_btf_file(kernel_target_get()),
		   *tmp = cache_path("names", xprintf("%s.%d.tmp", name, (int)getpid()));
	const char *from = tmp ? unpacked(path, tmp) : NULL;
	struct strbuf elf = {0};
	name_vec names = {0};
	bool ok = from && ((base && btf_to_elf(from, base, &elf)) ||
			   (names_of(from, &names) && names_to_elf(&names, &elf)));

	if (tmp)
		unlink(tmp);
	if (ok)
		return kernel_cache_write(k, &elf, loc);
	diag_error(E_NO_DEBUGINFO, loc, "the functions of module %s are not known: cannot read %s",
		   name, path);
	return NULL;
}

struct module *module_kmodule(const char *name, struct loc loc)
{
	static ARENA_STATE struct smap known;
	struct module *m = smap_get(&known, name), *kernel = module_kernel(loc);
	const char *path = kmodule_file(name), *file;
	struct debug_cache_file k;

	if (m || !kernel)
		return m;
	k = debug_cache_find(kernel_file_key(kernel_target_get(), path), "kernel");
	debug_cache_lock(&k);
	file = kernel_cache_find(&k);
	file = file ? file : make(&k, name, path, loc);
	debug_cache_unlock(&k);
	m = file ? module_get(file, loc) : NULL;
	if (!m)
		return NULL;
	m->is_kernel = m->of_btf = true;
	m->kernel = kernel;
	m->path = xstrdup(name);
	smap_put(&known, m->path, m);
	return m;
}

const char *module_kmodule_name(const struct module *m) { return m->kernel ? m->path : NULL; }
