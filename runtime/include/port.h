/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a runtime supplies to runtime/common, which includes this header and
 * ustap_rt.h and nothing else.  port_impl.h is the runtime's own; it is found
 * by the include path and must define, as functions or macros:
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
 *                               the same inside of another such lock
 *
 *   u32 port_ncpus()            per-CPU data exists for 0 .. port_ncpus() - 1;
 *   bool port_cpu_exists(cpu)   some may be missing
 *   void *port_percpu_alloc(size), port_percpu_free(p)   zeroed, small
 *   void *port_percpu(p, cpu), port_percpu_here(p)
 *                               the latter needs no more than a good guess
 *   port_counter_add(p, v)      add to this CPU's ust_long, whole
 *
 *   void *port_alloc(size), port_free(p)                 zeroed, any size
 *
 *   u32 port_max_actions(c)     what the handler of C may do, by MAXACTION
 *   u64 port_time_budget(c)     cycles that it may take; 0: any time
 *   bool port_cycles_spent(c, now, cycles)
 *                               it took so many more until NOW; false: handlers on its CPU took too
 * many
 *
 *   u64 port_monotonic_ns(), port_cycles()               clocks; 0: there is none
 *   u32 port_random()
 *   PORT_TICK_NS                 the unit of timer.jiffies
 */
#ifndef USTAP_PORT_H
#define USTAP_PORT_H

#include "port_impl.h"
#include "ustap_rt.h"

/* Where a lock can be taken from an owner that was killed: was this one?  Then whoever holds it
 * mends what it guards, and says so. */
#ifndef port_lock_broken
#define port_lock_broken(l) ((void)(l), false)
#define port_lock_mended(l) ((void)(l))
#endif

/* Lock this CPU's data, or any other's where that is better; it begins with a port_lock_t. */
#ifndef port_percpu_lock
#define port_percpu_lock(p, flags)                        \
	({                                                \
		port_lock_t *cell_ = port_percpu_here(p); \
		port_lock(cell_, flags);                  \
		(void *)cell_;                            \
	})
#endif

/* Is there room on the stack for one more function
 * of the script?  Where a build cannot know that. */
#ifndef port_has_stack
#define port_has_stack(c) ((void)(c), true)
#endif

/* Where the probed process has its command line or its environment: strings, each ended by a NUL;
 * false: there is no such process. */
bool port_process_strings(struct ust_ctx *c, bool environment, u64 *start, u64 *end);

/* SIZE bytes, 1, 2, 4 or 8, of the probed process at ADDR; false: they cannot be read. */
bool port_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to);
/* A string of the probed process at ADDR, up to MAX bytes, and a NUL behind it; *N: its bytes.
 * False: a fault, before which what was read is there. */
bool port_read_string(struct ust_ctx *c, char *dst, u64 addr, u32 max, u32 *n);
/* The error of a read at ADDR that has just failed. */
void port_fault(struct ust_ctx *c, u64 addr);
/* Is the task that handler C runs in to die as soon as the handler has ended? */
bool port_killed(struct ust_ctx *c);

/* What is mapped at ADDR of the probed process: START to END from byte OFFSET of a file on, which
 * is a module of the program or not (PORT_NO_MODULE).  False: no file, and not the kernel's code
 * for processes (vdso). */
struct port_mapping {
	u64 start, end, offset;
	u32 module;
};
#define PORT_NO_MODULE (~(u32)0)
bool port_find_mapping(struct ust_ctx *c, u64 addr, struct port_mapping *to);
/* Where the probed process has byte OFFSET of MODULE; false: nowhere. */
bool port_find_module(struct ust_ctx *c, u32 module, u64 offset, u64 *addr);
/* Where the first byte of that file is mapped; 0: it is not. */
u64 port_file_start(struct ust_ctx *c, u64 addr);
/* The path of the file that is mapped at ADDR, or a name for it; NULL: none.  It may be overwritten
 * by the next one. */
const char *port_mapping_path(struct ust_ctx *c, u64 addr);
/* The .eh_frame_hdr of code that the runtime itself has put at PC; 0: it has not. */
u64 port_unwind_table(struct ust_ctx *c, u64 pc);
/* The address in the program of the code that PC of the probed thread stands for: another where the
 * runtime has moved that. */
u64 port_program_address(struct ust_ctx *c, u64 pc);
/* The return address in stack slot SLOT, which holds RA, before a return probe replaced it. */
u64 port_real_return(struct ust_ctx *c, u64 slot, u64 ra);

/* A string of the script lost its end, since it has no room for more than string_size - 1 bytes:
 * count that.  Any context. */
void port_string_cut(void);

/* The key of marks of names, 16 hexadecimal digits; 0: nobody looks for marks. */
u64 port_name_key(void);

/* ust_hit.mode of begin, end and error probes, whose output may wait for room. */
enum { PORT_ALONE = 1 };
/* Write a record; MAY_WAIT: for room, else a record without room is lost and counted. */
void port_write(u32 type, const char *data, u32 len, bool may_wait);

/* What ended the script: a call of exit(), an error that the script raised by error(),
 * or one of the runtime's.  After the last the end probes run, too: what was collected so
 * far is worth having. */
enum failure { FAILURE_NONE, FAILURE_SCRIPT, FAILURE_RUNTIME };
/* Ask the loader to stop the script; any context. */
void port_exit(enum failure failed);
/* Count an error that no handler caught; how many there are now. */
u64 port_count_error(void);

#endif
