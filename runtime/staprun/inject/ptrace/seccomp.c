/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seccomp filters of processes. In most containers each process has those of the container, also
 * the tracer: they permit the calls by which it traces, or refuse them with an error. A program
 * that has added a filter of its own may be killed for such a call.
 *
 * With CAP_SYS_ADMIN, and no filters of its own, the tracer can read those of a stopped thread.
 * Without: a process has the filters of its parent at the time of fork, and can only add to them.
 * So if a common ancestor of two processes has as many filters as each of them, all three have the
 * same.
 */
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

/* linux/ptrace.h; not in the first C libraries with the call */
enum { GET_FILTER = 0x420c };
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

static bool fetch(const void *from, uint32_t i, struct sock_filter *to)
{
	*to = ((const struct sock_filter *)from)[i];
	return true;
}

static long get_filter(pid_t tid, unsigned long i, struct sock_filter *to)
{
	return ptrace((enum __ptrace_request)GET_FILTER, tid, i, to);
}

/* True if filter I of TID, of N instructions, is harmless. */
static bool is_harmless(pid_t tid, unsigned long i, long n)
{
	struct sock_filter *filter = calloc((size_t)n, sizeof *filter);
	bool harmless = filter && get_filter(tid, i, filter) == n &&
			sandbox_is_harmless(fetch, filter, (uint32_t)n, SECCOMP_ARCH);

	free(filter);
	return harmless;
}

bool seccomp_is_harmless(pid_t tid)
{
	unsigned long i = 0;
	long n;

	while ((n = get_filter(tid, i, NULL)) > 0)
		if (!is_harmless(tid, i++, n))
			return false;
	return i && n < 0 && errno == ENOENT;
}
