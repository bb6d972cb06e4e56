/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of traced processes behind gates: restored while a gate is closed, patched while it is
 * open. */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"

#include <stddef.h>
#include <stdbool.h>
#include <errno.h>
#include <stdlib.h>

/* The patches of L whose gates are open, or closed, by OPEN. */
static struct patches *select_patches(const struct injector *in, const struct loaded *l, bool open)
{
	const struct patches *all = l->patches;
	struct patches *v = xrealloc(NULL, sizeof *v + all->n * sizeof v->v[0]);

	*v = (struct patches){.refs = 1};
	for (size_t i = 0; i < all->n; i++) {
		const struct place *p = all->v[i].gated ? file_find_place(l->file, all->v[i].place)
							: NULL;

		if (p && place_is_open(in, p) == open)
			v->v[v->n++] = all->v[i];
	}
	return v;
}

static void turn_loaded(const struct injector *in, struct tracee *t, const struct loaded *l)
{
	struct patches *open = select_patches(in, l, true), *closed = select_patches(in, l, false);
	struct overwritten o = {0};

	text_restore(t, closed, &o);
	text_move_threads(t, open);
	text_arm(t, open);
	patches_put(open);
	patches_put(closed);
}

/* True if a thread that sleeps would continue in the middle of a jump. */
static bool is_hindered(const struct injector *in, const struct process *p, const struct tracee *t)
{
	bool found = false;

	for (size_t i = 0; i < p->nloaded && tracee_has_sleepers(t) && !found; i++) {
		struct patches *open = select_patches(in, &p->loaded[i], true);

		found = text_holds_sleeper(t, open);
		patches_put(open);
	}
	return found;
}

/* Returns false if the process cannot be changed now. */
static bool turn_process(const struct injector *in, struct process *p)
{
	struct tracee t;
	int err = stop_process(&t, p->pid);

	if (err)
		return err == ESRCH;
	if (is_hindered(in, p, &t)) {
		tracee_release(&t);
		return false;
	}
	for (size_t i = 0; i < p->nloaded; i++) {
		turn_loaded(in, &t, &p->loaded[i]);
		semaphores_turn(in, p, &t, &p->loaded[i]);
	}
	tracee_release(&t);
	return true;
}

static bool has_gated(const struct process *p)
{
	for (size_t i = 0; i < p->nloaded; i++)
		for (size_t k = 0; k < p->loaded[i].patches->n; k++)
			if (p->loaded[i].patches->v[k].gated)
				return true;
	return false;
}

/* Includes forked children that have not sent a request. */
static bool turn_all(struct injector *in)
{
	bool all = true;

	if (in->blob->shared->children)
		fork_children_find(in);
	for (struct process *p = in->processes; p; p = p->next) {
		if (p->ended || !p->injected || !has_gated(p))
			continue;
		if (launches_has(in, p->pid) || !turn_process(in, p))
			all = false;
	}
	return all;
}

void gates_serve(struct injector *in)
{
	if (gates_decide(in))
		gates_settle(in, turn_all(in));
}
