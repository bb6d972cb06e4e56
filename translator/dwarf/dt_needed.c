/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that a module needs, found as the dynamic linker finds them: ld.so(8). */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf.h"
#include "base/proc_root.h"
#include "arch/arch.h"

struct needs {
	name_vec names;
	const char *runpath, *soname;
};

/* The dynamic section's DT_NEEDED, DT_SONAME, DT_RUNPATH and DT_RPATH. */
static void read_dynamic(struct module *m, struct needs *out)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC ||
		    !(d = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; (size_t)i < d->d_size / sizeof(Elf64_Dyn); i++) {
			GElf_Dyn dyn;
			const char *text;

			if (!gelf_getdyn(d, i, &dyn))
				break;
			text = elf_strptr(m->elf, sh.sh_link, dyn.d_un.d_val);
			if (dyn.d_tag == DT_NEEDED && text)
				vec_push(&out->names, xstrdup(text));
			else if ((dyn.d_tag == DT_RUNPATH ||
				  (dyn.d_tag == DT_RPATH && !out->runpath)) &&
				 text)
				out->runpath = xstrdup(text);
			else if (dyn.d_tag == DT_SONAME && text)
				out->soname = xstrdup(text);
		}
	}
}

/* LIST's directories, separated by colons or newlines, with $ORIGIN put in. */
static void add_directories(const char *list, const char *origin, name_vec *out)
{
	for (size_t n; *list; list += n + !!list[n]) {
		n = strcspn(list, ":\n");
		const char *dir = xstrndup(list, n), *at = strstr(dir, "$ORIGIN"),
			   *braces = strstr(dir, "${ORIGIN}");

		if (braces)
			dir = xprintf("%.*s%s%s", (int)(braces - dir), dir, origin,
				      braces + strlen("${ORIGIN}"));
		else if (at)
			dir = xprintf("%.*s%s%s", (int)(at - dir), dir, origin,
				      at + strlen("$ORIGIN"));
		if (*dir == '/')
			vec_push(out, dir);
	}
}

/* Library folders below ROOT: those in the files of /etc/ld.so.conf.d, which /etc/ld.so.conf
 * includes on a Debian system, then the default ones. */
static const name_vec *system_directories(const char *root)
{
	static ARENA_STATE name_vec dirs;
	static ARENA_STATE const char *of;
	glob_t found;

	if (of && !strcmp(of, root))
		return &dirs;
	of = root;
	dirs = (name_vec){0};
	if (!glob(xprintf("%s/etc/ld.so.conf.d/*.conf", root), 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			char *text = read_file(found.gl_pathv[i], NULL);

			if (text)
				add_directories(text, "", &dirs);
		}
		globfree(&found);
	}
	add_directories(xprintf("/lib/%s:/usr/lib/%s:/lib64:/usr/lib64:/lib:/usr/lib",
				arch_target()->triplet, arch_target()->triplet),
			"", &dirs);
	return &dirs;
}

/* The first file that the wildcard NAME stands for in DIRS and that this ustap can trace. */
static const char *find_matching(const name_vec *dirs, const char *name)
{
	const char *path = NULL;
	glob_t found;

	for (size_t i = 0; !path && i < dirs->n; i++) {
		if (glob(xprintf("%s/%s", dirs->v[i], name), 0, NULL, &found))
			continue;
		for (size_t k = 0; !path && k < found.gl_pathc; k++)
			if (module_is_possible(found.gl_pathv[k]))
				path = xstrdup(found.gl_pathv[k]);
		globfree(&found);
	}
	return path;
}

/* Below ROOT, where directories may be links. */
static const char *find_in(const char *root, const name_vec *dirs, const char *name)
{
	for (size_t i = 0; i < dirs->n; i++) {
		const char *path = xprintf("%s/%s", dirs->v[i], name);

		path = *root ? path_below(root, path) : path;
		if (path && !access(path, R_OK))
			return path;
	}
	return NULL;
}

static const char *find_library(const struct module *m, const struct needs *needs, const char *name)
{
	const char *slash = strrchr(m->path, '/'), *env = getenv("LD_LIBRARY_PATH"), *path;
	const char *root = path_root(m->path), *origin;
	size_t skip = strncmp(m->path, root, strlen(root)) ? 0 : strlen(root);
	name_vec own = {0};

	origin = xstrndup(m->path + skip, slash ? (size_t)(slash - m->path) - skip : 0);
	if (strchr(name, '/'))
		return *root ? path_below(root, name) : access(name, R_OK) ? NULL : name;
	if (env && !*root)
		add_directories(env, origin, &own);
	if (needs->runpath)
		add_directories(needs->runpath, origin, &own);
	path = find_in(root, &own, name);
	return path ? path : find_in(root, system_directories(root), name);
}

const char *library_find(const char *root, const char *name)
{
	const char *env = getenv("LD_LIBRARY_PATH"), *path;
	name_vec own = {0};

	if (env && !*root)
		add_directories(env, "", &own);
	if (is_glob(name)) {
		path = find_matching(&own, name);
		return path ? path : find_matching(system_directories(root), name);
	}
	path = find_in(root, &own, name);
	return path ? path : find_in(root, system_directories(root), name);
}

static bool is_known(const name_vec *v, const char *path)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->v[i], path))
			return true;
	return false;
}

static void add_needed(struct module *m, name_vec *out)
{
	struct needs needs = {0};

	read_dynamic(m, &needs);
	for (size_t i = 0; i < needs.names.n; i++) {
		const char *path = find_library(m, &needs, needs.names.v[i]);
		const char *real = path ? path_real(path) : NULL;

		if (real && !is_known(out, real))
			vec_push(out, real);
	}
}

const char *module_soname(struct module *m)
{
	struct needs needs = {0};

	read_dynamic(m, &needs);
	return needs.soname ? needs.soname : "";
}

bool module_uses_musl(struct module *m)
{
	struct needs needs = {0};

	read_dynamic(m, &needs);
	for (size_t i = 0; i < needs.names.n; i++)
		if (!strcmp(needs.names.v[i], "libc.so") ||
		    !strncmp(needs.names.v[i], "libc.musl", 9))
			return true;
	return false;
}

const char *module_find_library(struct module *m, const char *name)
{
	struct needs needs = {0};
	const char *path;

	read_dynamic(m, &needs);
	path = find_library(m, &needs, name);
	return path ? path_real(path) : NULL;
}

void module_libraries(struct module *m, name_vec *out)
{
	size_t next = out->n;

	add_needed(m, out);
	for (; next < out->n; next++) {
		struct module *lib = module_get(out->v[next], (struct loc){0});

		if (lib)
			add_needed(lib, out);
	}
}
