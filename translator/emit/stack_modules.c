/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules whose names and frames backtraces can meet: probed ones, those of -c, -x, -d and
 * --children, and their libraries. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc_maps.h"
#include "base/trust.h"
#include "probe/process_point.h"
#include "base/subprocess.h"
#include "stackmap.h"
#include "session.h"

/* -d FILE, and what FILE needs. */
static void add_named(const struct session *s, name_vec *out)
{
	for (size_t i = 0; i < s->opt.symbols.n; i++) {
		const char *name = s->opt.symbols.v[i],
			   *path = strchr(name, '/') ? name : find_in_path(name);
		char *real = path ? realpath(path, NULL) : NULL;
		struct module *m = real ? module_get(xstrdup(real), (struct loc){0}) : NULL;

		if (!real) {
			diag_error(E_NO_FILE, (struct loc){0},
				   "-d %s: this program or library was not found", name);
			diag_hint("give the path of a file, or the name of a program in $PATH");
		}
		free(real);
		if (m) {
			vec_push(out, module_path(m));
			module_libraries(m, out);
		}
	}
}

/* Add the programs and libraries that process PID has mapped as code. Other files have no names:
 * huge pages to which a program has moved its code, code made by a compiler at run time, programs
 * for other systems. */
static void add_mapped(int64_t pid, name_vec *out)
{
	mapped_vec v = {0};

	mapped_code(pid, &v);
	for (size_t i = 0; i < v.n; i++)
		if ((!i || v.v[i].path != v.v[i - 1].path) && module_is_possible(v.v[i].path))
			vec_push(out, v.v[i].path);
}

/* The program of -c, if it is one and no script. */
static void add_command(const struct session *s, name_vec *out)
{
	const char *path = s->opt.command ? command_program(s->opt.command) : NULL;
	struct module *m = path && file_is_elf(path) ? module_get(path, (struct loc){0}) : NULL;

	if (m) {
		vec_push(out, module_path(m));
		module_libraries(m, out);
	}
}

/* ----------------------------------------------------------------- --children */

/* Shells, and programs like env and timeout, learn from words of the command what to run.  A word
 * that means something else costs a stack map that nothing uses; a program that is found in no word
 * is known by its exported symbols. */
enum { MOST_WORDS = 64, MOST_PROCESSES = 1000 };

static void add_words(const char *command, name_vec *out)
{
	static const char separators[] = " \t\n\"'`;|&()<>{}$=";
	size_t n;

	for (int i = 0; *(command += strspn(command, separators)) && i < MOST_WORDS;
	     command += n, i++) {
		n = strcspn(command, separators);
		const char *word = xstrndup(command, n),
			   *path = strchr(word, '/') ? word : find_in_path(word);
		char *real = path ? realpath(path, NULL) : NULL;
		struct module *m = real && module_is_possible(real)
					   ? module_get(xstrdup(real), (struct loc){0})
					   : NULL;

		free(real);
		if (m) {
			vec_push(out, module_path(m));
			module_libraries(m, out);
		}
	}
}

typedef VEC(int64_t) pid_vec;

/* The children that thread TID of process PID has started. */
static void add_children(int64_t pid, const char *tid, pid_vec *out)
{
	FILE *f = fopen(xprintf("/proc/%lld/task/%s/children", (long long)pid, tid), "re");
	long long child;

	while (f && out->n < MOST_PROCESSES && fscanf(f, "%lld", &child) == 1)
		vec_push(out, child);
	if (f)
		fclose(f);
}

/* The descendants of process PID that run now. */
static void descendants(int64_t pid, pid_vec *out)
{
	size_t next = out->n;

	for (;; pid = out->v[next++]) {
		DIR *d = opendir(xprintf("/proc/%lld/task", (long long)pid));

		for (struct dirent *e; d && (e = readdir(d));)
			if (*e->d_name != '.')
				add_children(pid, e->d_name, out);
		if (d)
			closedir(d);
		if (next >= out->n)
			return;
	}
}

static void add_descendants(const struct session *s, name_vec *out)
{
	pid_vec pids = {0};

	if (s->opt.command)
		add_words(s->opt.command, out);
	for (size_t i = 0; i < s->opt.pids.n; i++)
		descendants(s->opt.pids.v[i], &pids);
	for (size_t i = 0; i < pids.n; i++)
		add_mapped(pids.v[i], out);
}

void stack_modules(struct session *s, name_vec *out)
{
	struct smap seen = {0};

	add_named(s, out);
	add_command(s, out);
	for (size_t i = 0; i < s->opt.pids.n; i++)
		add_mapped(s->opt.pids.v[i], out);
	if (s->opt.children)
		add_descendants(s, out);

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		for (size_t j = 0; j < p->sites.n; j++) {
			struct module *m = p->sites.v[j].mod;

			if (p->sites.v[j].symbol)
				continue;
			if (!smap_get(&seen, module_path(m))) {
				smap_put(&seen, module_path(m), m);
				module_libraries(m, out);
			}
		}
	}
}
