/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations shared by the files of the kernel runtime; one section for each.
 *
 *   main.c         the module and its states
 *   state.c        the variables that all files share
 *   subsystem.c    its parts, in the order in which they start
 *   alloc.c        the runtime's own memory
 *   context.c      contexts: take, lock, leave; errors and what they end
 *   mm_lock.c      the lock of the memory map in kernel probes
 *   gate.c         conditions of probes
 *   reentry_guard.h  keeps handlers of kernel probes from meeting themselves
 *   port_impl.h    what runtime/common needs; compat.h: differences between kernels
 *
 *   transport/     between the module and the loader
 *     relay.c      records to the loader
 *     control.c    /proc/ustap/NAME/ctl
 *     procdir.c    the directories in /proc
 *     procfs.c     files that handlers read and write
 *
 *   probes/        one file for each type of probe, and what these share
 *     uprobe.c           uprobes: sites to consumers, hits
 *     entry_values.c     what return probes save at the entry
 *     verify.c           has the kernel examine the instructions of sites
 *     kprobe.c, .h       kprobes, kretprobes, tracepoints
 *     ftrace_bulk.c      many functions of the kernel, armed at once
 *     symbol_variants.c  functions of which the kernel has only an optimised clone
 *     module_probes.c    probes in modules of the kernel
 *     syscall.c          system calls of all processes
 *     process_events.c   begin, end and system calls of processes
 *     timer.c            timers
 *     perf.c             perf events
 *     watch.c            accesses of a program's data
 *     task_events.c      events of the threads of a program
 *     data.c             accesses of the kernel's memory
 *     netfilter.c        packets
 *     tracepoint.c       the kernel's tracepoints by name
 *     cpus.c             events on all CPUs, whichever are online
 *     kernel_probes.c    what the other files call of those types that are linked on demand
 *     sample.h           hits of what timers and counters interrupt
 *
 *   process/       which processes are hit
 *     executable.c the program of a process
 *     filter.c     the target, its children, the caller's processes
 *     untraced.c   descendants that are not traced
 *     target_file.c  the files of the modules of the script
 *     fileid.c     is a file the one that was compiled for?
 *     namespaces.c ids as staprun sees them
 *     taskwork.h   work of a task on its way to user mode
 *
 *   memory/        reads and writes of memory
 *     umem.c       memory of the probed process
 *     pagein.c     its pages that are not in memory
 *     mapping.c    what it has mapped where
 *     areas.c      areas of its memory map, without the lock
 *     vector.c     vector registers of the probed thread
 *     stack_room.c room on the stack of a handler
 *     kernel_variables.c  addresses of the kernel's variables
 *
 *   builtins/      builtins of the language that need the kernel
 *     task.c, tasks.c, machine.c, raise.c, kernel_stack.c, kernel_memory.c, kernel_write.c
 */
#ifndef USTAP_KERNEL_RT_H
#define USTAP_KERNEL_RT_H

#include <linux/atomic.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "arch/arch.h"
#include "common.h"
#include "compat.h"
#include "wire.h"
#include "wire_records.h"

/* ------------------------------------------------------------ rt */

#define RT_PREFIX "ustap: "

/* Context of a hit: ust_hit.mode. */
enum rt_mode {
	RT_PROBE,              /* in the probed task: may sleep, its memory is readable */
	RT_ALONE = PORT_ALONE, /* begin, end, error: in the loader's task, may sleep */
	RT_THREAD,             /* timers: in the runtime's thread, may sleep */
	RT_ATOMIC, /* tracepoints: in the probed task, must not sleep; reads resident memory, if
		    * the task has any */
	RT_KERNEL, /* kernel probes, interrupts: any context; reads the task's resident memory,
		    * if it has any */
	RT_ABOUT,  /* begin of processes that exist already: in the loader's task, about a
		    * subject */
	RT_MODES
};

/* ---------------------------------------------------------- main.c, state.c */

struct rt {
	u32 state;             /* enum ust_state */
	bool armed;            /* handlers of probes and timers run */
	bool armed_all;        /* ... in all processes: it is armed, and there is no filter */
	struct pid *armed_for; /* ... in this one, without further questions to the filter; or NULL.
				* These two spare most hits the tests of the filter */
	bool paused;           /* ... do not run, because no process reads their output */
	u32 pauses;            /* number of pauses so far */
	bool exit_requested;
	u8 failed;           /* enum failure */
	bool irq;            /* locks disable interrupts */
	u32 flags;           /* flags of START: enum ust_start_flags */
	ust_long target;     /* value of target() */
	ust_long loader;     /* process id of the loader */
	u32 sites, unplaced; /* armed sites, and those that could not be armed */
	atomic64_t errors, skipped_context, skipped_stack, skipped_nested, missed_returns,
		made_callers, copied_stacks, other_stacks, missed_lookups, cut_strings;
	u64 name_key;       /* key of the marks around names */
	atomic64_t skipped; /* the first two of these together, for MAXSKIPPED */
};
extern struct rt rt;

/* The commands START, STOP and VIEW of ctl, one at a time, by their caller's lock. Return 0 or an
 * error; may sleep. rt_start(): arm the probes, run begin probes; -EBUSY in a wrong state.
 * rt_stop(): disarm, run end probes, write the counts; also before a start. */
int rt_start(const struct ust_cmd *cmd);
int rt_stop(u32 flags);
/* Do what FLAGS (enum ust_view_flags) say, for the probe of index TARGET; then print the script's
 * current view: monitor probes and counts. In the loader's task. */
int rt_view(u32 flags, s64 target);
/* UST_CMD_NAMESPACES for process NR; 0 or a negative errno. May sleep. */
int rt_namespaces(pid_t nr);
/* Run the input probes for the N lowest bytes of CHARS. Returns 0, or -EINVAL for too many of them
 * or a script without such probes. In the loader's task, may sleep. rt_has_input(): the script has
 * such probes. */
int rt_input(u64 chars, u32 n);
bool rt_has_input(void);
/* Pause or resume a running script; a paused one handles no hits. */
void rt_pause(bool pause);

/* -------------------------------------------------------------- subsystem.c */

/* All return 0 or an error. subsystems_init() undoes its own failure; after a failure of one of the
 * other two the caller calls subsystems_stop(), which also ends the parts that these started. May
 * sleep. */
int subsystems_init(void);
int subsystems_start(void); /* before begin probes */
int subsystems_begin(void); /* after begin probes */
void subsystems_stop(void); /* and wait for running handlers */
/* Stop, and undo subsystems_init(); also after its failure. */
void subsystems_exit(void);

/* ---------------------------------------------------------------- control.c */

/* Create /proc/ustap/NAME with the file ctl and those of relay and procfs probes. Returns 0 or an
 * error, after which control_exit() is called; may sleep. */
int control_init(void);
/* Remove the files, and free the buffers. May sleep. */
void control_exit(void);
/* Wake pollers of ctl after a change of the status. Any context. */
void control_notify(void);

/* ---------------------------------------------------------------- procdir.c */

/* Create /proc/ustap/NAME; NULL on failure. May sleep. */
struct proc_dir_entry *procdir_make(const char *name);
/* Remove the directory with its files, and /proc/ustap if it is empty then. May sleep; waits for
 * processes in the files' functions. */
void procdir_remove(const char *name);

/* ----------------------------------------------------------------- procfs.c */

/* Functions of the file, ust_program.procfs: a module is linked with them if it has such probes. */
struct ust_procfs {
	/* Create the script's own files in DIR. Returns 0 or an error; may sleep. */
	int (*init)(struct proc_dir_entry *dir);
	/* Wait for running handlers, when no new ones start. The files are removed with their
	 * directory. */
	void (*stop)(void);
	/* Free the memory, after procdir_remove(). */
	void (*release)(void);
};

/* ------------------------------------------------------------------ relay.c */

/* Allocate the buffers of all online CPUs and create their files in DIR. Returns 0 or an error,
 * after which relay_exit() is called; may sleep. */
int relay_init(struct proc_dir_entry *dir);
/* Free the buffers, when no file is open and no handler runs. */
void relay_exit(void);
/* Write a record of TYPE (UST_REC_...) with formatted text, cut at 255 bytes; dropped and counted
 * without space. Any context. */
void relay_message(u32 type, const char *fmt, ...) __printf(2, 3);
/* Totals of dropped records, and of their bytes. */
void relay_lost(u64 *records, u64 *bytes);
/* True if a process has a buffer open for reading. */
bool relay_has_reader(void);
/* True if the current task is of the process that reads. */
bool relay_is_reader(void);
/* --lossless: write a record if there is space; if not, it is counted as dropped if LAST is set. */
bool relay_try(u32 type, const char *text, u32 len, bool last);
/* Wait until there is space for the record, the task is killed or no process reads. */
void relay_wait(u32 type, const char *text, u32 len);
/* True if handlers may be waiting for staprun, by --lossless. */
bool relay_stalled(void);

/* ---------------------------------------------------------------- mm_lock.c */

/* Prepare the deferred unlocking. Returns 0. mm_lock_exit(): wait for the last of it, when no
 * handler runs any more. */
int mm_lock_init(void);
void mm_lock_exit(void);
/* Lock MM for reading until X's handler in the kernel ends; false if a writer holds it or waits.
 * Any context. */
bool mm_lock(struct ctx *x, struct mm_struct *mm);
/* Release what mm_lock() has locked for X, on the same CPU. Any context. */
void mm_unlock(struct ctx *x);

/* ---------------------------------------------------------------- context.c */

/* Allocate all contexts: one for each CPU and spare ones, as handlers cannot allocate. 0, or
 * -ENOMEM, after which context_exit() is called. */
int context_init(void);
/* Free the contexts, when no handler runs. */
void context_exit(void);
/* Drop and retake the locks of X, around code that sleeps. */
void context_unlock(struct ctx *x);
/* See context_unlock(). LOCKS: x->port.locks from before it. */
void context_relock(struct ctx *x, const struct ust_lockset *locks);

/* ----------------------------------------------------------------- pagein.c */

/* All may sleep, and are called without the script's locks. On failure x->port.fault may give the
 * reason. */
/* Lock the memory map for reading. */
bool pagein_lock(struct ctx *x, struct mm_struct *mm);
/* Bring in the pages, at most two, of SIZE bytes at ADDR; they may be evicted again at once. */
bool pagein(struct ctx *x, u64 addr, u32 size, bool write);
/* Copy from the memory of TASK. */
bool pagein_copy(struct ctx *x, struct task_struct *task, u64 addr, u32 size, void *to);
/* Lock the current task's memory map for reading, for a handler that has no context. WAITED, 0 at
 * its start, counts jiffies up to the bound of all handlers. */
bool pagein_lock_current(unsigned long *waited);
/* Bring in the page at ADDR for such a handler. */
bool pagein_current(u64 addr, bool write, unsigned long *waited);
/* Read the word at ADDR of the current task for such a handler; false: it is not readable. */
bool pagein_word(unsigned long addr, unsigned long *word, unsigned long *waited);

/* ------------------------------------------------------------------ raise.c */

/* Prepare the slots for signals of raise(). Returns 0. */
int raise_init(void);
void raise_exit(void); /* when no handler runs any more */

/* ------------------------------------------------------------------- task.c */

/* The task at the address TASK, if that is a live one; else NULL. Called under RCU. */
struct task_struct *task_from_address(ust_long task);

/* ---------------------------------------------------------------- machine.c */

/* Seed random_next() for each CPU. */
void random_seed(void);

/* ------------------------------------------------------------------- gate.c */

/* Evaluate all conditions; the gates take effect from the start to the stop. */
int gates_begin(void);
/* Arm and disarm sites by the state of their gates from now on. Returns 0; may sleep. gates_stop()
 * ends that and waits for work in progress. */
int gates_start(void);
void gates_stop(void);
/* Wait for tasks that open gates, and free the memory. May sleep. */
void gates_exit(void);
bool gate_is_open(const struct ust_gate *g); /* NULL is always open */
/* True unless the conditions of all N sites V are known to be false. */
bool gates_open_any(const struct ust_site *const *v, u32 n);

#endif
