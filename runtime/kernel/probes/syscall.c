/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of all processes, by number: sites on the kernel's tracepoints sys_enter and
 * sys_exit.
 *
 * Handlers find the arguments in the registers of a function's arguments, in addition to the
 * kernel's. They may sleep where the kernel's system call tracepoints permit it; elsewhere they
 * read only resident memory. 32-bit programs have their own numbers and registers.
 *
 * No function return is probed, so there is no limit on pending returns: long calls, in any number,
 * cost nothing. Entry values belong to the task (entry_values.c), which is in one system call at a
 * time.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>

#include "probes/probes.h"
#include "rt.h"
#include "probes/tracepoint.h"
#include "wire_records.h"

/* Slots: the numbers of 64-bit calls, then those of 32-bit calls, then one slot for all others. */
enum { NUMBERS = 512, OTHER = 2 * NUMBERS, PLACES };

/* System calls save their values at stack pointer 0: deeper than any function of the program at
 * that time. */
#define NO_STACK 0

static struct direction {
	const struct ust_site **sites; /* by slot, and within a slot in script order */
	u32 first[PLACES + 1];         /* index of the first site of each slot */
	bool keeps[PLACES];
} enter, leave;

/* ------------------------------------------------------------------- hits */

static __always_inline u32 place_of(long number)
{
	if (unlikely(arch_is_compat_call()))
		return number >= 0 && number < NUMBERS ? NUMBERS + number : OTHER;
	return number >= 0 && number < NUMBERS ? number : OTHER;
}

static void call_regs(struct pt_regs *copy, const struct pt_regs *regs)
{
	if (unlikely(arch_is_compat_call()))
		arch_compat_call_regs(copy, regs);
	else
		*copy = *regs;
	arch_call_args(copy);
}

static void run_handlers(const struct direction *d, u32 place, struct ust_hit *hit,
			 struct entry_values *s)
{
	u32 i;

	for (i = d->first[place]; i < d->first[place + 1] && READ_ONCE(rt.armed); i++) {
		hit->site = d->sites[i];
		hit->saved = s ? s->words + hit->site->saved : NULL;
		hit->site->handler(hit);
	}
}

/* The block of this call. Reuses the one of an earlier call from which the task did not return:
 * after a signal handler the kernel does not report which call ends. */
static struct entry_values *saved_again(void)
{
	struct entry_values *s = entry_values_pop(&leave, NO_STACK);

	return s ? s : entry_values_alloc(&leave, NO_STACK);
}

static noinline void run_savers(u32 place, struct ust_hit *hit)
{
	struct entry_values *s = saved_again();
	u32 i;

	if (!s)
		return;
	for (i = leave.first[place]; i < leave.first[place + 1] && READ_ONCE(rt.armed); i++) {
		hit->site = leave.sites[i];
		hit->saved = s->words + hit->site->saved;
		if (hit->site->entry)
			hit->site->entry(hit);
	}
	entry_values_push(s);
}

static void on_enter(void *data, struct pt_regs *regs, long number)
{
	u32 place = place_of(number);
	struct ust_hit hit = {.mode = COMPAT_SYSCALL_MODE};
	struct pt_regs copy;

	if (!READ_ONCE(rt.armed) ||
	    (enter.first[place] == enter.first[place + 1] && !leave.keeps[place]))
		return;
	call_regs(&copy, regs);
	hit.regs = (struct ust_regs *)&copy;
	hit.addr = instruction_pointer((struct pt_regs *)regs);
	if (leave.keeps[place])
		run_savers(place, &hit);
	run_handlers(&enter, place, &hit, NULL);
}

/* True for the child's side of a fork or clone, which does not return from a call that it made. */
static bool is_birth(long number, long ret)
{
	return !ret && arch_is_birth(number, arch_is_compat_call());
}

static void on_leave(void *data, struct pt_regs *regs, long ret)
{
	long number = syscall_get_nr(current, regs);
	u32 place = place_of(number);
	struct ust_hit hit = {.mode = COMPAT_SYSCALL_MODE};
	struct entry_values *s = NULL;
	struct pt_regs copy;

	if (!READ_ONCE(rt.armed) || leave.first[place] == leave.first[place + 1])
		return;
	if (is_birth(number, ret))
		return;
	if (leave.keeps[place]) {
		s = entry_values_pop(&leave, NO_STACK);
		if (!s)
			return;
	}
	call_regs(&copy, regs);
	arch_set_result(&copy, ret);
	hit.regs = (struct ust_regs *)&copy;
	hit.addr = instruction_pointer((struct pt_regs *)regs);
	run_handlers(&leave, place, &hit, s);
	if (s)
		entry_values_free(s);
}

static void on_exec(void *data, struct task_struct *task, pid_t old, struct linux_binprm *bprm)
{
	if (old != task_pid_nr(task))
		entry_values_rename_task(&leave, old);
}

ust_long ust_compat_call(struct ust_ctx *c)
{
	return c->hit->site && c->hit->site->flags & UST_SITE_SYSCALL && arch_is_compat_call();
}

/* ------------------------------------------------------------------ places */

static bool is_call(const struct ust_site *s) { return s->flags & UST_SITE_SYSCALL; }

static const struct direction *direction_of(const struct ust_site *s)
{
	return s->flags & UST_SITE_RETURN ? &leave : &enter;
}

/* True if site S fires at slot PLACE: its numbers are one more than those of the calls, 0 for none;
 * both 0: any call. */
static bool is_at(const struct ust_site *s, u32 place)
{
	if (!s->offset && !s->addr)
		return true;
	return place < NUMBERS ? s->offset == place + 1 : s->addr == place - NUMBERS + 1;
}

static void fill(struct direction *d, u32 place)
{
	const struct ust_site *s;
	u32 i, n = d->first[place];

	for (i = 0; i < ust_program.nsites; i++) {
		s = &ust_program.sites[i];
		if (!is_call(s) || direction_of(s) != d || !is_at(s, place))
			continue;
		if (d->sites)
			d->sites[n] = s;
		d->keeps[place] |= !!s->entry;
		n++;
	}
	d->first[place + 1] = n;
}

static int make_places(struct direction *d)
{
	u32 i;

	for (i = 0; i < PLACES; i++)
		fill(d, i);
	if (!d->first[PLACES])
		return 0;
	d->sites = kvcalloc(d->first[PLACES], sizeof *d->sites, GFP_KERNEL);
	for (i = 0; d->sites && i < PLACES; i++)
		fill(d, i);
	return d->sites ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------ all of them */

static struct tracepoint_hook watches[] = {
	{"sys_enter", on_enter}, {"sys_exit", on_leave}, {"sched_process_exec", on_exec}, /* where
											     entry
											     values
											     are
											     saved
											   */
};

static bool any_keeps(void) { return memchr_inv(leave.keeps, 0, sizeof leave.keeps); }

/* Count the sites as armed; it is not known whether a call is ever made. */
static void count_sites(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		rt.sites += is_call(&ust_program.sites[i]);
}

static void note_sites(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites && counts_on(); i++)
		if (is_call(&ust_program.sites[i]))
			counts_note(i, UST_COUNT_PLACED | UST_COUNT_MAPPED | UST_COUNT_ENTERED);
}

int syscall_start(void)
{
	int err;

	err = make_places(&enter);
	if (!err)
		err = make_places(&leave);
	if (!err && leave.sites)
		err = tracepoint_hook_add(&watches[1]);
	if (!err && (enter.sites || any_keeps()))
		err = tracepoint_hook_add(&watches[0]);
	if (!err && any_keeps())
		err = tracepoint_hook_add(&watches[2]);
	if (!err)
		count_sites();
	return err;
}

void syscall_stop(void)
{
	if (watches[0].registered || watches[1].registered) {
		note_sites();
		tracepoint_hooks_remove(watches, ARRAY_SIZE(watches));
	}
	kvfree(enter.sites);
	kvfree(leave.sites);
	enter.sites = leave.sites = NULL;
}
