/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced processes: found, given the agent, described to the script, left. */
#ifndef USTAP_INJECT_PROCESS_PROCESS_H
#define USTAP_INJECT_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/report.h"
#include "wire_process.h"

struct area;
struct arming;
struct blob;
struct event;
struct injector;
struct loaded;
struct maps;
struct tracee;

/* --------------------------------------------------------- process_record.c */

struct process {
	pid_t pid, pid_inside; /* as seen by the tracer, and by the process itself */
	pid_t owner;           /* process whose memory it shares; 0: it has its own */
	bool ended;            /* kept only for patches that its children inherited */
	int pidfd;             /* readable when it ends; -1: none, see process_descriptor() */
	struct area *areas;
	size_t nareas;
	struct loaded *loaded;
	size_t nloaded;
	struct arming *plans; /* made while it runs, in the order in which they are to be
			       * written */
	struct arming *spent; /* used; freed when it runs again */
	bool injected;
	bool unknown;              /* it may contain changes that are not recorded here */
	bool launching;            /* it is being traced to its entry point: see
				    * process_note_start() */
	bool sees_sigaction;       /* its changes of signal handlers are hooked */
	bool catching;             /* fault handling was set up, or is not possible */
	bool faults_caught;        /* the runtime handles faults, unless the process has released
				    * them */
	bool faults_unseen;        /* not all of its calls of rt_sigaction() are hooked */
	bool looks_up;             /* see struct file */
	bool unprobed;             /* it could not be stopped to probe a library; there was a
				    * warning */
	bool trapping, no_traps;   /* SIGTRAP was taken over, or cannot be */
	bool unwatched;            /* SIGTRAP was taken over, and a file mapped later has calls
				    * that block signals and are not hooked */
	uint32_t nextents;         /* number of entries of ust_process.extents used */
	unsigned last_pid;         /* of the machine, when sharers were looked for; 0: never */
	pid_t sharer;              /* found then; 0: none */
	struct ust_mapped *mapped; /* mappings last written to the process */
	size_t nmapped;
	char name[PROCESS_NAME];
	struct process *next;
};

/* The process id of PID in its own pid namespace. */
pid_t pid_inside(pid_t pid);
/* A pidfd of PID, owned by the caller; -1 with errno: ESRCH or EINVAL if it has ended, EMFILE also
 * if only those descriptors are left that are needed to stop processes and to read of them. */
int process_descriptor(pid_t pid);
/* True if P has exited, also if it is a zombie. Does not wait. */
bool process_ended(const struct process *p);
/* True if PID ends soon, see pid_ends_soon(). */
bool pid_is_ending(pid_t pid);
/* A record of PID, owned by IN, in its list. A warning if too many files are open for a pidfd. */
struct process *process_new(struct injector *in, pid_t pid);
/* NULL if not known. */
struct process *process_find(const struct injector *in, pid_t pid);
/* tracee_hold(), if necessary after another run has released it. */
int stop_process(struct tracee *t, pid_t pid);
/* It has exited: free its record, and no other one, or keep it if its patches are those of children
 * that inherited them. */
void process_note_exit(struct injector *in, struct process *p);
/* Note the exits that no pidfd has shown, and free the oldest records of exited processes. Not
 * while any record is in use. */
void processes_tidy(struct injector *in);
/* P has ended: send its exit status, if the kernel reports it. */
void death_of(const struct injector *in, struct process *p);
/* It has called exec, which discarded all changes. */
void process_forget(struct process *p);
/* Free all records; the processes continue. */
void processes_free(struct injector *in);
/* True if the agent is mapped at its address. */
bool process_has_agent(const struct blob *b, const struct maps *m);
/* True if MAPS, the mappings of P, have the file of L where it was patched. */
bool process_maps(const struct process *p, const struct maps *maps, const struct loaded *l);

/* ---------------------------------------------------------------- process.c */

/* Address ranges of the command line and the environment. */
struct process_strings {
	uint64_t args, args_end, env, env_end;
};
/* Those of process PID; 0 if they cannot be read. */
struct process_strings process_strings(pid_t pid);
/* Plan what process_update() will do, before P is stopped, so that it is stopped for a short time
 * only. */
void process_plan(struct injector *in, struct process *p);
/* These take a stopped process and leave it stopped. False after a message. */
bool process_inject(struct injector *in, struct process *p, struct tracee *t);
/* Patch files that are mapped and not patched yet, forget unmapped ones. */
bool process_update(struct injector *in, struct process *p, struct tracee *t);
/* True if process_update() would change anything. The process need not be stopped. */
bool process_needs_update(struct injector *in, const struct process *p);
/* It has reached the first instruction of its program; from now on it sends requests. */
void process_note_start(struct injector *in, struct process *p, const struct tracee *t);

/* --------------------------------------------------------------- sharers.c */

/* Look for what sharer_of() returns, before P is stopped, so that it need not. */
void sharers_look(struct process *p);
/* A process other than the stopped P that has the same memory and may run; 0: none. */
pid_t sharer_of(struct process *p);

/* ------------------------------------------------------------ moved_text.c */

/* Give the mappings of PID in MAPS that contain moved code of IN's files the names and offsets of
 * these files. */
void moved_text_name(const struct injector *in, pid_t pid, struct maps *maps);

/* ------------------------------------------------------------- gated_text.c */

/* Close and open the gates that are due, and change the code of all processes for that. */
void gates_serve(struct injector *in);

/* ------------------------------------------------------------- fork_child.c */

/* True if PID maps the agent's code. False also if its mappings cannot be read. */
bool fork_child_maps_text(const struct blob *b, pid_t pid);
/* True for staprun, the tracer and the script process, which are not traced. */
bool fork_child_is_own(const struct injector *in, pid_t pid);

/* Read ust_local.unique of PID; false if it cannot be read. */
bool process_unique(const struct injector *in, pid_t pid, uint64_t *to);
/* PID has inherited the agent: create a record of it and its patches. */
struct process *fork_child_find(struct injector *in, pid_t pid);
typedef bool (*fork_child_fn)(struct injector *in, pid_t pid, void *arg);
/* Call FN with ARG for all processes that have the agent and no record, until it returns true. */
void fork_children_visit(struct injector *in, fork_child_fn fn, void *arg);
/* Adopt all processes that have the agent. */
void fork_children_find(struct injector *in);

/* ----------------------------------------------------------- without_hits.c */

/* Warn of P, once, if its program is one that executes translated code of others. */
void translated_warn(struct injector *in, const struct process *p);
/* At the end of a run, before the processes are left: report to staprun if none of them has mapped
 * a file that the script probes. */
void unmapped_report(const struct injector *in);

/* --------------------------------------------------------------- untraced.c */

/* Called for each untraced descendant of a traced process. PROBED: only those that run a probed
 * program. */
typedef void (*descendant_fn)(void *arg, pid_t pid);
/* Call FN with ARG for each untraced descendant of the targets; PROBED: only those that run a
 * probed program. Reads all of /proc. */
void descendants_visit(struct injector *in, bool probed, descendant_fn fn, void *arg);
/* Report those of them that run a probed program now. */
void untraced_report_programs(struct injector *in);
/* PID, which is not traced, reports that it has reached a probe or, if PATH is not NULL, will
 * execute PATH. */
void untraced_serve(struct injector *in, pid_t pid, const char *path);

/* --------------------------------------------------------------- leftover.c */

/* Remove the leftovers of killed runs from the stopped process T. Returns 0, or errno with T
 * released. */
int leftovers_remove(struct tracee *t);

/* ----------------------------------------------------------------- detach.c */

/* Remove the script from the stopped process P, which remains stopped. *WHY: why its memory stays
 * mapped, or NULL. Returns 0, or errno with T released. */
int detach_process(struct injector *in, struct process *p, struct tracee *t, const char **why);

/* Remove the script from all processes, also unknown ones: stop them, restore code, pending return
 * addresses and signal handlers, unmap the memory if no thread can be inside, and release them. */
void detach_all(struct injector *in);

/* ------------------------------------------------------------ credentials.c */

struct credentials {
	bool known;
	uint32_t uid[4], gid[4]; /* real, effective, saved, of the file system */
	uint64_t caps;           /* permitted */
	uint64_t user_space;     /* inode of its user namespace */
};
/* Those of PID; not `known' if it has ended. */
struct credentials credentials_of(pid_t pid);
/* True if both have the same ids, capabilities and user namespace. */
bool credentials_equal(const struct credentials *a, const struct credentials *b);
/* True if A has no privilege that B lacks. */
bool credentials_within(const struct credentials *a, const struct credentials *b);
/* True if Q has the script's memory now. */
bool process_has_script_memory(const struct process *q);
/* True if every process that has or has had the script's memory has at least the privileges of
 * PID. */
bool credentials_cover(struct injector *in, pid_t pid);
/* Record that PID has that memory. */
void credentials_note(struct injector *in, pid_t pid);

/* -------------------------------------------------------------- admission.c */

/* Check that P may get the script's memory: not if it has more privileges than any process that has
 * had it, or if a process that has it now has more than P. False after a warning. */
bool admission_check(struct injector *in, const struct process *p);

/* ---------------------------------------------------------- death_channel.c */

/* STATUS as of wait(2); dropped if the pipe is full. */
void death_send(const struct injector *in, pid_t pid, const char *name, int status);
/* Process PID, which is not traced, has run the probed program PATH. */
void untraced_send(const struct injector *in, pid_t pid, const char *path);
/* No traced process has mapped any of N probed files, of which PATH is the first. */
void unmapped_send(const struct injector *in, const char *path, unsigned n);

/* ----------------------------------------------------------------- broker.c */

/* Serve a pending request of the script process. EV is the event in progress, or NULL. */
void broker_serve(struct injector *in, int socket, const struct event *ev);

#endif
