/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel probe points: shared by kprobe.c, which owns them, and ftrace_bulk.c, which arms many at
 * once. */
#ifndef USTAP_KPOINT_H
#define USTAP_KPOINT_H

#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "rt.h"
#include "reentry_guard.h"

struct kprobe_point {
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct tracepoint *tp;
		struct kprobe_point *next; /* in bulk: the point of the same function that handles
					    * the return */
	};
	const struct ust_site **sites; /* N sites, in script order */
	u32 n;
	bool registered, refused, keeps, entered;
	bool many;          /* armed by ftrace_bulk.c */
	bool placed;        /* this one and the ones that follow it */
	bool guarded;       /* the kernel forbids probes on the function */
	bool loose;         /* addr is that of a clone: the function's own symbol takes
			     * precedence */
	char *clone;        /* symbol of the optimised clone that the kernel has, or NULL */
	unsigned long addr; /* address of the probe; before arming, that of its symbol, or 0 */
};

/* True for a return probe; all sites of a point are of one type. */
static inline bool kprobe_point_is_return(const struct kprobe_point *p)
{
	return p->sites[0]->flags & UST_SITE_RETURN;
}
/* True for a tracepoint. */
static inline bool kprobe_point_is_tracepoint(const struct kprobe_point *p)
{
	return p->sites[0]->flags & UST_SITE_TRACE;
}

/* Number of functions from which on they are armed in bulk instead of one by one. */
enum { FTRACE_BULK_MIN = 32 };

/* Default number of pending returns (maxactive) per function when N are probed; any call may sleep.
 * Some kernels would default to one per CPU only. */
static inline u32 kprobe_point_maxactive(u32 n)
{
	return n < FTRACE_BULK_MIN ? max_t(u32, 64, 8 * num_possible_cpus())
				   : max_t(u32, 10, 2 * num_possible_cpus());
}

/* Set all members of *H but .site for a hit of P with REGS. */
static __always_inline void kprobe_point_init_hit(const struct kprobe_point *p, struct ust_hit *h,
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

/* Run all handlers of P except the first. */
void kprobe_point_run_others(const struct kprobe_point *p, struct ust_hit *h);

/* Run the handlers of P's sites. Any context; not if the runtime is not armed or a handler runs on
 * this level of this CPU, which is counted. */
static __always_inline void kprobe_point_hit(const struct kprobe_point *p, struct pt_regs *regs)
{
	struct ust_hit h port_uncleared;
	int level;

	if (unlikely(!READ_ONCE(rt.armed)))
		return;
	level = guard_try();
	if (unlikely(level < 0))
		return;
	kprobe_point_init_hit(p, &h, regs);
	h.site = p->sites[0];
	h.site->handler(&h);
	if (unlikely(p->n > 1))
		kprobe_point_run_others(p, &h);
	guard_leave(level);
}

/* -------------------------------------------------------------- kprobe.c */

/* Entry and return of P's function. KEPT: entry values of the call; GUARDED: guard_enter() was
 * called. kprobe_point_entered() returns non-zero if the return must not fire. Any context. */
int kprobe_point_entered(struct kprobe_point *p, ust_long *kept, struct pt_regs *regs,
			 bool guarded);
/* See kprobe_point_entered(). */
void kprobe_point_returned(const struct kprobe_point *p, ust_long *kept, struct pt_regs *regs);

/* kprobe_point_entered() with a fast path for the hits that need nothing from it. */
static __always_inline int kprobe_point_enter(struct kprobe_point *p, ust_long *kept,
					      struct pt_regs *regs, bool guarded)
{
	return likely(!p->keeps && READ_ONCE(p->entered))
		       ? 0
		       : kprobe_point_entered(p, kept, regs, guarded);
}

/* The first kernel point of SYMBOL; *END is behind the last. NULL if not found. */
struct kprobe_point *kprobe_point_by_symbol(const char *symbol, struct kprobe_point **end);

/* ----------------------------------------------------- symbol_variants.c */

/* True if TEXT, a suffix with its dot, names a clone that replaces the function. */
bool symbol_variant_is_suffix(const char *text);
/* True if a clone satisfies all sites of P. */
bool symbol_variant_fits(const struct kprobe_point *p);
/* Move the sites that a clone satisfies to the front; returns their number. */
u32 symbol_variant_count(struct kprobe_point *p);
/* Find the clone of P and register it with PLACE, by P->clone; -ENOENT if there is no clone. */
int symbol_variant_register(struct kprobe_point *p, int (*place)(struct kprobe_point *p));
/* Free the name of P's clone, when P is not registered. */
void symbol_variant_forget(struct kprobe_point *p);

/* --------------------------------------------------------- ftrace_bulk.c */

/* Take the symbol of one line of /proc/kallsyms. */
void ftrace_bulk_symbol(char *line);
/* Choose those of the N points V that ftrace_bulk_arm() can arm. */
void ftrace_bulk_select(struct kprobe_point *v, u32 n);
/* Trace the functions of all registered points, and no others. Returns 0 or an error; may sleep. */
int ftrace_bulk_arm(void);
/* Disarm all, wait for running handlers, and free the memory. May sleep; also after a failure. */
void ftrace_bulk_exit(void);

#endif
