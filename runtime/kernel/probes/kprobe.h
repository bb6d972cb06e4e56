/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points of probes in the kernel: between kprobe.c, which has them, and ftrace_bulk.c, which places
 * many of them at once. */
#ifndef USTAP_KPOINT_H
#define USTAP_KPOINT_H

#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "rt.h"
#include "reentry_guard.h"

struct kpoint {
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct tracepoint *tp;
		struct kpoint *next; /* many: the other one there, which waits for the return */
	};
	const struct ust_site **sites; /* N of them, in order of the script */
	u32 n;
	bool registered, refused, keeps, entered;
	bool many;          /* ftrace_bulk.c has it */
	bool placed;        /* that and those behind it */
	bool guarded;       /* the kernel says that it must not be probed */
	bool loose;         /* addr is that of such a copy: its own symbol would count more */
	char *clone;        /* the symbol of the copy that the kernel has of it, or NULL */
	unsigned long addr; /* where it is; before that, where its symbol is, or 0 */
};

static inline bool kpoint_is_return(const struct kpoint *p)
{
	return p->sites[0]->flags & UST_SITE_RETURN;
}
static inline bool kpoint_is_trace(const struct kpoint *p)
{
	return p->sites[0]->flags & UST_SITE_TRACE;
}

/* From so many functions on they are found and placed in another way than one by one. */
enum { KMANY = 32 };

/* How many calls of one of N functions are awaited at a time, unless the script says it: any may
 * sleep.  Some kernels would have one for each processor only. */
static inline u32 kpoint_usual_active(u32 n)
{
	return n < KMANY ? max_t(u32, 64, 8 * num_possible_cpus())
			 : max_t(u32, 10, 2 * num_possible_cpus());
}

static __always_inline void kpoint_begin(const struct kpoint *p, struct ust_hit *h,
					 struct pt_regs *regs)
{
	h->regs = (struct ust_regs *)regs;
	h->addr = p->addr;
	h->probe = NULL;
	h->mode = RT_KERNEL;
	h->subject = NULL;
	h->saved = NULL;
	h->off = false;
}

/* Run its handlers but the first one. */
void kpoint_run_others(const struct kpoint *p, struct ust_hit *h);

static __always_inline void kpoint_hit(const struct kpoint *p, struct pt_regs *regs)
{
	struct ust_hit h compat_uncleared;
	int level;

	if (unlikely(!READ_ONCE(rt.armed)))
		return;
	level = guard_try();
	if (unlikely(level < 0))
		return;
	kpoint_begin(p, &h, regs);
	h.site = p->sites[0];
	h.site->handler(&h);
	if (unlikely(p->n > 1))
		kpoint_run_others(p, &h);
	guard_leave(level);
}

/* -------------------------------------------------------------- kprobe.c */

/* Where P's function is entered, and where it returns; KEPT: what its sites keep for the call;
 * GUARDED: guard_enter() was called.  Non-zero: the return is not to be hit. */
int kpoint_entered(struct kpoint *p, ust_long *kept, struct pt_regs *regs, bool guarded);
void kpoint_returned(const struct kpoint *p, ust_long *kept, struct pt_regs *regs);

/* The same as kpoint_entered(), which has nothing to do for most hits. */
static __always_inline int kpoint_enter(struct kpoint *p, ust_long *kept, struct pt_regs *regs,
					bool guarded)
{
	return likely(!p->keeps && READ_ONCE(p->entered)) ? 0
							  : kpoint_entered(p, kept, regs, guarded);
}

/* Of the kernel's symbols, the first point that has this one, and all behind it that have it, too;
 * NULL. */
struct kpoint *kpoint_by_symbol(const char *symbol, struct kpoint **end);

/* ----------------------------------------------------- symbol_variants.c */

/* Does TEXT, with its dot, make the name of a function that of its only copy? */
bool kclone_is_suffix(const char *text);
/* Will a copy do for all sites of P? */
bool kclone_suits_all(const struct kpoint *p);
/* Put the sites for which it will in front of the others: how many they are. */
u32 kclone_takers(struct kpoint *p);
/* Find the copy of P, which PLACE registers by P->clone; -ENOENT: there is none. */
int kclone_register(struct kpoint *p, int (*place)(struct kpoint *p));
void kclone_forget(struct kpoint *p);

/* --------------------------------------------------------- ftrace_bulk.c */

/* See one line of /proc/kallsyms. */
void kmany_symbol(char *line);
/* Which of the N points V can be placed by kmany_place()? */
void kmany_choose(struct kpoint *v, u32 n);
/* Have those of its points hit that are registered, and no others. */
int kmany_place(void);
void kmany_exit(void);

#endif
