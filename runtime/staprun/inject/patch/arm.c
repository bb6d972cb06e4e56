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
#include "inject/patch/addresses.h"
#include "inject/patch/goroutines.h"
#include "inject/patch/patch.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/memory_room.h"
#include "base/message.h"
#include "base/page.h"
#include "base/proc_stat.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- doing */

static bool in_area(const struct area_plan *area, const struct patch *p)
{
	return p->at - area->start < area->limit;
}

static void drop(struct patch *p, const char *why)
{
	p->way = PATCH_NONE;
	p->why = why;
}

static void drop_all(struct target *v, size_t n)
{
	const char *why = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].patch.way == PATCH_NONE)
			why = v[i].patch.why;
	for (size_t i = 0; why && i < n; i++)
		if (v[i].patch.way != PATCH_NONE)
			drop(&v[i].patch, why);
}

/* Joined patches are armed together. */
static void drop_joined(struct arming *a)
{
	for (size_t i = 0, n; i < a->n; i += n) {
		for (n = 1; i + n < a->n && a->v[i + n].patch.joined; n++)
			;
		if (n > 1)
			drop_all(&a->v[i], n);
	}
}

/* Drop the sites of an area that could not be created. */
static void give_up(struct arming *a, const struct area_plan *area, int err)
{
	a->dropped = true;
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;

		if (p->way != PATCH_NONE && in_area(area, p))
			drop(p, strerror(err));
	}
	drop_joined(a);
}

static void commit_areas(struct arming *a)
{
	for (size_t i = 0; i < a->nareas; i++) {
		int err = area_commit(a->in, a->process, a->t, &a->areas[i], a->m->start);

		if (err)
			give_up(a, &a->areas[i], err);
	}
}

static void enter_traps(struct arming *a)
{
	for (size_t i = 0; a->trapped && i < a->n; i++) {
		struct patch *p = &a->v[i].patch;
		const char *why = "too many breakpoints";

		if (p->way != PATCH_TRAP)
			continue;
		if (traps_ready(a->in, a->process, a->t, a->maps, &why) &&
		    trap_add(a->in, a->t, p)) {
			a->v[i].place->trapped = true;
			a->v[i].place->why = p->why;
		} else {
			drop(p, why);
			a->dropped = true;
		}
	}
}

/* The patches may be those of forked children, too, from then on. */
static void note_loaded(struct arming *a)
{
	struct process *p = a->process;
	struct patches *v = a->patches;

	if (!v)
		v = xrealloc(NULL, sizeof *v), *v = (struct patches){.refs = 1};
	a->patches = NULL;

	p->loaded = xrealloc(p->loaded, (p->nloaded + 1) * sizeof *p->loaded);
	p->loaded[p->nloaded++] = (struct loaded){a->file,      a->m->start, a->m->end,
						  a->m->offset, v,           false};
}

/* ----------------------------------------------------------------- telling */

/* Warnings for one reason and file; further sites are only counted, as a wildcard can have many. */
enum { TOLD_EACH = 5, REASONS = 16 };

struct reasons {
	struct {
		const char *why;
		size_t n;
	} v[REASONS];
	size_t n;
};

/* Returns the number of sites, with this one, that are not armed for the reason WHY. Beyond REASONS
 * it is that of the last one. */
static size_t count_reason(struct reasons *r, const char *why)
{
	size_t i = 0;

	while (i < r->n && strcmp(r->v[i].why, why) != 0)
		i++;
	if (i == REASONS)
		i--;
	if (i == r->n) {
		r->v[i].why = why;
		r->v[i].n = 0;
		r->n++;
	}
	return ++r->v[i].n;
}

/* Count the sites of P as not armed in some process; false if they are counted. */
static bool count_unarmed(const struct arming *a, struct place *p)
{
	if (p->told)
		return false;
	p->told = true;
	a->in->unplaced += p->n + p->rn;
	return true;
}

static void tell_failed(const struct arming *a, const struct target *to, struct reasons *r)
{
	struct place *p = to->place;

	if (!count_unarmed(a, p))
		return;
	if (p->pp && (no_warnings || count_reason(r, to->patch.why) > TOLD_EACH))
		return;
	if (p->pp)
		warning("probe %s cannot be armed at offset 0x%llx: %s", p->pp,
			(unsigned long long)p->offset, to->patch.why);
	else
		note("%s: cannot hook offset 0x%llx: %s", a->file->path,
		     (unsigned long long)p->offset, to->patch.why);
}

static void tell_rest(const struct arming *a, const struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t more = r->v[i].n > TOLD_EACH ? r->v[i].n - TOLD_EACH : 0;

		if (more)
			warning("%zu more probe site%s of %s cannot be armed: %s", more,
				more == 1 ? "" : "s", a->file->path, r->v[i].why);
	}
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
	struct reasons reasons = {.n = 0};

	for (size_t i = 0; i < a->n; i++) {
		by_way[a->v[i].patch.way]++;
		if (a->v[i].patch.way == PATCH_TRAP)
			tell_trapped(a, &a->v[i]);
		if (a->v[i].patch.way == PATCH_NONE)
			tell_failed(a, &a->v[i], &reasons);
		else
			count_armed(a, &a->v[i]);
	}
	tell_rest(a, &reasons);
	note("process %d: %s: %zu probe sites: %u %s, %u %s, %u %s, %u %s, %u %s, %u %s, %u %s",
	     (int)a->process->pid, a->file->path, a->n, by_way[PATCH_JUMP],
	     patch_way_names[PATCH_JUMP], by_way[PATCH_PADDED], patch_way_names[PATCH_PADDED],
	     by_way[PATCH_PUNNED], patch_way_names[PATCH_PUNNED], by_way[PATCH_EARLY],
	     patch_way_names[PATCH_EARLY], by_way[PATCH_SHARED], patch_way_names[PATCH_SHARED],
	     by_way[PATCH_TRAP], patch_way_names[PATCH_TRAP], by_way[PATCH_NONE],
	     patch_way_names[PATCH_NONE]);
}

static bool text_is_new(const struct arming *a, const struct patch *p)
{
	uint8_t text[PATCH_BYTES];

	return tracee_read(a->t, p->addr, text, p->len) && !memcmp(text, p->new_text, p->len);
}

/* Patches that could not be written are not armed, and withdrawal must not take them for
 * changes of another tracer. */
static void drop_unwritten(struct arming *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;

		if (p->way != PATCH_NONE && !text_is_new(a, p))
			drop(p, "its code could not be written");
	}
	arming_collect(a);
}

static void arm_all(struct arming *a)
{
	size_t others;

	commit_areas(a);
	enter_traps(a);
	a->process->looks_up |= a->file->looks_up;
	if (a->dropped)
		arming_collect(a);
	if (a->gated)
		gates_armed(a->in);
	text_move_threads(a->t, a->patches);
	others = text_arm(a->t, a->patches);
	if (others)
		drop_unwritten(a);
	note_loaded(a);
	/* in a process that is being killed nothing can be written */
	if (!others || !pid_ends_soon(a->process->pid, a->process->pidfd))
		tell(a);
}

/* ----------------------------------------------------------- plans made ahead */

static bool is_plan_of(const struct arming *a, const struct file *f, const struct mapping *m)
{
	return a->file == f && a->places == f->places && a->nplaces == f->n &&
	       a->here.start == m->start && a->here.end == m->end && a->here.offset == m->offset;
}

/* Take the plan for F at M out of P's list; NULL if not found. */
static struct arming *take_plan(struct process *p, const struct file *f, const struct mapping *m)
{
	struct arming **at = &p->plans, *a;

	while (*at && !is_plan_of(*at, f, m))
		at = &(*at)->next;
	a = *at;
	if (a)
		*at = a->next;
	return a;
}

static void keep_plan(struct process *p, struct arming *a)
{
	struct arming **at = &p->plans;

	while (*at)
		at = &(*at)->next;
	*at = a;
	a->next = NULL;
}

static void free_plan(struct arming *a)
{
	arming_reset(a);
	free(a->busy.bits);
	free(a);
}

void plans_drop_files(struct process *p)
{
	for (struct arming **at = &p->plans, *a; (a = *at);)
		if (a->file->watches_signals) {
			at = &a->next;
		} else {
			*at = a->next;
			free_plan(a);
		}
}

static void retire(struct arming *a)
{
	a->next = a->process->spent;
	a->process->spent = a;
}

void plans_retire(struct process *p)
{
	for (struct arming *a; (a = p->plans);) {
		p->plans = a->next;
		retire(a);
	}
}

void plans_free(struct process *p)
{
	plans_retire(p);
	for (struct arming *a; (a = p->spent);) {
		p->spent = a->next;
		free_plan(a);
	}
}

static bool areas_are_free(const struct arming *a, const struct maps *maps)
{
	for (size_t i = 0; i < a->nareas; i++)
		if (!maps_have_room(maps, a->areas[i].start, a->areas[i].limit))
			return false;
	return true;
}

void plans_enter(struct process *p, struct maps *maps)
{
	for (struct arming **at = &p->plans, *a; (a = *at);) {
		if (!areas_are_free(a, maps)) {
			*at = a->next;
			retire(a);
			continue;
		}
		for (size_t i = 0; i < a->nareas; i++)
			maps_add(maps, a->areas[i].start, a->areas[i].limit);
		at = &a->next;
	}
}

bool plans_trap(const struct process *p)
{
	for (const struct arming *a = p->plans; a; a = a->next)
		if (a->trapped)
			return true;
	return false;
}

/* True if the code is still the one that the plan was made for. */
static bool is_as_planned(const struct arming *a)
{
	size_t size = a->n ? a->hi - a->lo : 0;
	uint8_t *now = xrealloc(NULL, size + 1);
	bool same = tracee_read(a->t, a->lo, now, size) && !memcmp(now, a->text, size);

	free(now);
	return same;
}

/* ------------------------------------------------------------------- a file */

/* Taking over SIGTRAP patches code, possibly bytes that the plan covers. */
static bool takes_over_traps(struct arming *a)
{
	const struct process *p = a->process;
	const char *why;

	return !p->trapping && !p->no_traps && a->trapped &&
	       traps_ready(a->in, a->process, a->t, a->maps, &why);
}

static const char *plan_anew(struct arming *a)
{
	for (size_t i = 0; i < a->nareas; i++)
		maps_remove(a->maps, a->areas[i].start);
	arming_reset(a);
	return arming_plan(a);
}

/*
 * Bytes that A takes from the memory of the process, at most: its areas, a copy of each page of
 * code that it changes, and page tables.
 */
static uint64_t memory_of(const struct arming *a)
{
	uint64_t bytes = 0, end = 0;

	for (size_t i = 0; i < a->nareas; i++)
		bytes += page_up(a->areas[i].used) + 2 * UST_PAGE;
	for (size_t i = 0; a->patches && i < a->patches->n; i++) {
		const struct patch *p = &a->patches->v[i];
		uint64_t from = page_down(p->addr), to = page_up(p->addr + p->len);

		if (from < end)
			from = end;
		if (to > from)
			bytes += to - from;
		end = to;
	}
	return bytes;
}

/*
 * Why the process has too little memory for A; NULL if it has enough. The kernel would end a
 * program of its control group, probably the traced one.
 */
static const char *lacks_memory(const struct arming *a)
{
	static char why[160];
	uint64_t bytes = memory_of(a);
	struct memory_room room = memory_room(a->process->pid, bytes);

	if (bytes <= room.bytes)
		return NULL;
	snprintf(why, sizeof why, "that needs %llu KiB of memory, and %s has %llu KiB left",
		 (unsigned long long)(bytes >> 10),
		 room.machine ? "the machine" : "its control group",
		 (unsigned long long)(room.bytes >> 10));
	return why;
}

/* Threads that sleep cannot be moved. The kernel may repeat the system call that one is in. */
static void add_sleepers(struct addresses *to, const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].asleep) {
			addresses_add(to, tracee_pc(t, i));
			addresses_add(to, tracee_pc(t, i) - SYSCALL_SIZE);
		}
}

/* True if a goroutine or a thread that sleeps continues in the middle of a jump of the plan. */
static bool is_hindered(struct arming *a)
{
	if (!a->n || (!a->file->has_goroutines && !tracee_has_sleepers(a->t)))
		return false;
	free(a->busy.bits);
	a->busy = addresses_new(a->lo, a->hi);
	add_sleepers(&a->busy, a->t);
	if (a->file->has_goroutines)
		goroutines_add(&a->busy, a->t, a->file->elf, a->bias);
	for (size_t i = 0; i < a->patches->n; i++) {
		const struct patch *p = &a->patches->v[i];

		/* the first byte of other patches can be executed */
		if (addresses_in(&a->busy, p->addr + (p->way != PATCH_SHARED), p->addr + p->len))
			return true;
	}
	return false;
}

/* Make sure that the plan, made AHEAD or now, is one for the process as it is. */
static const char *check_plan(struct arming *a, bool ahead)
{
	const char *why = ahead ? NULL : arming_plan(a);

	if (why || a->t->running)
		return why;
	if ((takes_over_traps(a) || ahead) && !is_as_planned(a)) {
		if (ahead)
			note("process %d: %s: its code has changed since probes were planned",
			     (int)a->process->pid, a->file->path);
		why = plan_anew(a);
	}
	if (why || !is_hindered(a))
		return why;
	note("process %d: %s: %s continue in the middle of planned jumps", (int)a->process->pid,
	     a->file->path, a->file->has_goroutines ? "goroutines" : "sleeping threads");
	why = plan_anew(a);
	return !why && takes_over_traps(a) && !is_as_planned(a) ? plan_anew(a) : why;
}

static struct arming *new_plan(struct process *p, struct file *f, const struct mapping *m)
{
	struct arming *a = xrealloc(NULL, sizeof *a);

	*a = (struct arming){.process = p, .file = f, .here = *m};
	a->here.path = NULL;
	a->m = &a->here;
	return a;
}

static void tell_unprobed(const struct arming *a, const char *why)
{
	for (size_t i = 0; i < a->file->n; i++)
		count_unarmed(a, &a->file->places[i]);
	warning("cannot probe %s in process %d: %s", a->file->path, (int)a->process->pid, why);
}

/* Returns false if A has become one of P's plans. */
static bool arm_or_plan(struct arming *a, bool ahead)
{
	const char *why = ahead && a->t->running ? NULL : check_plan(a, ahead), *lack = NULL;

	if (a->t->running) {
		if (!why)
			keep_plan(a->process, a);
		return why;
	}
	if (!why && a->n)
		why = lack = lacks_memory(a);
	if (why && !pid_ends_soon(a->process->pid, a->process->pidfd)) {
		tell_unprobed(a, why);
		if (lack)
			hint("probe fewer functions, or give it more memory");
	}
	if (a->n && !why) {
		arm_all(a);
		return true;
	}
	arming_reset(a);
	note_loaded(a);
	return true;
}

void arm_file(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
	      const struct mapping *m, struct file *f)
{
	struct arming *ahead = take_plan(p, f, m), *a = ahead ? ahead : new_plan(p, f, m);

	a->in = in;
	a->t = t;
	a->maps = maps;
	if (!arm_or_plan(a, ahead))
		return;
	retire(a);
	__atomic_store_n(&in->blob->shared->status.sites, in->sites - gates_count_disarmed(in),
			 __ATOMIC_RELAXED);
}
