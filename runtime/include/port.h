/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Port: interface that a runtime supplies to runtime/common, which includes this header and
 * ustap_rt.h and nothing else. port_impl.h belongs to the runtime; it is found through the include
 * path and must define, as functions or macros:
 *
 *   u8 u32 u64 s64 bool, likely() unlikely() noinline, memcpy memset memcmp strlen
 *   READ_ONCE WRITE_ONCE smp_store_release smp_load_acquire
 *
 *   struct port_glock           lock of a global, first member of its impl
 *   void port_glock_init(struct port_glock *)
 *   struct port_ctx             the runtime's part of a context
 *
 *   port_lock_t, port_lock_init(l), port_lock(l, flags), port_unlock(l, flags)
 *                               a spinning lock that excludes every context of
 *                               this machine; FLAGS is an unsigned long
 *   port_lock_nested(l), port_unlock_nested(l)
 *                               the same, nested in another such lock
 *
 *   u32 port_ncpus()            per-CPU data exists for 0 .. port_ncpus() - 1;
 *   bool port_cpu_exists(cpu)   some may be missing
 *   void *port_percpu_alloc(size), port_percpu_free(p)   zeroed, small
 *   void *port_percpu(p, cpu), port_percpu_here(p)
 *                               the latter may be the cell of another CPU
 *   port_percpu_add(p, v)       add to this CPU's ust_long in one step
 *
 *   void *port_alloc(size), port_free(p)                 zeroed, any size
 *
 *   u32 port_max_actions(c)     action limit of C's handler, by MAXACTION
 *   u64 port_time_budget(c)     cycles that it may take; 0: no limit
 *   bool port_cycles_spent(c, now, cycles)
 *                               add its cycles until NOW; false: too many on its CPU
 *
 *   u32 port_hit_cycles(hit)    estimated cycles from the program to the handler and
 *                               back, for --max-overhead
 *
 *   u64 port_monotonic_ns(), port_cycles()               clocks; 0: not available
 *   u32 port_random()
 *   PORT_TICK_NS                 unit of timer.jiffies
 */
#ifndef USTAP_PORT_H
#define USTAP_PORT_H

#include "port_impl.h"
#include "ustap_rt.h"

/* If locks can be taken from killed owners: true if this one was. The new holder then repairs the
 * data under it. */
#ifndef port_lock_broken
#define port_lock_broken(l) ((void)(l), false)
#define port_lock_mended(l) ((void)(l))
#endif

/* Lock this CPU's data, or another CPU's if that is better; the data begins with a port_lock_t. */
#ifndef port_percpu_lock
#define port_percpu_lock(p, flags)                        \
	({                                                \
		port_lock_t *cell_ = port_percpu_here(p); \
		port_lock(cell_, flags);                  \
		(void *)cell_;                            \
	})
#endif

/* port_percpu_lock(), or NULL where the port can see that this would wait. */
#ifndef port_percpu_trylock
#define port_percpu_trylock(p, flags) port_percpu_lock(p, flags)
#endif

/* A counter: its value is the sum of cells, to one of which port_counter_add() adds in one step.
 * port_counter_next() returns the cells, as percpu_next() does those of CPUs. */
#ifndef port_counter_alloc
#define port_counter_alloc()    port_percpu_alloc(sizeof(ust_long))
#define port_counter_free(p)    port_percpu_free(p)
#define port_counter_add(p, v)  port_percpu_add(p, v)
#define port_counter_next(p, i) percpu_next(p, i)
#endif

/* Cells of threads in a statistic, which need no lock, if the port has them: port_stat_begin()
 * returns this thread's cell, to be released by port_stat_end(), or NULL where it owns none.
 * Readers add the sum of all cells, by port_stat_read(), to that of the CPUs' cells. */
#ifndef port_stat_begin
#define port_stat_init(to)    true
#define port_stat_begin(p)    ((void)(p), (struct ust_stat *)0)
#define port_stat_end(st)     ((void)(st))
#define port_stat_read(p, to) ((void)(p), (void)(to))
#define port_stat_clear(p)    ((void)(p))
#endif

/* Check for stack space for one more script function, in ports that cannot determine it at build
 * time. */
#ifndef port_has_stack
#define port_has_stack(c) ((void)(c), true)
#endif

/* A variable that is initialised by hand, on the path of every hit: kernels are built with
 * automatic zeroing of local variables. */
#if __has_attribute(__uninitialized__)
#define port_uncleared __attribute__((__uninitialized__))
#else
#define port_uncleared
#endif

/* Address range of the probed process's command line or environment: NUL-terminated strings; false
 * if there is no process. */
bool port_process_strings(struct ust_ctx *c, bool environment, u64 *start, u64 *end);

/* Read SIZE bytes, 1, 2, 4 or 8, of the probed process at ADDR; false if they are not readable. */
bool port_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to);
/* port_read() of eight bytes. */
#ifndef port_read_word
#define port_read_word(c, addr, to) port_read(c, addr, sizeof(u64), to)
#endif
/* Read a string of the probed process at ADDR, at most MAX bytes, and append a NUL; *N: number of
 * bytes. False on a fault, with the bytes before it in DST. */
bool port_read_string(struct ust_ctx *c, char *dst, u64 addr, u32 max, u32 *n);
/* Set the error for a failed read at ADDR. */
void port_fault(struct ust_ctx *c, u64 addr);
/* True if a fatal signal is pending for the task that runs handler C. */
bool port_killed(struct ust_ctx *c);

/* The mapping at ADDR of the probed process: START to END, from byte OFFSET of a file, which is a
 * module of the script or not (PORT_NO_MODULE). False: neither a file nor the vDSO. */
struct port_mapping {
	u64 start, end, offset;
	u32 module;
};
#define PORT_NO_MODULE (~(u32)0)
/* May sleep where a handler may, and drop locks on globals meanwhile; elsewhere it is also false if
 * another thread holds mmap_lock. */
bool port_find_mapping(struct ust_ctx *c, u64 addr, struct port_mapping *to);
/* Address of byte OFFSET of MODULE in the probed process; false if it is not mapped. */
bool port_find_module(struct ust_ctx *c, u32 module, u64 offset, u64 *addr);
/* Address of the first byte of the file mapped at ADDR; 0 if that is not mapped. */
u64 port_file_start(struct ust_ctx *c, u64 addr);
/* Path of the file mapped at ADDR, or a name for it; NULL if none. The next call may overwrite
 * it. */
const char *port_mapping_path(struct ust_ctx *c, u64 addr);
#ifndef port_unwind_table
/* The .eh_frame_hdr of code that the runtime itself has generated at PC; 0 for other code. */
u64 port_unwind_table(struct ust_ctx *c, u64 pc);
#endif
/* The program's address for PC of the probed thread: differs if the runtime has relocated the
 * instruction. */
u64 port_program_address(struct ust_ctx *c, u64 pc);
#ifndef port_real_return
/* The return address in stack slot SLOT, which holds RA, before a return probe replaced it. */
u64 port_real_return(struct ust_ctx *c, u64 slot, u64 ra);
#endif

/* Count a string of the script that was cut to string_size - 1 bytes. Any context. */
void port_string_cut(void);

/* Key of the marks around names, 16 hexadecimal digits; 0: marks are not used. */
u64 port_name_key(void);

/* ust_hit.mode of begin, end and error probes, whose output may wait for space. */
enum { PORT_ALONE = 1 };
/* Write a record; MAY_WAIT: wait for space, else a record without space is dropped and counted. */
void port_write(u32 type, const char *data, u32 len, bool may_wait);
/* Write a record of handler C: begin, end and error probes wait for space. The record's time is one
 * of this handler. */
void port_write_output(struct ust_ctx *c, u32 type, const char *data, u32 len);
/* Write a record of handler C of a program that is UST_PROG_LOSSLESS: wait for space as long as
 * staprun reads, where the handler may sleep. May release the locks on globals meanwhile. True if
 * it has waited. */
bool port_write_lossless(struct ust_ctx *c, u32 type, const char *data, u32 len);

/* Reason for the end of the script: a call of exit(), an error raised by error(), or an error of
 * the runtime. After the last one the end probes still run, to print the data collected so far. */
enum failure { FAILURE_NONE, FAILURE_SCRIPT, FAILURE_RUNTIME };
/* Ask the loader to stop the script. Any context. */
void port_exit(enum failure failed);
/* Count an uncaught error; returns their number. */
u64 port_count_error(void);

#endif
