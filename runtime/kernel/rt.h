/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations shared by the files of the kernel runtime; one section for each.
 *
 *   main.c         the module and its states
 *   subsystem.c    its parts, in the order in which they start
 *   context.c      contexts: take, lock, leave; errors and what they end
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
 *     perf.c             perf events, perf_task.c those of the threads of a program
 *     data.c             accesses of the kernel's memory
 *     netfilter.c        packets
 *     tracepoint.c       the kernel's tracepoints by name
 *     cpus.c             events on all CPUs, whichever are online
 *     sample.h           hits of what timers and counters interrupt
 *
 *   process/       which processes are hit
 *     filter.c     the target, its children, the caller's processes
 *     untraced.c   descendants that are not traced
 *     fileid.c     is a file the one that was compiled for?
 *     namespaces.c ids as staprun sees them
 *     taskwork.h   work of a task on its way to user mode
 *
 *   memory/        reads and writes of memory
 *     umem.c       memory of the probed process
 *     pagein.c     its pages that are not in memory
 *     mapping.c    what it has mapped where
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
#include "compat.h"
#include "common.h"
#include "wire.h"

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

/* ------------------------------------------------------------------- main.c */

struct rt {
	u32 state;   /* enum ust_state */
	bool armed;  /* handlers of probes and timers run */
	bool paused; /* ... do not run, because no process reads their output */
	u32 pauses;  /* number of pauses so far */
	bool exit_requested;
	u8 failed;           /* enum failure */
	bool irq;            /* locks disable interrupts */
	u32 flags;           /* flags of START: enum ust_start_flags */
	ust_long target;     /* value of target() */
	ust_long loader;     /* process id of the loader */
	u32 sites, unplaced; /* armed sites, and those that could not be armed */
	atomic64_t errors, skipped_context, skipped_stack, skipped_nested, missed_returns,
		cut_strings;
	u64 name_key;       /* key of the marks around names */
	atomic64_t skipped; /* the first two of these together, for MAXSKIPPED */
};
extern struct rt rt;

int rt_start(const struct ust_cmd *cmd);
int rt_stop(void);
int rt_view(void);
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
void subsystems_exit(void);

/* ---------------------------------------------------------------- control.c */

int control_init(void);
void control_exit(void);
/* Wake pollers of ctl after a change of the status. Any context. */
void control_notify(void);

/* ---------------------------------------------------------------- procdir.c */

/* Create /proc/ustap/NAME; NULL on failure. May sleep. */
struct proc_dir_entry *procdir_make(const char *name);
void procdir_remove(const char *name);

/* ----------------------------------------------------------------- procfs.c */

/* Create the script's own files in DIR. Returns 0 or an error; may sleep. */
int procfs_init(struct proc_dir_entry *dir);
bool procfs_wanted(void);
/* Wait for running handlers, when no new ones start. The files are removed with their directory. */
void procfs_stop(void);
void procfs_exit(void);

/* ------------------------------------------------------------------ relay.c */

int relay_init(struct proc_dir_entry *dir);
void relay_exit(void);
void relay_message(u32 type, const char *fmt, ...) __printf(2, 3);
void relay_lost(u64 *records, u64 *bytes);
/* True if a process has a buffer open for reading. */
bool relay_has_reader(void);

/* ---------------------------------------------------------------- context.c */

int context_init(void);
void context_exit(void);
/* Drop and retake the locks of X, around code that sleeps. */
void context_unlock(struct ctx *x);
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

/* ----------------------------------------------------------------- uprobe.c */

/* Find the module of the script whose file is INODE. */
bool uprobes_find_module(const struct inode *inode, u32 *module);
/* True if INODE is that module's file: the visible one, or the real one below an overlay. */
bool uprobes_is_module(u32 module, const struct inode *inode);
/* True if the module has probe sites; other modules are listed for backtraces. */
bool uprobes_probe_module(u32 module);
int uprobes_register(void);
/* Register and unregister probes by the state of the gates. */
void uprobes_refresh(void);
void uprobes_unregister(void); /* and wait for running handlers */

/* ----------------------------------------------------------------- verify.c */

/* While sites are registered: map the part of file PATH at OFFSET into the loader, so that the
 * kernel examines it. */
void verify_at(const struct path *path, u64 offset);
void verify_end(void);
bool verify_uses(const struct mm_struct *mm); /* true if MM is the loader's, because of
					       * verify_at() */

/* ----------------------------------------------------------------- kprobe.c */

/* Number of kernel symbols that are worth looking up in bulk; the loader passes them as lines of
 * /proc/kallsyms. */
u32 kprobe_symbols(void);
int kprobe_read_symbols(char *text);
int kprobe_register_all(void);
void kprobe_refresh(void);
bool kprobe_some_closed(void);    /* or waiting for a module, or optional */
void kprobe_unregister_all(void); /* and wait for running handlers */
struct tracepoint;
void kprobe_module_loaded(const char *name);
void kprobe_module_unloaded(const char *name);
void kprobe_tracepoint_added(const char *module, struct tracepoint *tp);
void kprobe_tracepoint_removed(const struct tracepoint *tp);

/* ---------------------------------------------------------- module_probes.c */

/* Start the module notifiers, which call the functions above, possibly at once. */
int module_probes_watch(void);
void module_probes_unwatch(void);

/* ---------------------------------------------------------------- syscall.c */

int syscall_start(void);
void syscall_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------ raise.c */

int raise_init(void);
void raise_exit(void); /* when no handler runs any more */

/* ----------------------------------------------------------- entry_values.c */

struct entry_values {
	struct entry_values *next;
	struct pid *pid;
	const void *point;
	unsigned long sp;
	ust_long words[]; /* program.saved_words of them */
};

int entry_values_init(void);
void entry_values_exit(void);
/* Allocate the block for the entry values of POINT in the call that this task begins with stack
 * pointer SP; NULL if none is free, counted as a missed return. entry_values_push() publishes it.
 */
struct entry_values *entry_values_alloc(const void *point, unsigned long sp);
void entry_values_push(struct entry_values *s);
/* Take the block at the return of that call; NULL if nothing was saved. Release it with
 * entry_values_free(). */
struct entry_values *entry_values_pop(const void *point, unsigned long sp);
void entry_values_free(struct entry_values *s);
/* Rename the blocks of this task for POINT, whose thread id was OLD: exec in another thread than
 * the first takes over the id of the first. */
void entry_values_rename_task(const void *point, pid_t old);

/* ----------------------------------------------------------------- fileid.c */

/* Difference of the file's identity from WANT (elfid.h; "" or NULL: any), or NULL if it matches.
 * May sleep. */
const char *fileid_difference(const struct path *path, const char *want);
/* True if a user other than root serves the file by FUSE and so can withhold its pages. */
bool fileid_pages_withheld(const struct path *path);

/* ----------------------------------------------------------------- filter.c */

extern bool filter_on, filter_own;
/* Start the filter. OWN: only processes of the current user are hit, and no privileged ones.
 * Returns 0 or an error; may sleep. */
int filter_start(pid_t target, bool children, bool own);
bool filter_owns(struct task_struct *task);
void filter_stop(void);
/* True if hits of the current process count. */
extern struct pid *filter_target;
bool filter_wants_child(void);
bool filter_wants_pid(const struct pid *pid);
static inline bool filter_wants_current(void)
{
	return (likely(task_tgid(current) == filter_target) || filter_wants_child()) &&
	       (likely(!filter_own) || filter_owns(current));
}
bool filter_wants_mm(struct mm_struct *mm);
/* True if children of the target are traced. */
bool filter_follows(void);
/* True if TASK is a descendant of the target. Called under RCU. */
bool filter_descends(const struct task_struct *task);

/* --------------------------------------------------------------- untraced.c */

/* Report descendants of the target that run a probed program and are not traced. The probed files
 * stay open from start to stop. */
int untraced_start(void);
void untraced_stop(void);
/* The current process has reached a probe and is not traced. */
void untraced_hit(void);

/* --------------------------------------------------------- process_events.c */

bool process_events_wanted(void);
/* COMMAND: the target has not called exec yet. */
int process_events_start(bool command);
int process_events_begin(void);
void process_events_stop(void); /* and wait for running handlers */
/* The task that a hit is about. */
static inline struct task_struct *task_of(const struct ust_ctx *c)
{
	return unlikely(c->hit->mode == RT_ABOUT) ? (struct task_struct *)c->hit->subject : current;
}

/* Its executable, only to compare; MM is the current task's, or its task is locked. */
const struct inode *process_executable(struct mm_struct *mm);
static inline bool process_runs_program(const struct task_struct *t)
{
	return t->mm && !(t->flags & (PF_KTHREAD | PF_IO_WORKER | COMPAT_USER_WORKER));
}

/* ------------------------------------------------------------------ tasks.c */

/* The task at the address TASK, if that is a live one; else NULL. Called under RCU. */
struct task_struct *task_from_address(ust_long task);

/* ------------------------------------------------------------------- perf.c */

bool perf_wanted(void);
int perf_start(void);
void perf_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------- data.c */

int data_init(void);
void data_exit(void);
bool data_wanted(void);
/* Number of kernel symbols that it needs; the loader passes them as lines of /proc/kallsyms. */
u32 data_symbols(void);
void data_read_symbols(const char *text);
int data_start(void);
void data_stop(void); /* and wait for running handlers */

/* -------------------------------------------------------------- netfilter.c */

int netfilter_start(void);
void netfilter_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------- namespaces.c */

/* Use the namespaces of the current task from now on. */
void namespaces_hold(void);
void namespaces_drop(void);
/* FIELD (UST_TASK_NS_...) of T. Called under RCU. */
ust_long namespaces_number(struct task_struct *t, ust_long field);

/* ------------------------------------------------------------------ timer.c */

int timer_start_all(void);
void timer_stop_all(void); /* and wait for running handlers */
/* Start and stop timers by the state of the gates. */
void timer_refresh(void);

/* ---------------------------------------------------------------- machine.c */

void random_seed(void);

/* ------------------------------------------------------------------- gate.c */

/* Evaluate all conditions; the gates take effect from the start to the stop. */
int gates_begin(void);
int gates_start(void);
void gates_stop(void);
void gates_exit(void);
bool gate_is_open(const struct ust_gate *g); /* NULL is always open */
/* True unless the conditions of all N sites V are known to be false. */
bool gates_open_any(const struct ust_site *const *v, u32 n);

#endif
