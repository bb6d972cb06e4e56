/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of all types: found, started, stopped; one section for each file. */
#ifndef USTAP_KERNEL_PROBES_PROBES_H
#define USTAP_KERNEL_PROBES_PROBES_H

#include "rt.h"

/* ----------------------------------------------------------------- uprobe.c */

/* Open the probed files and arm all uprobes, and with them kernel probes and system calls. Returns
 * 0 or an error, after which uprobes_unregister() is called; may sleep. */
int uprobes_register(void);
/* Register and unregister probes by the state of the gates. */
void uprobes_refresh(void);
void uprobes_unregister(void); /* and wait for running handlers */

/* -------------------------------------------------------------- unwinders.c */

/* Arm the probes that give unwinders of the probed programs the real return addresses, once the
 * files are open and before any return probe. Returns 0 or -ENOMEM; may sleep. */
int unwinders_register(void);
void unwinders_unregister(void); /* and wait for running handlers */

/* ----------------------------------------------------------------- verify.c */

/* While sites are registered: map the part of file PATH at OFFSET into the loader, so that the
 * kernel examines it. */
void verify_at(const struct path *path, u64 offset);
/* Close the file of verify_at(). */
void verify_end(void);
bool verify_uses(const struct mm_struct *mm); /* true if MM is the loader's, because of
					       * verify_at() */

/* ----------------------------------------------------------------- kprobe.c */

/* Number of kernel symbols that are worth looking up in bulk; the loader passes them as lines of
 * /proc/kallsyms. */
u32 kprobe_symbols(void);
/* TEXT: whole lines, which are split in place. Returns 0 or -ENOMEM. */
int kprobe_read_symbols(char *text);
/* Arm all kernel probes whose gates are open; a site that cannot be armed is a warning. Returns 0
 * or an error; may sleep. kprobe_refresh() disarms and arms again by the state of the gates. */
int kprobe_register_all(void);
void kprobe_refresh(void);
bool kprobe_some_closed(void);    /* or waiting for a module, or optional */
void kprobe_unregister_all(void); /* and wait for running handlers */
struct tracepoint;
/* Called by module notifiers, may sleep. kprobe_module_loaded(), kprobe_module_unloaded(): the
 * module NAME has come, or goes: arm or disarm its kprobes. kprobe_tracepoint_added(),
 * kprobe_tracepoint_removed(): the same for the tracepoint TP, which is valid in between. */
void kprobe_module_loaded(const char *name);
void kprobe_module_unloaded(const char *name);
void kprobe_tracepoint_added(const char *module, struct tracepoint *tp);
void kprobe_tracepoint_removed(const struct tracepoint *tp);

/* ----------------------------------------------------------- kernel_probes.c */

/* Functions of the part `kernel' of the runtime, which a module is linked with if it has probes of
 * these types. */
struct ust_kernel_probes {
	u32 (*symbols)(void);
	int (*read_symbols)(char *text);
	int (*register_all)(void); /* kernel functions, tracepoints, system calls, data of
				    * programs */
	void (*refresh)(void);
	bool (*some_closed)(void);
	void (*unregister_all)(void);
	int (*perf_start)(void);
	void (*perf_stop)(void);
	int (*data_init)(void);
	int (*data_start)(void);
	void (*data_stop)(void);
	void (*data_exit)(void);
	int (*netfilter_start)(void);
	void (*netfilter_stop)(void);
};

/* ---------------------------------------------------------- module_probes.c */

/* Start the module notifiers, which call the functions above, possibly at once. */
int module_probes_watch(void);
/* Stop the notifiers; none of them runs afterwards. May sleep. */
void module_probes_unwatch(void);

/* ---------------------------------------------------------------- syscall.c */

/* Hook the tracepoints of system calls that the script probes. Returns 0 or an error, after which
 * syscall_stop() is called; may sleep. */
int syscall_start(void);
void syscall_stop(void); /* and wait for running handlers */

/* ----------------------------------------------------------- entry_values.c */

struct entry_values {
	struct entry_values *next;
	struct pid *pid;
	const void *point;
	unsigned long sp;
	ust_long words[]; /* program.saved_words of them */
};

/* Allocate the blocks, before any probe is armed; 0 or -ENOMEM. May sleep. entry_values_exit()
 * frees them when no handler runs any more. */
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

/* --------------------------------------------------------- process_events.c */

/* True if P is a probe of the begin, the end or the system calls of processes or threads. */
static inline bool is_process_event(const struct ust_probe *p)
{
	return p->kind >= UST_PROBE_PROCESS_BEGIN && p->kind <= UST_PROBE_SYSCALL_RETURN;
}

/* Functions of the file, ust_program.process_events: a module is linked with them if it has such
 * probes. */
struct ust_process_events {
	/* COMMAND: the target has not called exec yet. Returns 0 or an error, after which stop() is
	 * called; may sleep. */
	int (*start)(bool command);
	/* Run the begin handlers for the processes that exist already. Returns 0; may sleep. */
	int (*report_existing)(void);
	void (*stop)(void); /* and wait for running handlers */
};

/* The thread id of a hit of a thread.end probe, as current->pid was while the thread ran. */
static inline pid_t ended_thread(const struct ust_hit *hit) { return *(const pid_t *)hit->subject; }
/* The task that a hit is about. */
static inline struct task_struct *task_of(const struct ust_ctx *c)
{
	return unlikely(c->hit->mode == RT_ABOUT) ? (struct task_struct *)c->hit->subject : current;
}

/* ------------------------------------------------------------------- perf.c */

/* True if the script has perf probes. */
bool perf_is_used(void);
/* Open the counters. Returns 0 or an error, after which perf_stop() is called; may sleep. */
int perf_start(void);
void perf_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------- data.c */

/* Allocate memory for the data probes; 0 or -ENOMEM. data_exit() frees it. */
int data_init(void);
void data_exit(void);
/* True if the script has data probes, kernel.data(). */
bool data_is_used(void);
/* Number of kernel symbols that it needs; the loader passes them as lines of /proc/kallsyms. */
u32 data_symbols(void);
/* TEXT: whole lines "ADDRESS TYPE NAME", with the module after a tab. */
void data_read_symbols(const char *text);
/* Set the hardware breakpoints; one that cannot be set is a warning. Returns 0; may sleep. */
int data_start(void);
void data_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------ watch.c */

/* Watch the data of programs that the script names, in existing and new threads. Returns 0 or an
 * error, after which watch_stop() is called; may sleep. */
int watch_start(void);
void watch_stop(void); /* and wait for running handlers */

/* -------------------------------------------------------------- netfilter.c */

/* Register the hooks; one that cannot be registered is a warning. Returns 0 or -ENOMEM; may sleep.
 */
int netfilter_start(void);
void netfilter_stop(void); /* and wait for running handlers */

/* ------------------------------------------------------------------ timer.c */

/* Start all timers and profile probes. Returns 0 or an error, after which timer_stop_all() is
 * called; may sleep. */
int timer_start_all(void);
void timer_stop_all(void); /* and wait for running handlers */
/* Start and stop timers by the state of the gates. */
void timer_refresh(void);

#endif
