/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process("PATH").function("NAME[@FILE[:LINE]]"), .call, .return: functions of
 * user-space programs and libraries.
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
#include "probe/probe.h"

/* ------------------------------------------------------------ the program */

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

static struct module *find_module(struct session *s, const struct point *pt, bool quiet)
{
	const struct point_comp *c = &pt->comps.v[0];
	const char *path =
	    c->arg ? find_program(c->arg->str.s, c->loc, quiet) : target_program(s, c->loc, quiet);

	if (!path || (quiet && !is_elf(path)))
		return NULL;
	return module_get(path, c->loc);
}

/* -------------------------------------------------------- its functions */

/* "name@file:line" to its parts; false after an error. */
static bool parse_pattern(const struct point_comp *c, struct func_pattern *pat)
{
	const char *text = c->arg->str.s, *at = strchr(text, '@'), *colon;
	char *end;
	long line;

	*pat = (struct func_pattern){.func = at ? xstrndup(text, (size_t)(at - text)) : text};
	if (!*pat->func) {
		diag_error(E_PROBE_POINT, c->arg->loc, "no function is named");
		diag_hint("\"*\" stands for all");
		return false;
	}
	if (!at)
		return true;
	colon = strrchr(at, ':');
	pat->file = xstrndup(at + 1, colon ? (size_t)(colon - at - 1) : strlen(at + 1));
	if (!colon)
		return true;
	line = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end || line <= 0 || line > INT_MAX) {
		diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" is not a line number", colon + 1);
		return false;
	}
	pat->line = (int)line;
	return true;
}

static void no_function(struct module *m, const struct point_comp *c,
			const struct func_pattern *pat)
{
	const char *near = module_inlines(m, pat->func) ? NULL : module_suggest(m, pat);
	const char *guess = near ? xprintf("; did you mean \"%s\"?", near) : "";

	diag_error(E_NO_FUNCTION, c->loc, "no function \"%s\" in %s%s", c->arg->str.s,
		   module_path(m), guess);
	if (pat->file && !module_has_dwarf(m))
		diag_hint("%s has no debug information, so its source files are not known",
			  module_path(m));
	else if (module_inlines(m, pat->func))
		diag_hint("the compiler inlined it everywhere; probes on inlined functions are not "
			  "supported yet");
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	const struct point_comp *c = &pt->comps.v[1];
	int errors = diag_errors();
	struct func_pattern pat;
	function_vec found = {0};
	bool any = false;
	struct module *m;

	if (!parse_pattern(c, &pat))
		return false;
	m = find_module(s, pt, quiet);
	if (!m)
		return false;
	module_functions(m, &pat, &found);
	if (!found.n && !quiet)
		no_function(m, c, &pat);
	for (size_t i = 0; i < found.n; i++)
		any |= target_add_site(s, k, decl, pt, found.v[i], quiet);
	return any && errors == diag_errors();
}

static bool refuse_pid(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		       const struct point *pt, bool quiet)
{
	(void)s, (void)k, (void)decl, (void)quiet;
	diag_error(E_UNSUPPORTED, pt->comps.v[0].loc, "process(PID) is not supported yet");
	diag_hint("use process.%s with -x %" PRId64, pt->comps.v[1].name, pt->comps.v[0].arg->num);
	return false;
}

#define FUNCTION(text, ret)                                                                        \
	{                                                                                          \
		.pattern = text, .has_sites = true, .is_return = ret, .resolve = resolve_function  \
	}
const struct probe_kind probe_processes[] = {
    FUNCTION("process(s).function(s)", false),
    FUNCTION("process(s).function(s).call", false),
    FUNCTION("process(s).function(s).return", true),
    FUNCTION("process.function(s)", false),
    FUNCTION("process.function(s).call", false),
    FUNCTION("process.function(s).return", true),
    {.pattern = "process(n).function(s)", .has_sites = true, .resolve = refuse_pid},
    {0},
};
