/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seccomp filters of processes. In most containers each process has those of the container, also
 * the tracer: they permit the calls by which it traces, or refuse them with an error. A program
 * that has added a filter of its own may be killed for such a call.
 *
 * A process has the filters of its parent at the time of fork, and can only add to them. So if a
 * common ancestor of two processes has as many filters as each of them, all three have the same.
 */
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_ANCESTORS = 256 };

/* PID and its ancestors, as far as they can be seen; returns their number. */
static size_t ancestors(pid_t pid, pid_t *to)
{
	size_t n = 0;

	while (pid > 0 && n < MOST_ANCESTORS) {
		to[n++] = pid;
		pid = (pid_t)proc_status(pid, "PPid", 10);
	}
	return n;
}

/* The nearest common ancestor. The ancestors of a process that has entered a container are outside
 * of it, but it has the container's filters: then process 1. */
static pid_t common_ancestor(pid_t a, pid_t b)
{
	pid_t of_a[MOST_ANCESTORS], of_b[MOST_ANCESTORS];
	size_t na = ancestors(a, of_a), nb = ancestors(b, of_b);

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			if (of_a[i] == of_b[j])
				return of_a[i];
	return 1;
}

bool seccomp_is_ours(pid_t pid, pid_t tid)
{
	/* not in /proc before Linux 5.9 */
	long long n = proc_status(tid, "Seccomp_filters", 10);

	return n > 0 && n == proc_status(gettid(), "Seccomp_filters", 10) &&
	       n == proc_status(common_ancestor(pid, getpid()), "Seccomp_filters", 10);
}
