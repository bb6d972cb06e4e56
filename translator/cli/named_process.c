/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -x NAME: the process of that name. Several matches are an error that lists them: ustap does
 * not probe a process that was not selected explicitly. The process is held by a pidfd: if it
 * ends while the script is compiled, its number may be another's.
 */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/proc_root.h"
#include "options.h"
#include "passes.h"

enum { LISTED_MOST = 20 };

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* The last component of the program's path; NULL if it cannot be read or does not exist. */
static const char *program_name(int64_t pid)
{
	char path[4096], *slash;
	ssize_t n = readlink(xprintf("/proc/%" PRId64 "/exe", process_thread(pid)), path,
			     sizeof path - 1);

	if (n <= 0)
		return NULL;
	path[unmarked_length(path, (size_t)n)] = 0;
	slash = strrchr(path, '/');
	return xstrdup(slash ? slash + 1 : path);
}

/* As ps(1) and pidof(8) name it: its own name for itself, or its program's. */
static bool has_name(int64_t pid, const char *name)
{
	size_t len;
	char *comm = read_file(xprintf("/proc/%" PRId64 "/comm", pid), &len);
	const char *program;

	if (comm && len && comm[len - 1] == '\n')
		comm[len - 1] = 0;
	if (comm && !strcmp(comm, name))
		return true;
	program = program_name(pid);
	return program && !strcmp(program, name);
}

static int64_t parent_of(int64_t pid)
{
	size_t len;
	char *stat = read_file(xprintf("/proc/%" PRId64 "/stat", pid), &len),
	     *end = stat ? strrchr(stat, ')') : NULL;

	return end && end[1] == ' ' && end[2] ? strtoll(end + 3, NULL, 10) : 0;
}

typedef VEC(int64_t) pid_vec;

static void find_named(const char *name, pid_vec *out)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		int64_t pid = is_number(de->d_name) ? strtoll(de->d_name, NULL, 10) : 0;

		if (pid && pid != getpid() && has_name(pid, name))
			vec_push(out, pid);
	}
	if (dir)
		closedir(dir);
}

static bool is_among(const pid_vec *v, int64_t pid)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == pid)
			return true;
	return false;
}

/* The process that is the parent of all others; 0 if no process is. */
static int64_t common_parent(const pid_vec *v)
{
	int64_t top = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (is_among(v, parent_of(v->v[i])))
			continue;
		if (top)
			return 0;
		top = v->v[i];
	}
	return top;
}

static void report_several(const char *name, const pid_vec *v)
{
	struct strbuf pids = {0};
	int64_t top = common_parent(v);

	for (size_t i = 0; i < v->n && i < LISTED_MOST; i++)
		sb_printf(&pids, "%s%" PRId64, i ? ", " : "", v->v[i]);
	option_error("-x %s: %zu processes have that name: %s%s", name, v->n, pids.s,
		     v->n > LISTED_MOST ? ", ..." : "");
	if (top)
		diag_hint("-x %" PRId64 " --children traces all of them; or give the id of one",
			  top);
	else
		diag_hint("give the id of one");
}

static void hold(struct session *s, const char *name, int64_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, (int)pid, 0);

	if (fd < 0 || !has_name(pid, name)) {
		option_error("-x %s: process %" PRId64 " has just ended", name, pid);
		return;
	}
	vec_push(&s->opt.held, fd);
	vec_push(&s->opt.pids, pid);
}

void set_process(struct session *s, const char *arg)
{
	if (!*arg || is_number(arg) || strchr("-+", *arg))
		vec_push(&s->opt.pids, option_number("-x", arg, 1, INT32_MAX));
	else
		vec_push(&s->opt.process_names, arg);
}

static void find_process(struct session *s, const char *arg)
{
	pid_vec found = {0};

	find_named(arg, &found);
	if (found.n > 1) {
		report_several(arg, &found);
	} else if (found.n) {
		hold(s, arg, found.v[0]);
	} else {
		option_error("-x %s: no process has that name", arg);
		diag_hint("ps -e lists processes; a script's process has the name of its "
			  "interpreter");
	}
}

void find_processes(struct session *s)
{
	for (size_t i = 0; i < s->opt.process_names.n; i++)
		find_process(s, s->opt.process_names.v[i]);
}

bool named_processes_live(const struct session *s)
{
	for (size_t i = 0; i < s->opt.held.n; i++) {
		struct pollfd p = {.fd = s->opt.held.v[i], .events = POLLIN};

		if (poll(&p, 1, 0) > 0) {
			diag_error(E_OPTION, (struct loc){0},
				   "the process of -x exited while the script was being built");
			return false;
		}
	}
	return true;
}
