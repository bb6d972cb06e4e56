/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user runtime's side of port.h. */
#ifndef USTAP_PORT_IMPL_H
#define USTAP_PORT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define noinline __attribute__((noinline))
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

extern struct ust_agent agent;
#if defined(__x86_64__)
#include "arch/x86_64.h"
#endif

struct ust_lockset;

/* ----------------------------------------------------------------- locks */

/* Thread id of the owner, or 0: lock.c.  FLAGS says whether it was taken: not by a handler that
 * interrupts another of the same thread which holds it. */
typedef u32 port_lock_t;
unsigned long lock_take(u32 *lock);
void lock_drop(u32 *lock);
#define port_lock_init(l) (*(l) = 0)
#define port_lock(l, flags) ((flags) = lock_take(l))
#define port_unlock(l, flags) ((flags) ? lock_drop(l) : (void)0)
#define port_lock_nested(l) ((void)lock_take(l))
#define port_unlock_nested(l) lock_drop(l)

struct port_glock { port_lock_t owner; };
#define port_glock_init(g) ((g)->owner = 0)

/* -------------------------------------------------------------- contexts */

struct port_ctx {
	u32 busy;               /* thread id of who uses it */
	u32 *inside;            /* where that thread is noted */
	const struct ust_lockset *locks;        /* held */
};

/* -------------------------------------------------------- per-CPU, memory */

/* Cells of different CPUs share no cache line; the line before them says how far apart they are. */
#define port_ncpus() agent.ncpu
#define port_cpu_exists(cpu) ((void)(cpu), true)
void *port_percpu_alloc(size_t size);
#define port_percpu_free(p) ((void)(p))
#define port_percpu(p, cpu) ((void *)((char *)(p) + (u64)(cpu) * ((const u64 *)(p))[-1]))
#define port_percpu_here(p) port_percpu(p, arch_cpu())
#define port_counter_add(p, v) \
	__atomic_fetch_add((ust_long *)port_percpu_here(p), (v), __ATOMIC_RELAXED)

void *heap_alloc(size_t size);
#define port_alloc(size) heap_alloc(size)
#define port_free(p) ((void)(p))

#endif
