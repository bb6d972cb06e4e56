/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implementation of port.h for the user runtime. */
#ifndef USTAP_PORT_IMPL_H
#define USTAP_PORT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_agent.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define likely(x)               __builtin_expect(!!(x), 1)
#define unlikely(x)             __builtin_expect(!!(x), 0)
#define noinline                __attribute__((noinline))
#define READ_ONCE(x)            (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)        (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)

/* memcpy(), memmove(), memset(), memcmp() and strlen() as in C; heap.c. GCC calls them, too.
 * General registers only. */
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

extern struct ust_layout layout;
#include "base/owner.h"

struct ust_lockset;

/* ----------------------------------------------------------------- locks */

/* Locks hold the id of their owner, a thread: shared_lock.c. BROKEN: taken from an owner that may
 * have left the data half changed. */
struct owned {
	u32 owner, broken;
};

/* Acquire L. Returns the id for lock_give(); 0: this thread owns it already, in a handler that was
 * interrupted. */
u32 lock_take(struct owned *l);
/* Release L, unless it has been taken from this thread. */
static inline void lock_give(struct owned *l, u32 self)
{
	if (likely(READ_ONCE(l->owner) == self))
		smp_store_release(&l->owner, 0);
}
/* The id of this thread as the owner of locks, not inlined. */
u32 lock_self_slow(void);

typedef struct owned port_lock_t;
#define port_lock_init(l)     (*(l) = (struct owned){0, 0})
#define port_lock(l, flags)   ((flags) = lock_take(l))
#define port_unlock(l, flags) ((flags) ? lock_give(l, (u32)(flags)) : (void)0)
#define port_lock_nested(l)   ((void)lock_take(l))
#define port_unlock_nested(l) lock_give(l, lock_self_slow())
#define port_lock_broken(l)   unlikely(READ_ONCE((l)->broken))
#define port_lock_mended(l)   WRITE_ONCE((l)->broken, 0)

struct port_glock {
	struct owned lock;
};
#define port_glock_init(g) port_lock_init(&(g)->lock)

/* -------------------------------------------------------------- contexts */

struct ctx;
struct port_ctx {
	u64 busy;         /* low half: owner, as in a lock; high half: its position on the
			   * owner's stack */
	struct ctx *home; /* home context of its owner, if that is another one */
	const struct ust_lockset *locks; /* held or being acquired */
	u32 strays;                      /* threads at home here that use another context */
	u32 turned_away;                 /* number of failed attempts to take this one */
	u32 stamp;                       /* current time stamp, see umem.c; 0: not read yet */
	u64 ticks; /* cycle counter at that moment, for the time of a record; 0: use the current
		    * one */
};

struct ust_ctx;
/* handler_stack.c: run FN(ARG) for the hit of C on a stack of the runtime. */
void handler_stack_call(struct ust_ctx *c, void (*fn)(void *arg), void *arg);
#define port_call_deep(c, fn, arg) handler_stack_call(c, fn, arg)
/* context.c: port_max_actions() and port_time_budget(), see port.h. */
u32 port_max_actions(const struct ust_ctx *c);
u64 port_time_budget(const struct ust_ctx *c);
/* Handlers run in the program's time, whose other threads continue: only each handler is
 * limited. */
#define port_cycles_spent(c, now, cycles) ((void)(c), (void)(now), (void)(cycles), true)

struct ust_hit;
/* hit.c: see port.h. */
u32 port_hit_cycles(const struct ust_hit *hit);

/* -------------------------------------------------------- per-CPU, memory */

/* Cells of different CPUs share no cache line. A thread that is preempted or interrupted by a
 * signal while it uses a cell keeps it from others, which take a spare one. */
#define PORT_CELL            64u
#define PORT_SPARE_CELLS     4u
#define port_ncpus()         (layout.ncpu + PORT_SPARE_CELLS)
#define port_cpu_exists(cpu) ((void)(cpu), true)
#define port_percpu_alloc(size) \
	((size) > PORT_CELL ? NULL : heap_alloc((size_t)PORT_CELL * port_ncpus()))
#define port_percpu_free(p) ((void)(p))
#define port_percpu(p, cpu) ((void *)((char *)(p) + (u64)PORT_CELL * (cpu)))
#define port_percpu_here(p) port_percpu(p, arch_cpu())
/* Threads migrate between CPUs, and signals interrupt them. */
#define port_percpu_add(p, v) \
	((void)__atomic_fetch_add((ust_long *)port_percpu_here(p), (v), __ATOMIC_RELAXED))
/* counter.c: counters. */
#define port_counter_alloc()    counter_alloc()
#define port_counter_free(p)    ((void)(p))
#define port_counter_add(p, v)  counter_add(p, v)
#define port_counter_next(p, i) counter_next(p, i)
/* thread_stat.c: cells of threads in a statistic. */
#define port_stat_init(to)    thread_stats_init(to)
#define port_stat_begin(p)    thread_stat_begin(p)
#define port_stat_end(st)     thread_stat_end(st)
#define port_stat_read(p, to) thread_stats_read(p, to)
#define port_stat_clear(p)    thread_stats_clear(p)
/* Acquire a cell, which begins with a lock: this CPU's, or any free one. */
static inline void *lock_cell(void *cells, unsigned long *flags);
/* The same when that of this CPU is in use; SELF is this thread. */
void *lock_cell_slowly(void *cells, u32 self, unsigned long *flags);
#define port_percpu_lock(p, flags) lock_cell(p, &(flags))
static inline void *lock_cell(void *cells, unsigned long *flags)
{
	u32 self = lock_self(), here = arch_cpu();
	struct owned *l = port_percpu(cells, here);

	*flags = self;
	return likely(owner_try(&l->owner, self)) ? l : lock_cell_slowly(cells, self, flags);
}

/* clock.c: clock_monotonic() is CLOCK_MONOTONIC in ns, clock_cycles() the cycle counter,
 * clock_random() a number that is not for secrets. From the vDSO's data, or by a system call. */
u64 clock_monotonic(void);
u64 clock_cycles(void);
u32 clock_random(void);
#define port_monotonic_ns() clock_monotonic()
#define port_cycles()       clock_cycles()
#define PORT_TICK_NS        4000000u /* unit of timer.jiffies */
#define port_random()       clock_random()

/* heap.c: SIZE bytes, zeroed, 64-byte aligned; NULL if there is no room. Only while the agent
 * starts; never freed. */
void *heap_alloc(size_t size);
#define port_alloc(size) heap_alloc(size)
#define port_free(p)     ((void)(p))

#include "base/counter.h"
#include "base/thread_stat.h"

#endif
