/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Semaphores of statically defined probe points: 16-bit counters in the data of a program or library, by which
 * it knows that it is probed.  A library's data is mapped after its text, so they may have to wait for that. A forked
 * child has its parent's count in its copy of the data, and is counted out like it.
 */
#include "process.h"

#include <limits.h>

static uint64_t run_time(const struct loaded *l, const struct place *p)
{
	return l->start + (p->offset - l->offset) - p->addr + p->semaphore;
}

static bool is_mapped(const struct process *process, const struct maps *maps, const struct loaded *l,
		      const struct place *p)
{
	uint64_t at = run_time(l, p);
	const struct mapping *m = maps_at(maps, at);

	return m && m->write && !m->shared && m->offset + (at - m->start) == p->sem_offset &&
	       file_is(l->file, process->pid, m);
}

static void add(const struct tracee *t, uint64_t at, int n)
{
	uint16_t count;

	if (!tracee_read(t, at, &count, sizeof count) || (n < 0 ? !count : count == UINT16_MAX))
		return;
	count = (uint16_t)(count + n);
	tracee_write(t, at, &count, sizeof count);
}

/* All or none of a file, as its data is one mapping. */
void semaphores_raise(const struct process *p, const struct tracee *t, const struct maps *m, struct loaded *l)
{
	const struct file *f = l->file;
	bool there = false;

	for (size_t i = 0; i < f->n && !l->counted && !there; i++)
		there = f->places[i].semaphore && is_mapped(p, m, l, &f->places[i]);
	for (size_t i = 0; i < f->n && there; i++)
		if (f->places[i].semaphore)
			add(t, run_time(l, &f->places[i]), 1);
	l->counted |= there;
}

/* Who shares its memory with another is not counted itself. */
void semaphores_drop(const struct process *p, const struct tracee *t, struct loaded *l)
{
	const struct file *f = l->file;

	for (size_t i = 0; i < f->n && l->counted && !p->owner; i++)
		if (f->places[i].semaphore)
			add(t, run_time(l, &f->places[i]), -1);
	l->counted = false;
}
