/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that process("PATH") means.
 *
 * PATH is looked up in $PATH if it has no slash, and then, as all others, from the current
 * directory. process without a path is the program of -c or -x, process(PID) that of process PID. A
 * wildcard is expanded as by a shell, and ** goes into directories as well. With -x a file that the
 * process has mapped is preferred; other paths are those that the process sees, if it is in another
 * mount namespace or below another root.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "process_point.h"
#include "answers.h"
#include "base/trust.h"
#include "base/proc_maps.h"
#include "base/proc_root.h"
#include "base/subprocess.h"
#include "session.h"

static const char *no_file(struct loc loc, bool quiet, const char *path, const char *why)
{
	if (!quiet) {
		diag_error(E_NO_FILE, loc, "no program or library \"%s\": %s", path, why);
		diag_hint("tried %s", strchr(path, '/') ? path
				      : getenv("PATH")  ? getenv("PATH")
							: "an empty $PATH");
	}
	return NULL;
}

/* Prefix of the script's paths, which are those that the target sees. */
static const char *target_root(const struct session *s)
{
	return *sysroot() ? sysroot() : s->opt.pids.n ? process_root(s->opt.pids.v[0]) : "";
}

/* The file that a process of -x has mapped and that NAME stands for; NULL: none. */
static const char *find_mapped(const struct session *s, const char *name)
{
	const char *path = NULL;

	for (size_t i = 0; i < s->opt.pids.n && !path && !*sysroot(); i++)
		path = mapped_by_name(s->opt.pids.v[i], name);
	return path;
}

/* NAME as a process below ROOT sees it. */
static const char *find_below(const char *root, const char *name, struct loc loc, bool quiet)
{
	const char *path = *name == '/' ? path_below(root, name) : NULL, *dirs = getenv("PATH");

	for (size_t n; !path && !strchr(name, '/') && dirs && *dirs; dirs += n + !!dirs[n]) {
		n = strcspn(dirs, ":");
		path = path_below(root, xprintf("%.*s/%s", (int)n, dirs, name));
	}
	if (!path && !strchr(name, '/') && strstr(name, ".so"))
		path = library_find(root, name);
	return path ? path
		    : no_file(loc, quiet, name,
			      xprintf("not found below %s, the target's root", root));
}

/* Hint: the shared library of this machine that has the last part of PATH, a name or a wildcard, as
 * its name. The folders of libraries differ between distributions. */
static void hint_library(const char *path)
{
	const char *slash = strrchr(path, '/'), *found;

	found = slash && strstr(slash, ".so") ? library_find("", slash + 1) : NULL;
	if (!found)
		return;
	if (is_glob(slash))
		diag_hint("the library of this system is %s", found);
	else
		diag_hint("the library of this system is %s, which process(\"%s\") finds", found,
			  slash + 1);
}

/* The file that NAME stands for, absolute and without symbolic links. */
static const char *find_program(const char *root, const char *name, struct loc loc, bool quiet)
{
	const char *found = strchr(name, '/') ? name : find_in_path(name);
	char real[PATH_MAX];

	if (*root && *name && (*name == '/' || !strchr(name, '/')))
		return find_below(root, name, loc, quiet);

	if (!found && !*name)
		return no_file(loc, quiet, name, "the name is empty");
	if (!found && access(name, F_OK) && strstr(name, ".so") && !is_glob(name))
		found = library_find("", name);
	if (!found && access(name, F_OK))
		return no_file(
			loc, quiet, name,
			is_glob(name) ? "a wildcard needs a path with a slash"
			: strstr(name, ".so")
				? "not in $PATH, the current directory, or where the linker looks"
				: "not in $PATH, nor in the current directory");
	if (!found)
		found = name;
	if (!file_answers(found))
		return no_file(loc, quiet, found, "its file system does not answer");
	if (!realpath(found, real)) {
		no_file(loc, quiet, found, strerror(errno));
		if (!quiet)
			hint_library(found);
		return NULL;
	}
	return xstrdup(real);
}

/* First word of a command, as a shell would see a simple one. */
static const char *first_word(const char *cmd)
{
	char quote;

	cmd += strspn(cmd, " \t\n");
	quote = *cmd == '"' || *cmd == '\'' ? *cmd : 0;
	if (quote)
		return xstrndup(cmd + 1, strcspn(cmd + 1, quote == '"' ? "\"" : "'"));
	return xstrndup(cmd, strcspn(cmd, " \t\n;&|<>"));
}

/* The program that process PID runs. */
static const char *program_of(int64_t pid, struct loc loc, bool quiet)
{
	const char *path = process_program(pid);

	return path ? path
		    : no_file(loc, quiet, xprintf("/proc/%" PRId64 "/exe", pid), strerror(errno));
}

/* Path from which a process has mapped the file that ustap opens as PATH. */
static const char *path_when_mapped(const mapped_vec *v, const char *path)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].replaced && !strcmp(v->v[i].path, path))
			return v->v[i].replaced;
	return path;
}

/* True if processes A and B have been started by one path, whose file may have been replaced in
 * between. */
static bool started_alike(int64_t a, int64_t b)
{
	mapped_vec v = {0}, w = {0};
	const char *path = process_program(a), *other = process_program(b);

	mapped_code(a, &v);
	mapped_code(b, &w);
	return path && other && !strcmp(path_when_mapped(&v, path), path_when_mapped(&w, other));
}

/* The one program of all -x; take_mapped() adds its other versions. */
static const char *program_of_all(const struct session *s, struct loc loc, bool quiet)
{
	const char *first = program_of(s->opt.pids.v[0], loc, quiet), *other;

	for (size_t i = 1; first && i < s->opt.pids.n; i++) {
		other = program_of(s->opt.pids.v[i], loc, quiet);
		if (!other)
			return NULL;
		if (strcmp(first, other) && !started_alike(s->opt.pids.v[0], s->opt.pids.v[i])) {
			diag_error(E_PROBE_POINT, loc,
				   "process without a path needs one program, but the processes of "
				   "-x run two");
			diag_hint("they run %s and %s", first, other);
			return NULL;
		}
	}
	return first;
}

/* The program of -c, --follow or -x. */
static const char *target_program(const struct session *s, struct loc loc, bool quiet)
{
	if (s->opt.command)
		return find_program("", first_word(s->opt.command), loc, quiet);
	if (s->opt.follow)
		return find_program("", s->opt.follow, loc, quiet);
	if (s->opt.pids.n)
		return program_of_all(s, loc, quiet);
	if (!quiet) {
		diag_error(E_PROBE_POINT, loc, "process without a path needs a target");
		diag_hint("write process(\"/path/of/program\"), or give -c, -x or --follow");
	}
	return NULL;
}

const char *command_program(const char *cmd)
{
	return find_program("", first_word(cmd), (struct loc){0}, true);
}

/* The file of the component C, a path or a build-id; a path is preferred. */
static const char *named_program(const struct session *s, const struct point_comp *c, bool quiet)
{
	const char *name = c->arg->str.s, *path;

	if (is_build_id(name) && access(name, F_OK) && !find_in_path(name))
		return build_id_file(s, s->opt.command ? command_program(s->opt.command) : NULL,
				     name, c->loc, quiet);
	path = find_mapped(s, name);
	return path ? path : find_program(target_root(s), name, c->loc, quiet);
}

/* Programs are files that may be executed, libraries those named like one. */
static bool is_program(const char *path)
{
	return file_is_elf(path) && (!access(path, X_OK) || strstr(path, ".so"));
}

static const char *pattern; /* with ** for any part of a path */
static name_vec *matching;

static int see_path(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type == FTW_F && glob_match(pattern, path) && is_program(path))
		vec_push(matching, xstrdup(path));
	return 0;
}

/* The files that the wildcard NAME stands for, by name; ** goes through directories. */
static void expand_path(const char *name, name_vec *out)
{
	const char *deep = strstr(name, "**"), *dir;
	glob_t found;

	if (deep) {
		for (dir = deep; dir > name && dir[-1] != '/'; dir--)
			;
		pattern = name;
		matching = out;
		nftw(dir == name ? "." : xstrndup(name, (size_t)(dir - name)), see_path, 16,
		     FTW_PHYS);
		return;
	}
	if (glob(name, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (is_program(found.gl_pathv[i]))
			vec_push(out, xstrdup(found.gl_pathv[i]));
	globfree(&found);
}

static bool is_among(const module_vec *v, const struct module *m)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == m)
			return true;
	return false;
}

/* Remove files of other machines, with a warning; keep the first if all are of other machines. */
static void skip_other_machines(name_vec *paths, const struct point_comp *c, bool quiet)
{
	name_vec own = {0};

	for (size_t i = 0; i < paths->n; i++)
		if (!module_other_machine(paths->v[i]))
			vec_push(&own, paths->v[i]);
	if (!own.n) {
		paths->n = paths->n ? 1 : 0;
		return;
	}
	for (size_t i = 0; i < paths->n && !quiet; i++) {
		const char *machine = module_other_machine(paths->v[i]);

		if (machine)
			diag_warn(W_OTHER_MACHINE, c->loc, "%s is skipped: it is for %s",
				  paths->v[i], machine);
	}
	*paths = own;
}

/* Code that the processes of -x have mapped. */
static mapped_vec target_code(const struct session *s)
{
	mapped_vec v = {0};

	for (size_t i = 0; i < s->opt.pids.n && !*sysroot(); i++)
		mapped_code(s->opt.pids.v[i], &v);
	return v;
}

/* Files that the processes of -x have mapped, by the wildcard NAME: those of a daemon that has
 * changed its root are not below it, deleted ones are nowhere. */
static void expand_mapped(const struct session *s, const char *name, name_vec *out)
{
	bool elsewhere = *target_root(s);
	mapped_vec v = target_code(s);

	for (size_t i = 0; i < v.n; i++) {
		const struct mapped_code *m = &v.v[i];

		if ((m->replaced ? glob_match(name, m->replaced)
				 : elsewhere && glob_match(name, m->path)) &&
		    file_is_elf(m->path))
			vec_push(out, m->path);
	}
}

static bool programs_matching(const struct session *s, const struct point_comp *c, bool quiet,
			      module_vec *out)
{
	const char *root = target_root(s);
	name_vec paths = {0};

	expand_path(*c->arg->str.s == '/' ? xprintf(*root ? "%s/.%s" : "%s%s", root, c->arg->str.s)
					  : c->arg->str.s,
		    &paths);
	expand_mapped(s, c->arg->str.s, &paths);
	skip_other_machines(&paths, c, quiet);
	for (size_t i = 0; i < paths.n; i++) {
		const char *real = path_real(paths.v[i]);
		struct module *m = real ? module_get(real, c->loc) : NULL;

		if (m && !is_among(out, m))
			vec_push(out, m);
	}
	if (!paths.n && !quiet)
		diag_error(E_NO_FILE, c->loc, "no program or library matches \"%s\"",
			   c->arg->str.s);
	if (!out->n && !*root && !quiet)
		hint_library(c->arg->str.s);
	return out->n;
}

static bool programs(struct session *s, const struct point *pt, bool quiet, module_vec *out)
{
	const struct point_comp *c = &pt->comps.v[0];
	const char *path;
	struct module *m;

	if (c->arg && c->arg->kind == N_STR && is_glob(c->arg->str.s) && strchr(c->arg->str.s, '/'))
		return programs_matching(s, c, quiet, out);
	if (!c->arg)
		path = target_program(s, c->loc, quiet);
	else if (c->arg->kind == N_NUM)
		path = program_of(c->arg->num, c->loc, quiet);
	else
		path = named_program(s, c, quiet);
	if (!path || (quiet && !file_is_elf(path)))
		return false;
	m = module_get(path, c->loc);
	if (m)
		vec_push(out, m);
	return m;
}

/* M, and the files that processes have mapped from its path before it was replaced; without M, if
 * no process has mapped that one. */
static void add_mapped(const mapped_vec *v, struct module *m, struct loc loc, module_vec *out)
{
	const char *path = path_when_mapped(v, module_path(m));
	size_t before = out->n;

	for (size_t i = 0; i < v->n; i++) {
		const char *from = v->v[i].replaced ? v->v[i].replaced : v->v[i].path;
		struct module *mapped = strcmp(from, path) ? NULL : module_get(v->v[i].path, loc);

		if (mapped && !is_among(out, mapped))
			vec_push(out, mapped);
	}
	if (out->n == before && !is_among(out, m))
		vec_push(out, m);
}

static bool replaces_any(const mapped_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].replaced)
			return true;
	return false;
}

/* A program that runs on after an upgrade has mapped files that have been replaced at their paths:
 * with -x these are probed. */
static void take_mapped(const struct session *s, struct loc loc, module_vec *modules)
{
	mapped_vec v = target_code(s);
	module_vec named = *modules;

	if (!replaces_any(&v))
		return;
	*modules = (module_vec){0};
	for (size_t i = 0; i < named.n; i++)
		add_mapped(&v, named.v[i], loc, modules);
}

static bool maps_path(const mapped_vec *v, const char *path)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->v[i].path, path))
			return true;
	return false;
}

/* The library that the processes of -x, whose code is V, have mapped by the name of M:
 * LD_LIBRARY_PATH, or an upgrade, may have given them another one than the dynamic linker would
 * find now. Each look-up by name reads all mappings. */
static struct module *mapped_library(const struct session *s, const mapped_vec *v, struct module *m,
				     struct loc loc)
{
	const char *path = maps_path(v, module_path(m)) ? module_path(m)
							: find_mapped(s, module_path(m));

	if (!path)
		path = find_mapped(s, module_soname(m));
	return path ? module_get(path, loc) : m;
}

static bool process_modules(struct session *s, const struct point *pt, bool quiet, module_vec *out)
{
	const struct point_comp *library = point_comp(pt, "library");
	module_vec found = {0};
	mapped_vec v;

	if (!library)
		return programs(s, pt, quiet, out);
	if (!programs(s, pt, quiet, &found))
		return false;
	for (size_t i = 0; i < found.n; i++)
		library_modules(found.v[i], library, quiet, out);
	v = target_code(s);
	for (size_t i = 0; i < out->n && v.n; i++)
		out->v[i] = mapped_library(s, &v, out->v[i], library->loc);
	return out->n;
}

bool point_modules(struct session *s, const struct point *pt, bool quiet, module_vec *out)
{
	bool found;

	if (strcmp(pt->comps.v[0].name, "process"))
		return kernel_debug_modules(pt, quiet, out);
	found = process_modules(s, pt, quiet, out);
	take_mapped(s, pt->comps.v[0].loc, out);
	return found;
}
