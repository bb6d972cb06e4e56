/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that ran a probed program untraced: one warning for each program at the end of the
 * run. */
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
