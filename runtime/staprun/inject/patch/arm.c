/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming the probe sites of one mapped file: each site gets a trampoline, then the code is patched.
 * Everything is planned before the process is changed.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/arming.h"
#include "inject/patch/gate.h"
#include "inject/patch/patch.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- doing */

static bool in_area(const struct area_plan *area, const struct patch *p)
{
	return p->at - area->start < area->limit;
}

/* Drop the sites of an area that could not be created. */
static void give_up(struct arming *a, const struct area_plan *area, int err)
{
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;

		if (p->way != PATCH_NONE && in_area(area, p)) {
			p->way = PATCH_NONE;
			p->why = strerror(err);
		}
	}
}

static void write_records(struct arming *a)
{
	struct ust_record *r = records_place(&a->areas[0], a->n);

	for (size_t i = 0; i < a->n; i++) {
		const struct place *p = a->v[i].place;

		record_fill(&r[i], &a->v[i].patch);
		r[i].semaphore = p->semaphore ? p->semaphore + a->bias : 0;
		r[i].turns = p->turns;
	}
}

static void commit_areas(struct arming *a)
{
	write_records(a);
	for (size_t i = 0; i < a->nareas; i++) {
		int err = area_commit(a->in, a->process, a->t, &a->areas[i], a->m->start);

		if (err)
			give_up(a, &a->areas[i], err);
	}
}

static void enter_traps(struct arming *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;
		const char *why = "too many breakpoints";

		if (p->way != PATCH_TRAP)
			continue;
		if (traps_ready(a->in, a->process, a->t, a->maps, &why) &&
		    trap_add(a->in, a->t, p)) {
			a->v[i].place->trapped = true;
			a->v[i].place->why = p->why;
		} else {
			p->way = PATCH_NONE;
			p->why = why;
		}
	}
}

static struct patches *collect(const struct arming *a)
{
	struct patches *v = xrealloc(NULL, sizeof *v + a->n * sizeof v->v[0]);

	v->refs = 1;
	v->n = 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].patch.way != PATCH_NONE) {
			a->v[i].patch.place = a->v[i].place->addr;
			a->v[i].patch.gated = place_is_gated(a->v[i].place);
			if (a->v[i].patch.gated)
				gates_armed(a->in);
			v->v[v->n++] = a->v[i].patch;
		}
	return xrealloc(v, sizeof *v + v->n * sizeof v->v[0]);
}

static void note_loaded(struct arming *a, struct patches *v)
{
	struct process *p = a->process;

	p->loaded = xrealloc(p->loaded, (p->nloaded + 1) * sizeof *p->loaded);
	p->loaded[p->nloaded++] = (struct loaded){a->file,      a->m->start, a->m->end,
						  a->m->offset, v,           false};
}

/* ----------------------------------------------------------------- telling */

static void tell_failed(const struct arming *a, const struct target *to)
{
	struct place *p = to->place;

	if (p->told)
		return;
	p->told = true;
	a->in->unplaced += p->n + p->rn;
	if (p->pp && no_warnings)
		return;
	if (p->pp)
		warning("probe %s cannot be armed at offset 0x%llx: %s", p->pp,
			(unsigned long long)p->offset, to->patch.why);
	else
		note("%s: cannot hook offset 0x%llx: %s", a->file->path,
		     (unsigned long long)p->offset, to->patch.why);
}

static void count_armed(struct arming *a, const struct target *to)
{
	if (!to->place->armed)
		a->in->sites += to->place->n + to->place->rn;
	to->place->armed = true;
	a->process->sees_sigaction |= to->place->hook == UST_HOOK_SIGACTION;
}

static void tell_trapped(const struct arming *a, const struct target *to)
{
	note("process %d: %s: breakpoint at offset 0x%llx: %s", (int)a->process->pid, a->file->path,
	     (unsigned long long)to->place->offset, to->patch.why);
}

static void tell(struct arming *a)
{
	unsigned by_way[PATCH_TRAP + 1] = {0};

	for (size_t i = 0; i < a->n; i++) {
		by_way[a->v[i].patch.way]++;
		if (a->v[i].patch.way == PATCH_TRAP)
			tell_trapped(a, &a->v[i]);
		if (a->v[i].patch.way == PATCH_NONE)
			tell_failed(a, &a->v[i]);
		else
			count_armed(a, &a->v[i]);
	}
	note("process %d: %s: %zu probe sites: %u %s, %u %s, %u %s, %u %s, %u %s, %u %s",
	     (int)a->process->pid, a->file->path, a->n, by_way[PATCH_JUMP],
	     patch_way_names[PATCH_JUMP], by_way[PATCH_PADDED], patch_way_names[PATCH_PADDED],
	     by_way[PATCH_PUNNED], patch_way_names[PATCH_PUNNED], by_way[PATCH_SHARED],
	     patch_way_names[PATCH_SHARED], by_way[PATCH_TRAP], patch_way_names[PATCH_TRAP],
	     by_way[PATCH_NONE], patch_way_names[PATCH_NONE]);
}

static void done(struct arming *a)
{
	for (size_t i = 0; i < a->nareas; i++)
		area_free(&a->areas[i]);
	free(a->areas);
	free(a->text);
	free(a->v);
}

static bool prepare(struct arming *a)
{
	const char *why = !arming_read_text(a)  ? "its code cannot be read"
			  : !arming_plan(a) ? "no free address range near its code"
					 : NULL;

	if (why)
		warning("cannot probe %s in process %d: %s", a->file->path, (int)a->process->pid,
			why);
	return !why;
}

static bool text_is_new(const struct arming *a, const struct patch *p)
{
	uint8_t text[PATCH_BYTES];

	return tracee_read(a->t, p->addr, text, p->len) && !memcmp(text, p->new_text, p->len);
}

/* Patches that could not be written are not armed, and withdrawal must not take them for
 * changes of another tracer. */
static void drop_unwritten(struct arming *a, struct patches *v)
{
	v->n = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;

		if (p->way != PATCH_NONE && !text_is_new(a, p)) {
			p->way = PATCH_NONE;
			p->why = "its code could not be written";
		}
		if (p->way != PATCH_NONE)
			v->v[v->n++] = *p;
	}
}

static void arm_all(struct arming *a)
{
	struct patches *v;

	commit_areas(a);
	enter_traps(a);
	v = collect(a);
	text_move_threads(a->t, v);
	if (text_arm(a->t, v))
		drop_unwritten(a, v);
	note_loaded(a, v);
	tell(a);
}

/* Taking over SIGTRAP patches code, possibly bytes that the plan covers. */
static bool takes_over_traps(struct arming *a)
{
	const struct process *p = a->process;
	const char *why;

	if (p->trapping || p->no_traps)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].patch.way == PATCH_TRAP)
			return traps_ready(a->in, a->process, a->t, a->maps, &why);
	return false;
}

static bool plan_anew(struct arming *a)
{
	for (size_t i = 0; i < a->nareas; i++)
		maps_remove(a->maps, a->areas[i].start);
	done(a);
	a->areas = NULL;
	a->text = NULL;
	a->n = a->nareas = 0;
	arming_find_targets(a);
	return prepare(a);
}

void arm_file(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
	      const struct mapping *m, struct file *f)
{
	struct mapping here = *m; /* maps_add() moves them */
	struct arming a = {.in = in, .process = p, .t = t, .maps = maps, .m = &here, .file = f};

	arming_find_targets(&a);
	if (a.n && prepare(&a) && (!takes_over_traps(&a) || plan_anew(&a))) {
		arm_all(&a);
		__atomic_store_n(&in->blob->shared->status.sites,
				 in->sites - gates_count_disarmed(in), __ATOMIC_RELAXED);
	} else {
		a.n = 0;
		note_loaded(&a, collect(&a));
	}
	done(&a);
}
