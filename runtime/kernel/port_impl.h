/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implementation of port.h for the kernel runtime. */
#ifndef USTAP_PORT_IMPL_H
#define USTAP_PORT_IMPL_H

/* Without <linux/mm.h> and what includes it: reading that takes a compiler longer than most of the
 * files of common/ that need nothing else of the kernel. */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/uprobes.h>

#include <asm/ptrace.h>

#include "reentry_guard.h"

struct ust_lockset;
struct ust_ctx;

/* ----------------------------------------------------------------- locks */

/* Arch spinlocks: a script may hold more locks of one class than lockdep has records for, and the
 * functions behind the kernel's own locks may be probed. */
struct port_glock {
	arch_rwlock_t lock;
};
#define port_glock_init(g) ((g)->lock = (arch_rwlock_t)__ARCH_RW_LOCK_UNLOCKED)

/* Taken with interrupts disabled: a nested one does not change the preemption count, which could
 * not count all locks of a large machine. */
typedef arch_spinlock_t port_lock_t;
#define port_lock_init(l) (*(l) = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED)
#define port_lock(l, flags)            \
	do {                           \
		local_irq_save(flags); \
		guard_hold();          \
		arch_spin_lock(l);     \
	} while (0)
#define port_unlock(l, flags)             \
	do {                              \
		arch_spin_unlock(l);      \
		guard_release();          \
		local_irq_restore(flags); \
	} while (0)
/* Waiting for the lock would be a call, for which registers have to be saved on each hit. The
 * caller compares the result with NULL, which the address of a cell never is, as gcc cannot know.
 */
#define port_percpu_trylock(p, flags)                      \
	({                                                 \
		port_lock_t *cell_ = port_percpu_here(p);  \
		local_irq_save(flags);                     \
		guard_hold();                              \
		if (unlikely(!arch_spin_trylock(cell_))) { \
			guard_release();                   \
			local_irq_restore(flags);          \
			cell_ = NULL;                      \
		} else if (!cell_) {                       \
			__builtin_unreachable();           \
		}                                          \
		(void *)cell_;                             \
	})
#define port_lock_nested(l)   arch_spin_lock(l)
#define port_unlock_nested(l) arch_spin_unlock(l)

/* -------------------------------------------------------------- contexts */

enum { PATH_SIZE = 256 };
struct port_ctx {
	int busy;
	const struct ust_lockset *locks; /* locks that are held */
	unsigned long irq_flags;         /* interrupt flags before the locks were taken */
	u32 waiting_hit;                 /* the last hit that waited for pages, one of `hits' */
	unsigned long waited;            /* jiffies that it has waited */
	const char *fault;               /* why a page was not brought in, or NULL */
	struct mm_struct *map;           /* memory map that mm_lock() has locked */
	char path[PATH_SIZE];            /* buffer of port_mapping_path() */
	u32 hits;                        /* hits so far; one of SAMPLED is measured, */
	u64 began;                       /* starting at this time */
	u64 interval, used;              /* start of the interval, and cycles of handlers in it; see
					  * "overload" in context.c */
};

/* context.c: port_max_actions(), port_time_budget() and port_cycles_spent(), see port.h. */
u32 port_max_actions(const struct ust_ctx *c);
u64 port_time_budget(const struct ust_ctx *c);
bool port_cycles_spent(struct ust_ctx *c, u64 now, u64 cycles);

struct ust_ctx;
/* Check for stack space for one more script function; context.c. */
bool port_has_stack(const struct ust_ctx *c);
#define port_has_stack port_has_stack

#define port_program_regs(c) \
	((c)->hit->regs && user_mode((struct pt_regs *)(c)->hit->regs) ? (c)->hit->regs : NULL)

/* mapping.c. Registers of the program on whose behalf the handler runs; NULL in a kernel thread.
 * Any context; valid until the handler ends. */
struct ust_regs *port_stack_regs(const struct ust_ctx *c);
#define port_stack_regs port_stack_regs
/* Only the user runtime has trampolines. */
#define port_unwind_table(c, pc) ((void)(c), (void)(pc), 0ull)
/* port_real_return() of a task with pending return probes. Any context. */
u64 mapping_real_return(struct ust_ctx *c, u64 slot, u64 ra);
static inline u64 port_real_return(struct ust_ctx *c, u64 slot, u64 ra)
{
	const struct uprobe_task *t = current->utask;

	if (likely(!t || !READ_ONCE(t->return_instances)))
		return ra;
	return mapping_real_return(c, slot, ra);
}
#define port_real_return port_real_return
/* True if C's handler reads only what is in memory. Any context. */
bool port_skips_absent(const struct ust_ctx *c);
#define port_skips_absent port_skips_absent

/* umem.c: see port.h. */
bool port_read_word(struct ust_ctx *c, u64 addr, u64 *to);
#define port_read_word port_read_word

struct ust_hit;
/* context.c: see port.h. */
u32 port_hit_cycles(const struct ust_hit *hit);

/* -------------------------------------------------------- per-CPU, memory */

#define port_ncpus()            nr_cpu_ids
#define port_cpu_exists(cpu)    cpu_possible(cpu)
#define port_percpu_alloc(size) ((void *)(unsigned long)__alloc_percpu(size, 8))
#define port_percpu_free(p)     free_percpu((void __percpu *)(unsigned long)(p))
#define port_percpu(p, cpu)     ((void *)per_cpu_ptr((char __percpu *)(unsigned long)(p), cpu))
#define port_percpu_here(p)     ((void *)raw_cpu_ptr((char __percpu *)(unsigned long)(p)))
#define port_percpu_add(p, v)   this_cpu_add(*(ust_long __percpu *)(unsigned long)(p), v)

/* A handler may have interrupted the timekeeping code that other readers of the clock wait for. */
#define port_monotonic_ns() (unlikely(rt_in_kernel) ? ktime_get_mono_fast_ns() : ktime_get_ns())
extern bool rt_in_kernel; /* handlers may run in any kernel context; state.c */
#define port_cycles() ((u64)get_cycles())
u64 random_next(void);          /* machine.c; any context */
#define PORT_TICK_NS  TICK_NSEC /* unit of timer.jiffies */
#define port_random() ((u32)(random_next() >> 32))

/* alloc.c: see port.h. May sleep. */
void *port_alloc(size_t size);
/* P: of port_alloc(), or NULL. May sleep. */
void port_free(const void *p);

#endif
