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

#include "compat.h"
#include "common.h"
#include "wire.h"

#define RT_PREFIX "ustap: "

/* Where a hit runs: ust_hit.mode. */
enum rt_mode {
	RT_PROBE,              /* in the probed task: may sleep, its memory can be read */
	RT_ALONE = PORT_ALONE, /* begin, end, error: in the loader's task, may sleep */
	RT_THREAD,             /* timers: in our thread, may sleep */
	RT_ATOMIC, /* tracepoints: in the probed task, may not sleep; reads memory that is there, if
		      it has any */
	RT_KERNEL, /* probes in the kernel, interrupts: anywhere; reads the task's memory that is
		      there, if it has any */
	RT_ABOUT,  /* begin of processes that are there: in the loader's task, about a subject */
	RT_MODES
};

/* ------------------------------------------------------------------- main.c */

struct rt {
	u32 state;   /* enum ust_state */
	bool armed;  /* handlers of probes and timers run */
	bool paused; /* ... not, as nobody reads what they write */
	u32 pauses;  /* so far */
	bool exit_requested;
	u8 failed;           /* enum failure */
	bool irq;            /* locks disable interrupts */
	u32 flags;           /* of START: enum ust_start_flags */
	ust_long target;     /* what target() gives */
	ust_long loader;     /* its process */
	u32 sites, unplaced; /* armed; those that could not be */
	atomic64_t errors, skipped_context, skipped_stack, skipped_nested, missed_returns,
		cut_strings;
	u64 name_key;       /* of marks of names */
	atomic64_t skipped; /* the first two of these, for MAXSKIPPED */
};
extern struct rt rt;

int rt_start(const struct ust_cmd *cmd);
int rt_stop(void);
int rt_view(void);
/* While it is paused a running script handles no hit. */
void rt_pause(bool pause);

/* -------------------------------------------------------------- subsystem.c */

/* All return 0 or an error.  subsystems_init() undoes its own failure; after one of the other two
 * the caller calls subsystems_stop(), which also ends what these started. */
int subsystems_init(void);
int subsystems_start(void); /* before begin probes */
int subsystems_begin(void); /* after them */
void subsystems_stop(void); /* and wait for running handlers */
void subsystems_exit(void);

/* ---------------------------------------------------------------- control.c */

int control_init(void);
void control_exit(void);
/* The status changed in a way that pollers wait for; any context. */
void control_notify(void);

/* ---------------------------------------------------------------- procdir.c */

/* Make /proc/ustap/NAME; NULL on failure. */
struct proc_dir_entry *procdir_make(const char *name);
void procdir_remove(const char *name);

/* ----------------------------------------------------------------- procfs.c */

/* Make the script's own files in DIR. */
int procfs_init(struct proc_dir_entry *dir);
bool procfs_wanted(void);
/* Wait for running handlers, once none begins any more.  Files leave with their directory. */
void procfs_stop(void);
void procfs_exit(void);

/* ------------------------------------------------------------------ relay.c */

int relay_init(struct proc_dir_entry *dir);
void relay_exit(void);
void relay_message(u32 type, const char *fmt, ...) __printf(2, 3);
void relay_lost(u64 *records, u64 *bytes);
/* Is somebody reading? */
bool relay_has_reader(void);

/* ---------------------------------------------------------------- context.c */

int context_init(void);
void context_exit(void);
/* Drop and take again the locks of X, so that something can sleep. */
void context_unlock(struct ctx *x);
void context_relock(struct ctx *x, const struct ust_lockset *locks);

/* ----------------------------------------------------------------- pagein.c */

/* All may sleep, and are called without the script's locks.  False: x->port.fault may say why. */
/* Lock the memory map for reading. */
bool pagein_lock(struct ctx *x, struct mm_struct *mm);
/* Bring in what SIZE bytes at ADDR, at most two pages, are in; it may be gone again at once. */
bool pagein(struct ctx *x, u64 addr, u32 size, bool write);
/* Copy from the memory of TASK. */
bool pagein_copy(struct ctx *x, struct task_struct *task, u64 addr, u32 size, void *to);

/* ----------------------------------------------------------------- uprobe.c */

/* Which module of the program is the file INODE? */
bool probe_find_module(const struct inode *inode, u32 *module);
/* Is it this one?  INODE may be what is visible, or the real one below an overlay. */
bool probe_is_module(u32 module, const struct inode *inode);
/* Does the script probe it?  Others are there for backtraces. */
bool probe_is_probed(u32 module);
int probe_register_all(void);
/* Register and unregister by the gates. */
void probe_refresh(void);
void probe_unregister_all(void); /* and wait for running handlers */

/* ----------------------------------------------------------------- verify.c */

/* While sites are registered: map what is at OFFSET of the file PATH into the loader, so that the
 * kernel examines it. */
void verify_at(const struct path *path, u64 offset);
void verify_end(void);
bool verify_uses(const struct mm_struct *mm); /* is MM the loader's, because of that? */

/* ----------------------------------------------------------------- kprobe.c */

/* How many symbols of the kernel are worth to be found at once; see them in some lines of
 * /proc/kallsyms. */
u32 kprobe_symbols(void);
int kprobe_see_symbols(char *text);
int kprobe_register_all(void);
void kprobe_refresh(void);
bool kprobe_some_closed(void);    /* or waits for its module, or may be missing */
void kprobe_unregister_all(void); /* and wait for running handlers */
struct tracepoint;
void kprobe_module_comes(const char *name);
void kprobe_module_goes(const char *name);
void kprobe_tracepoint_comes(const char *module, struct tracepoint *tp);
void kprobe_tracepoint_goes(const struct tracepoint *tp);

/* ---------------------------------------------------------- module_probes.c */

/* Say of modules that come and go to those above; may call them at once. */
int kmodule_watch(void);
void kmodule_unwatch(void);

/* ---------------------------------------------------------------- syscall.c */

int syscall_start(void);
void syscall_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------ raise.c */

int raise_init(void);
void raise_exit(void); /* once no handler runs any more */

/* ----------------------------------------------------------- entry_values.c */

struct saved {
	struct saved *next;
	struct pid *pid;
	const void *point;
	unsigned long sp;
	ust_long words[]; /* program.saved_words of them */
};

int saved_init(void);
void saved_exit(void);
/* Room for what POINT keeps for the call that this task begins, at whose entry the stack pointer
 * is SP; NULL: there is none (counted as a missed return).  saved_keep() makes it known. */
struct saved *saved_new(const void *point, unsigned long sp);
void saved_keep(struct saved *s);
/* At the return of that call; NULL: nothing was kept.  Give it back with saved_free(). */
struct saved *saved_take(const void *point, unsigned long sp);
void saved_free(struct saved *s);
/* What this task, whose number was OLD, has kept for POINT: exec in another thread than the first
 * one gives it the first's. */
void saved_renamed(const void *point, pid_t old);

/* ----------------------------------------------------------------- fileid.c */

/* How the file's identity differs from WANT (elfid.h; "" or NULL: any); NULL: it does not.
 * May sleep. */
const char *identity_difference(const struct path *path, const char *want);
/* Does a user other than root serve the file by FUSE, who can withhold its pages? */
bool file_is_withheld(const struct path *path);

/* ----------------------------------------------------------------- filter.c */

extern bool filter_on, filter_own;
/* OWN: only processes of the current user are hit, and no privileged ones. */
int filter_start(pid_t target, bool children, bool own);
bool filter_owns(struct task_struct *task);
void filter_stop(void);
/* Is the current process one that shall be hit? */
extern struct pid *filter_target;
bool filter_wants_child(void);
bool filter_wants_pid(const struct pid *pid);
static inline bool filter_wants_current(void)
{
	return (likely(task_tgid(current) == filter_target) || filter_wants_child()) &&
	       (likely(!filter_own) || filter_owns(current));
}
bool filter_wants_mm(struct mm_struct *mm);
/* Are children of the target traced? */
bool filter_follows(void);
/* Is TASK a descendant of the target?  Under RCU. */
bool filter_descends(const struct task_struct *task);

/* --------------------------------------------------------------- untraced.c */

/* Report descendants of the target that run a probed program and are not traced.  Between these
 * two the probed files stay open. */
int untraced_start(void);
void untraced_stop(void);
/* The current process is not to be hit and has come to a probe. */
void untraced_hit(void);

/* --------------------------------------------------------- process_events.c */

bool life_wanted(void);
/* COMMAND: the target has not exec'ed yet. */
int life_start(bool command);
int life_began(void);
void life_stop(void); /* and wait for running handlers */
/* Whom a hit is about. */
static inline struct task_struct *task_of(const struct ust_ctx *c)
{
	return unlikely(c->hit->mode == RT_ABOUT) ? (struct task_struct *)c->hit->subject : current;
}

/* What it runs, only to compare; MM is that of the current task, or its task is locked. */
const struct inode *exe_of(struct mm_struct *mm);
static inline bool runs_program(const struct task_struct *t)
{
	return t->mm && !(t->flags & (PF_KTHREAD | PF_IO_WORKER | COMPAT_USER_WORKER));
}

/* ------------------------------------------------------------------ tasks.c */

/* What a script names by this address, if that is a task which has not ended; under RCU. */
struct task_struct *task_at(ust_long task);

/* ------------------------------------------------------------------- perf.c */

bool perf_wanted(void);
int perf_start(void);
void perf_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------- data.c */

int data_init(void);
void data_exit(void);
bool data_wanted(void);
/* How many symbols of the kernel it must be told of; see them in some lines of /proc/kallsyms. */
u32 data_symbols(void);
void data_see_symbols(const char *text);
int data_start(void);
void data_stop(void); /* and wait for running handlers */

/* -------------------------------------------------------------- netfilter.c */

int netfilter_start(void);
void netfilter_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------- namespaces.c */

/* From now on those of the current task are meant. */
void namespaces_hold(void);
void namespaces_drop(void);
/* FIELD (UST_TASK_NS_...) of T, under RCU. */
ust_long namespaces_number(struct task_struct *t, ust_long field);

/* ------------------------------------------------------------------ timer.c */

int timer_start_all(void);
void timer_stop_all(void); /* and wait for running handlers */
/* Start and stop by the gates. */
void timer_refresh(void);

/* ---------------------------------------------------------------- machine.c */

void random_seed(void);

/* ------------------------------------------------------------------- gate.c */

/* Work all conditions out; obey them from the start to the stop. */
int gates_begin(void);
int gates_start(void);
void gates_stop(void);
void gates_exit(void);
bool gate_is_open(const struct ust_gate *g); /* NULL always is */
/* Is the condition of some of the N sites V not known to be false? */
bool gates_open_any(const struct ust_site *const *v, u32 n);

#endif
