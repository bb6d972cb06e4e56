/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission of processes to the script's memory, by their credentials and by those of the processes
 * that have it, forked children among them.
 */
#include "inject/injector.h"
#include "inject/process/process.h"
#include "base/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process other than PID that shares the memory and has privileges that C lacks. */
static const struct process *find_above(struct injector *in, const struct credentials *c, pid_t pid)
{
	fork_children_find(in);
	for (const struct process *q = in->processes; q; q = q->next) {
		struct credentials have;

		if (q->pid == pid || !process_has_script_memory(q))
			continue;
		have = credentials_of(q->pid);
		if (have.known && !credentials_within(&have, c))
			return q;
	}
	return NULL;
}

/* OTHER: the process with more privileges; 0: P itself has them. */
static bool refuse(const struct process *p, pid_t other)
{
	if (other)
		warning("process %d is not traced: it has fewer privileges than process %d, with "
			"which it would share the script's memory",
			(int)p->pid, (int)other);
	else
		warning("process %d is not traced: it has more privileges than another process "
			"that shares the script's memory",
			(int)p->pid);
	return hint(
		"trace the processes of each user in a run of their own, or use --runtime=kernel");
}

bool admission_check(struct injector *in, const struct process *p)
{
	struct credentials c = credentials_of(p->pid);
	const struct process *above;

	if (!c.known)
		return true; /* it has ended: the next step fails */
	if (in->floor && credentials_equal(in->floor, &c))
		return true;
	if (in->floor && !credentials_within(&c, in->floor))
		return refuse(p, 0);
	above = in->floor ? find_above(in, &c, p->pid) : NULL;
	if (above)
		return refuse(p, above->pid);
	if (!in->floor)
		in->floor = xrealloc(NULL, sizeof *in->floor);
	*in->floor = c;
	return true;
}
