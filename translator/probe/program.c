/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that process("PATH") means.
 *
 * PATH is looked up in $PATH if it has no slash, and then, as all others, from
 * the current directory.  process without a path is the program of -c or -x.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "probe/process.h"

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

/* The file that NAME stands for, absolute and without symbolic links. */
static const char *find_program(const char *name, struct loc loc, bool quiet)
{
	const char *found = strchr(name, '/') ? name : find_in_path(name);
	char real[PATH_MAX];

	if (!found && !*name)
		return no_file(loc, quiet, name, "the name is empty");
	if (!found && access(name, F_OK))
		return no_file(loc, quiet, name,
			       is_glob(name) ? "wildcards in paths are not supported yet"
					     : "not in $PATH, nor in the current directory");
	if (!found)
		found = name;
	if (!realpath(found, real))
		return no_file(loc, quiet, found, strerror(errno));
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
	char *link = xprintf("/proc/%" PRId64 "/exe", pid);
	char exe[PATH_MAX];
	ssize_t n = readlink(link, exe, sizeof exe - 1);

	if (n < 0)
		return no_file(loc, quiet, link, strerror(errno));
	exe[n] = 0;
	return xstrdup(exe);
}

/* The one program of all -x. */
static const char *program_of_all(const struct session *s, struct loc loc, bool quiet)
{
	const char *first = program_of(s->opt.pids.v[0], loc, quiet), *other;

	for (size_t i = 1; first && i < s->opt.pids.n; i++) {
		other = program_of(s->opt.pids.v[i], loc, quiet);
		if (!other)
			return NULL;
		if (strcmp(first, other)) {
			diag_error(E_PROBE_POINT, loc,
				   "process without a path means one program, but -x names processes of two");
			diag_hint("they run %s and %s", first, other);
			return NULL;
		}
	}
	return first;
}

/* The program of -c or -x. */
static const char *target_program(const struct session *s, struct loc loc, bool quiet)
{
	if (s->opt.cmd)
		return find_program(first_word(s->opt.cmd), loc, quiet);
	if (s->opt.pids.n)
		return program_of_all(s, loc, quiet);
	if (!quiet) {
		diag_error(E_PROBE_POINT, loc, "process without a path needs a target");
		diag_hint("write process(\"/path/of/program\"), or give -c COMMAND or -x PID");
	}
	return NULL;
}

/* What is marked ? may name any file, and no error shall come of it. */
static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "re");
	bool elf =
	    f && fread(magic, 1, sizeof magic, f) == sizeof magic && !memcmp(magic, "\177ELF", 4);

	if (f)
		fclose(f);
	return elf;
}

static bool refuse_pid(const struct point *pt)
{
	const struct point_comp *c = &pt->comps.v[0];

	diag_error(E_UNSUPPORTED, c->loc, "process(PID) is not supported yet");
	diag_hint("use process.%s with -x %" PRId64, pt->comps.v[1].name, c->arg->num);
	return false;
}

bool point_modules(struct session *s, const struct point *pt, bool quiet, module_vec *out)
{
	const struct point_comp *c = &pt->comps.v[0];
	const char *path;
	struct module *m;

	if (c->arg && c->arg->kind == N_NUM)
		return refuse_pid(pt);
	path = c->arg ? find_program(c->arg->str.s, c->loc, quiet) : target_program(s, c->loc, quiet);
	if (!path || (quiet && !is_elf(path)))
		return false;
	m = module_get(path, c->loc);
	if (m)
		vec_push(out, m);
	return m;
}
