/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that ran a probed program untraced: one warning for each program at the end of the
 * run. One more if no traced process has mapped a file that the script probes. */
#include "base/message.h"
#include "report/report.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <stdlib.h>
#include <string.h>

struct program {
	char *path;
	pid_t *pids;
	size_t npids;
	struct program *next;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct program *programs;
static struct {
	char *first; /* NULL: some process has mapped one, or the tracer has not looked */
	unsigned n;
} unmapped;

static struct program *find(const char *path)
{
	struct program *p = programs;

	while (p && strcmp(p->path, path))
		p = p->next;
	return p;
}

static bool has(const struct program *p, pid_t pid)
{
	size_t i = 0;

	while (i < p->npids && p->pids[i] != pid)
		i++;
	return i < p->npids;
}

static void add(struct program *p, pid_t pid)
{
	if (has(p, pid))
		return;
	p->pids = xrealloc(p->pids, (p->npids + 1) * sizeof *p->pids);
	p->pids[p->npids++] = pid;
}

void untraced_report_add(pid_t pid, const char *path, size_t len)
{
	char *copy = xstrndup(path, len);
	struct program *p;

	mask_controls(copy, strlen(copy));
	pthread_mutex_lock(&guard);
	p = find(copy);
	if (p) {
		free(copy);
	} else {
		p = xrealloc(NULL, sizeof *p);
		*p = (struct program){.path = copy, .next = programs};
		programs = p;
	}
	add(p, pid);
	pthread_mutex_unlock(&guard);
}

bool untraced_report_warn(bool followed)
{
	pthread_mutex_lock(&guard);
	for (const struct program *p = programs; p; p = p->next)
		warning("%zu process%s ran %s and %s not traced%s", p->npids,
			p->npids == 1 ? "" : "es", p->path, p->npids == 1 ? "was" : "were",
			followed ? "" : ": see --children, -x");
	pthread_mutex_unlock(&guard);
	return !programs;
}

void unmapped_report_set(const char *path, size_t len, unsigned n)
{
	char *copy = xstrndup(path, len);

	mask_controls(copy, strlen(copy));
	pthread_mutex_lock(&guard);
	free(unmapped.first);
	unmapped.first = copy;
	unmapped.n = n;
	pthread_mutex_unlock(&guard);
}

void unmapped_report_warn(void)
{
	pthread_mutex_lock(&guard);
	if (unmapped.first && unmapped.n == 1)
		warning("no traced process mapped the code of %s: its probes had no hits",
			unmapped.first);
	else if (unmapped.first)
		warning("no traced process mapped the code of any of %u probed files, %s among "
			"them: their probes had no hits",
			unmapped.n, unmapped.first);
	if (unmapped.first)
		hint("strace -f -e trace=execve,openat COMMAND shows which files the command "
		     "uses; --children traces its child processes, too");
	pthread_mutex_unlock(&guard);
}
