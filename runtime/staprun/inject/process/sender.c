/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Senders of requests. A process knows only its id in its own pid namespace, and processes of
 * several namespaces can have the same one. So a request contains ust_local.unique, too, which is
 * read again in the memory of each process that has this id.
 */
#include "inject/injector.h"
#include "inject/process/process.h"
#include "inject/process/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct search {
	pid_t inside;
	uint64_t unique;
	pid_t found, unreadable; /* or 0 */
};

/* True at the end of the search. PID has the id that is searched for. */
static bool look_at(struct injector *in, pid_t pid, struct search *s)
{
	uint64_t unique;

	if (!process_unique(in, pid, &unique))
		s->unreadable = pid;
	else if (unique == s->unique)
		s->found = pid;
	return s->found;
}

static bool look_at_child(struct injector *in, pid_t pid, void *arg)
{
	struct search *s = arg;

	return pid_inside(pid) == s->inside && look_at(in, pid, s);
}

static void search_known(struct injector *in, struct search *s)
{
	struct process *next;

	for (struct process *p = in->processes; p && !s->found; p = next) {
		next = p->next;
		if (p->ended || p->pid_inside != s->inside)
			continue;
		if (process_ended(p))
			process_note_exit(in, p);
		else
			look_at(in, p->pid, s);
	}
}

pid_t sender_find(struct injector *in, pid_t inside, uint64_t unique)
{
	struct search s = {.inside = inside, .unique = unique};

	if (inside <= 0)
		return 0;
	search_known(in, &s);
	/* a forked child; it nearly always has the same id in both namespaces */
	if (!s.found && !fork_child_is_own(in, inside) && !process_find(in, inside) &&
	    fork_child_maps_text(in->blob, inside))
		look_at_child(in, inside, &s);
	if (!s.found)
		fork_children_visit(in, look_at_child, &s);
	return s.found ? s.found : s.unreadable;
}
