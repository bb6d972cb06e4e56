/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port.h for a single-threaded process, see port.c. It simulates three CPUs, of which the second is
 * missing, and migrates between the two others all the time, so that per-CPU data is really
 * distributed.
 */
#ifndef USTAP_PORT_IMPL_H
#define USTAP_PORT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define likely(x)               __builtin_expect(!!(x), 1)
#define unlikely(x)             __builtin_expect(!!(x), 0)
#define noinline                __attribute__((noinline))
#define READ_ONCE(x)            (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)        (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)

/* The process has one thread, so the locks only detect double locking and missing unlocks. */
typedef struct {
	bool taken;
} port_lock_t;
void port_take(port_lock_t *l, bool taken);
#define port_lock_init(l)     ((l)->taken = false)
#define port_lock(l, flags)   ((flags) = 0, port_take(l, true))
#define port_unlock(l, flags) ((void)(flags), port_take(l, false))
#define port_lock_nested(l)   port_take(l, true)
#define port_unlock_nested(l) port_take(l, false)

struct port_glock {
	int unused;
};
#define port_glock_init(g) ((void)(g))
struct port_ctx {
	int unused;
};

#define PORT_CPUS            3u
#define port_ncpus()         PORT_CPUS
#define port_cpu_exists(cpu) ((cpu) != 1)
void *port_percpu_alloc(size_t size);
void port_percpu_free(void *p);
void *port_percpu(void *p, u32 cpu);
void *port_percpu_here(void *p);
#define port_percpu_add(p, v) (*(ust_long *)port_percpu_here(p) += (v))

struct ust_ctx;
extern u32 hosted_max_actions;
extern u64 hosted_cycles; /* value of the next clock read */
struct port_mapping;
extern struct port_mapping hosted_mapping; /* the only one that the process has */
#define port_max_actions(c)               ((void)(c), hosted_max_actions)
#define port_time_budget(c)               ((void)(c), ust_program.overload_threshold)
#define port_cycles_spent(c, now, cycles) ((void)(c), (void)(now), (void)(cycles), true)
#define port_hit_cycles(hit)              ((void)(hit), 0u)
#define port_monotonic_ns()               12345ull
#define port_cycles()                     hosted_cycles
#define PORT_TICK_NS                      4000000u
#define port_random()                     ((u32)random() << 1)

#define port_alloc(size) calloc(1, size)
#define port_free(p)     free(p)

#endif
