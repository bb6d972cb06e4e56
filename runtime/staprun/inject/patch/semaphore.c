/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Semaphores of SDT markers: 16-bit counters in the data of a program or library that enable the
 * marker. A library's data is mapped after its code, so incrementing may have to wait for that. A
 * forked child inherits its parent's count in its copy of the data, and is decremented like it.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>

static uint64_t run_time(const struct loaded *l, const struct place *p)
{
	return l->start + (p->offset - l->offset) - p->addr + p->semaphore;
}

static bool is_mapped(const struct process *process, const struct maps *maps,
		      const struct loaded *l, const struct place *p)
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

/* ------------------------------------------------------- those that gates open */

/* A forked child inherits the semaphores that its parent had incremented: so the process itself
 * records them. */
enum { TURNING = 8 * sizeof((struct ust_process *)0)->semaphores - 1 };

void semaphores_init(struct injector *in)
{
	uint16_t n = 0;

	for (size_t i = 0; i < in->nfiles; i++)
		for (size_t k = 0; k < in->files[i]->n && n < TURNING; k++) {
			struct place *p = &in->files[i]->places[k];

			if (p->semaphore && place_is_gated(p))
				p->turns = ++n;
		}
}

/* Increment or decrement the semaphore unless that is done already. */
static void turn(const struct injector *in, const struct tracee *t, const struct loaded *l,
		 const struct place *p, bool up)
{
	uint64_t at = in->blob->base + offsetof(struct ust_process, semaphores) + p->turns / 8;
	uint8_t bits, bit = (uint8_t)(1 << p->turns % 8);

	if (!tracee_read(t, at, &bits, 1) || !(bits & bit) != up)
		return;
	bits ^= bit;
	add(t, run_time(l, p), up ? 1 : -1);
	tracee_write(t, at, &bits, 1);
}

/* Change all semaphores of a file, whose data is one mapping. */
static void change(const struct injector *in, const struct tracee *t, const struct loaded *l,
		   bool up)
{
	const struct file *f = l->file;

	for (size_t i = 0; i < f->n; i++) {
		const struct place *p = &f->places[i];

		if (p->turns)
			turn(in, t, l, p, up && place_is_open(in, p));
		else if (p->semaphore)
			add(t, run_time(l, p), up ? 1 : -1);
	}
}

void semaphores_turn(const struct injector *in, const struct process *p, const struct tracee *t,
		     const struct loaded *l)
{
	for (size_t i = 0; i < l->file->n && l->counted && !p->owner; i++)
		if (l->file->places[i].turns)
			turn(in, t, l, &l->file->places[i], place_is_open(in, &l->file->places[i]));
}

/* --------------------------------------------------------------------- all */

void semaphores_raise(const struct injector *in, const struct process *p, const struct tracee *t,
		      const struct maps *m, struct loaded *l)
{
	const struct file *f = l->file;
	bool there = false;

	for (size_t i = 0; i < f->n && !l->counted && !there; i++)
		there = f->places[i].semaphore && is_mapped(p, m, l, &f->places[i]);
	if (there) {
		change(in, t, l, true);
		extent_raised(in, p, t, l->start);
	}
	l->counted |= there;
}

/* A process that shares the memory of another one has no count of its own. */
void semaphores_drop(const struct injector *in, const struct process *p, const struct tracee *t,
		     struct loaded *l)
{
	if (l->counted && !p->owner)
		change(in, t, l, false);
	l->counted = false;
}
