/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traced processes, as the tracing process keeps them; one section for each file that owns it.
 *
 *   patch/
 *     patched_file.c   files that are patched, and their probe sites
 *     patch.c          room for a jump at an instruction
 *     arm.c            one mapped file: trampolines made, text patched
 *     area.c           memory for trampolines, near the text they belong to
 *     text_write.c     bytes of text, and threads that stand in them
 *     hook.c           places that the runtime itself watches
 *     signal_hooks.c   ... system calls that change signal handlers and masks
 *     gate.c           conditions of probes: which sites are to be armed
 *     semaphore.c      counters that tell a program that it is probed
 *     faults.c         SIGSEGV and SIGBUS
 *     trap.c           SIGTRAP: breakpoints
 *     module_map.c     where a process has mapped the script's modules, for unwinding
 *     returns.c        replaced return addresses
 *     patch_record.c   what a later run needs to remove what this one leaves behind
 *   process/
 *     process.c        one process: inject, patch what it has mapped
 *     gated_text.c     text put back while the conditions of its probes do not hold
 *     fork_child.c     forked children, which have all that their parent has
 *     follow.c         processes that stay traced, for scripts that probe their events
 *     process_events.c these events, to the script process and back
 *     death_channel.c  deaths of traced processes, on their way to staprun
 *     detach.c         everything removed again
 *     leftover.c       what earlier runs have left behind
 *     untraced.c       descendants that are not traced and run a probed program
 *     credentials.c    which processes may share the script's memory
 *     request.c        what processes ask for
 *     broker.c         memory of the subject of an event, for the script process
 *   script/
 *     script_channel.c the process that runs the script's own probes, as the tracer sees it
 *   tracer.c             orders; event_fd.c: wake other processes of the run
 */
#ifndef USTAP_PROCESS_H
#define USTAP_PROCESS_H

#include "inject/inject.h"
#include "report/report.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ----------------------------------------------------------- patched_file.c */

/* The probe sites at one address of a file; possibly a hook, too. */
struct place {
	uint64_t addr, offset;  /* virtual address and file offset of the instruction */
	uint32_t first, rfirst; /* in the agent's order: entries, returns */
	uint16_t n, rn, hook;
	bool full;                      /* handlers need all registers */
	bool told, armed;               /* a failure was reported; counted as armed */
	bool trapped;                   /* armed by a breakpoint in some process ... */
	const char *why;                /* ... because no jump fits */
	const char *pp;                 /* probe point of the first site; NULL: only a hook */
	uint64_t semaphore, sem_offset; /* virtual address and file offset of its SDT semaphore;
					 * 0: none */
	uint16_t turns;  /* number, from 1 on, of a semaphore that gates control; 0: always
			  * incremented */
	uint32_t *gates; /* NGATES of them, numbered from 0: conditions of its sites */
	uint16_t ngates;
	bool always; /* some site has no condition */
};

/* Hooked system calls: rt_sigaction(); rt_sigprocmask() and waits with a mask. */
enum calls { CALLS_ACTION, CALLS_MASK, CALLS };

/* A file that is patched wherever it is mapped. */
struct file {
	char *path;
	dev_t dev; /* from stat(2) */
	ino_t ino;
	struct elf_file *elf; /* NULL: cannot be probed, which was reported */
	struct place *places; /* by address */
	size_t n;
	bool probed;            /* named by the script */
	bool mapped, other;     /* mapped by some process; some process maps another file of this
				 * path */
	bool hooked;            /* its hooks are in `places' */
	struct patch_text *all; /* branches of its code at virtual address all_addr, created when
				 * needed */
	uint64_t all_addr;
	struct file *calls[CALLS]; /* its sites that signal_hooks.c watches; NULL: not determined
				    * yet */
	bool watches_signals;      /* this is such a file: `places' are hooks, the file's own
				    * sites are armed besides */
};

/* State common to all processes of a run. */
struct script;
struct injector {
	struct blob *blob;
	struct file **files; /* the first are those of the script, by module number */
	size_t nfiles;
	uint32_t *order; /* sites by address, as in shared memory */
	size_t norder;
	uint32_t *fileless; /* sites whose files do not exist */
	size_t nfileless;
	struct process *processes;
	struct launching *launches; /* processes about to call exec */
	bool returns;               /* the script has return probes */
	bool dismissing;            /* no request is served any more */
	unsigned sites;             /* number armed in some process */
	unsigned unplaced;          /* number that could not be armed in some process */
	struct script *script;
	struct credentials *floor; /* the least privileges that a process with the script's
				    * memory has had; NULL: no process yet */
	struct followed *followed; /* follow.c */
	bool events;               /* their events count */
	struct gate *gates;
	uint32_t ngates;
	bool gates_stale;   /* the code of some process does not match the gates */
	bool gates_turned;  /* some were closed or opened */
	uint64_t gates_due; /* when to check them, CLOCK_MONOTONIC ns; ~0: on request */
	int deaths, status; /* pipe to staprun; eventfd that wakes it */
};

/* Open the files that the script probes, and sort its sites by address and into the agent's order.
 * False after a message: none can be probed. */
bool files_open(struct injector *in);
void files_close(struct injector *in);
/* Pass the state of the sites to the script: enum ust_count_flags. */
void files_note(const struct injector *in);
/* M of a process is not one of the script's files; note if it has the path of one. */
void file_other(const struct injector *in, const struct mapping *m);
/* True if F is the file that M of process PID maps. */
bool file_is(const struct file *f, pid_t pid, const struct mapping *m);
/* The known file that M of process PID maps, or NULL. */
struct file *file_of(const struct injector *in, pid_t pid, const struct mapping *m);
/* Add the file that M of process PID maps; NULL with errno set if it cannot be opened. */
struct file *file_add(struct injector *in, pid_t pid, const struct mapping *m);
/* The entry of F for virtual address ADDR, added if missing; NULL if that is not code. */
struct place *file_place(struct file *f, uint64_t addr);
bool file_has_place(const struct file *f, uint64_t addr);
const struct place *file_find_place(const struct file *f, uint64_t addr); /* NULL if not found */

/* ------------------------------------------------------------------- hook.c */

/* True if M belongs to a file with hooks: the dynamic linker, which is mapped at LINKER (0: none),
 * the C library, or a static program, whose entry point is ENTRY. */
bool hooks_in(const struct maps *maps, const struct mapping *m, uint64_t linker, uint64_t entry);
/* Add the hooks of F. */
void hooks_add(const struct injector *in, struct file *f);

/* ------------------------------------------------------------------- area.c */

/* Memory of trampolines in one process, for the code mapped at TEXT. */
struct area {
	uint64_t start, size, text;
	uint32_t extent; /* its number in ust_process */
	bool records;    /* it contains the records of the file */
};

/* An area being filled; the process is not changed before area_commit(). */
struct area_plan {
	uint64_t start, limit, used; /* address, size, bytes used */
	uint8_t *bytes;
	bool returns;      /* some return probe uses it */
	uint64_t reserved; /* bytes at its end that no trampoline may use */
	uint64_t records;  /* address of struct ust_record, NRECORDS of them */
	uint32_t nrecords;
};

/* Reserve SIZE bytes near NEAR within [LO, HI], recorded in M. False if there is no room. */
bool area_begin(struct area_plan *a, struct maps *m, const struct ust_layout *layout, uint64_t lo,
		uint64_t hi, uint64_t near, uint64_t size);
/* Address for the next trampoline, after its point; at least MIN. The caller checks that it
 * fits. */
uint64_t area_next(const struct area_plan *a, uint64_t min);
bool area_fits(const struct area_plan *a, uint64_t at);
/* Use the space for P's trampoline. */
void area_take(struct area_plan *a, const struct patch *p);
/* Map and write the area, for the code mapped at TEXT. Returns 0 or errno. */
int area_commit(const struct injector *in, struct process *p, struct tracee *t,
		const struct area_plan *a, uint64_t text);
/* The code at TEXT was unmapped: unmap its areas in which no thread runs. */
void areas_drop(const struct injector *in, struct process *p, struct tracee *t, uint64_t text);
void area_free(struct area_plan *a);

/* ------------------------------------------------------------- text_write.c */

/* Patches of one mapped file, sorted by address; forked children share them. */
struct patches {
	unsigned refs;
	size_t n;
	struct patch v[];
};
void patches_put(struct patches *v);
/* The patch whose code contains ADDR, or NULL. */
const struct patch *patches_at(const struct patches *v, uint64_t addr);

/* Write the new code of all patches, or the old code; returns the number of those not changed
 * because they hold other bytes. */
size_t text_arm(const struct tracee *t, const struct patches *v);
size_t text_restore(const struct tracee *t, const struct patches *v);
/* Check by samples that the patches are in place and the code was not mapped anew. */
bool text_is_armed(const struct tracee *t, const struct patches *v);
bool text_is_original(const struct tracee *t, const struct patches *v);
/* Move threads out of code that is replaced, including the return addresses of signal frames. */
void text_move_threads(struct tracee *t, const struct patches *v);

/* Number of bytes by which the kernel will move the program counter back to restart the thread's
 * system call; 0: no restart. */
static inline bool will_restart(const struct user_regs_struct *r)
{
	/* ERESTARTSYS and related codes of the kernel's linux/errno.h */
	return (long)regs_call(r) >= 0 && regs_result(r) <= -512 && regs_result(r) >= -516;
}

/* Called for each program counter in a signal frame on thread I's stack. */
typedef void (*frame_fn)(void *arg, uint64_t at, uint64_t pc);
void frames_visit(const struct tracee *t, size_t i, frame_fn fn, void *arg);

/* -------------------------------------------------------------------- arm.c */

/* A file that is mapped in a process and patched there. */
struct loaded {
	const struct file *file;
	uint64_t start, end, offset; /* of the mapping of its code */
	struct patches *patches;
	bool counted; /* its semaphores are incremented */
};

/* The virtual address in F of the code mapped at M. */
uint64_t arm_text_addr(const struct file *f, const struct mapping *m);
/* Find branches and functions in the code of F, mapped at M; once for all processes. */
void arm_examine_file(struct file *f, const struct mapping *m);
/* Patch F, mapped at M. Sites that cannot be patched are reported once. */
void arm_file(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
	      const struct mapping *m, struct file *f);

/* ------------------------------------------------------------------- gate.c */

void gates_init(struct injector *in);
/* True if all that P's place serves is behind gates. Hooks never are. */
static inline bool place_is_gated(const struct place *p)
{
	return p->ngates && !p->always && !p->hook;
}
bool place_is_open(const struct injector *in, const struct place *p);
/* A site behind gates was armed. */
void gates_armed(struct injector *in);
/* Decide which gates to close and open now. True: code must be changed for that; then call
 * gates_settle(), with ALL set if it was changed in all processes. */
bool gates_look(struct injector *in);
void gates_settle(struct injector *in, bool all);
/* Number of sites that only gates keep disarmed. */
unsigned gates_hidden(const struct injector *in);

/* -------------------------------------------------------------- semaphore.c */

/* Number the semaphores that gates control. */
void semaphores_init(struct injector *in);
/* Increment the semaphores of the places of L, once they are mapped; or decrement them again. */
void semaphores_raise(const struct injector *in, const struct process *p, const struct tracee *t,
		      const struct maps *m, struct loaded *l);
void semaphores_drop(const struct injector *in, const struct process *p, const struct tracee *t,
		     struct loaded *l);
/* Adjust the semaphores after gates were closed or opened. */
void semaphores_turn(const struct injector *in, const struct process *p, const struct tracee *t,
		     const struct loaded *l);

/* ------------------------------------------------------------ disposition.c */

enum {
	DISPOSITION_RESTORER = 0x04000000
}; /* SA_RESTORER, which only the kernel's headers
    * define */
/* Read the disposition of SIG in T's process, through its own system call. False if the call
 * fails. */
bool disposition_get(struct tracee *t, int sig, struct ust_disposition *to);
bool disposition_set(struct tracee *t, int sig, const struct ust_disposition *a);

/* ----------------------------------------------------------- signal_hooks.c */

/* Hook the calls of KIND in all files that P maps; false: not all of them are hooked. */
bool signal_hooks_add(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		      enum calls kind);
void signal_hooks_remove(const struct injector *in, const struct process *p, const struct tracee *t,
			 enum calls kind);

/* ----------------------------------------------------------------- faults.c */

/* Hook the calls by which P changes its fault handlers, before other sites are armed in its
 * files. */
void faults_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Make the runtime handle faults first, once, if all such calls are hooked. */
void faults_catch(const struct injector *in, struct process *p, struct tracee *t,
		  const struct maps *maps);
/* Restore the program's dispositions. */
void faults_release(const struct injector *in, struct tracee *t);

/* ------------------------------------------------------------------- trap.c */

/* Take over SIGTRAP in P, if not done yet; false: breakpoints are not possible, see *WHY. */
bool traps_ready(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		 const char **why);
/* Hook the files that P has mapped since, if it has breakpoints; false: not all could be hooked. */
bool traps_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Register P's breakpoint with the handler or, for those of V, that they are removed for good.
 * False: the table is full. */
bool trap_add(const struct injector *in, const struct tracee *t, const struct patch *p);
void traps_forget(const struct injector *in, const struct tracee *t, const struct patches *v);
/* True if TH has hit a breakpoint of V whose signal has not been delivered yet. */
bool trap_pending(const struct patches *v, const struct tracee_thread *th);
/* Give SIGTRAP back; false: another handler has been installed before the runtime's. */
bool traps_release(const struct injector *in, struct process *p, struct tracee *t);

/* ------------------------------------------------------------- module_map.c */

/* True if the script unwinds stacks, and P's mappings differ from the list that it was given. */
bool module_map_changed(const struct injector *in, const struct process *p,
			const struct maps *maps);
/* Write the list of mappings to the process. */
void module_map_write(const struct injector *in, struct process *p, struct tracee *t,
		      const struct maps *maps);

/* ------------------------------------------------------------- gated_text.c */

/* Close and open the gates that are due, and change the code of all processes for that. */
void gates_serve(struct injector *in);

/* ---------------------------------------------------------------- process.c */

struct process {
	pid_t pid, pid_inside; /* as seen by the tracer, and by the process itself */
	pid_t owner;           /* process whose memory it shares, as pid_inside; 0: it has its
				* own */
	int pidfd;             /* -1: it has exited */
	struct area *areas;
	size_t nareas;
	struct loaded *loaded;
	size_t nloaded;
	bool injected;
	bool unknown;              /* it may contain changes that are not recorded here */
	bool launching;            /* it is being traced to its entry point: see
				    * process_launched() */
	bool sees_sigaction;       /* its changes of signal handlers are hooked */
	bool catching;             /* fault handling was set up, or is not possible */
	bool faults_caught;        /* the runtime handles faults, unless the process has released
				    * them */
	bool faults_unseen;        /* not all of its calls of rt_sigaction() are hooked */
	bool trapping, no_traps;   /* SIGTRAP was taken over, or cannot be */
	bool unwatched;            /* SIGTRAP was taken over, and a file mapped later has calls
				    * that block signals and are not hooked */
	uint32_t nextents;         /* number of entries of ust_process.extents used */
	struct ust_mapped *mapped; /* mappings last written to the process */
	size_t nmapped;
	char name[PROCESS_NAME];
	struct process *next;
};

/* The process id of PID in its own pid namespace. */
pid_t pid_inside(pid_t pid);
/* Find its command line and environment. */
void process_strings(pid_t pid, struct ust_process *to);
bool process_ended(const struct process *p);
struct process *process_new(struct injector *in, pid_t pid);
/* NULL if not known. */
struct process *process_find(const struct injector *in, pid_t pid);
/* tracee_stop(), if necessary after another run has released it. */
int stop_process(struct tracee *t, pid_t pid);
/* It has exited; its patches are kept for children that inherited them. */
void process_gone(struct injector *in, struct process *p);
/* It has called exec, which discarded all changes. */
void process_forget(struct process *p);
void processes_free(struct injector *in);
/* True if the agent is mapped at its address. */
bool process_has_agent(const struct blob *b, const struct maps *m);

/* Read the data needed of the files that P maps; P need not be stopped. */
void process_look(struct injector *in, struct process *p);
/* These take a stopped process and leave it stopped. False after a message. */
bool process_inject(struct injector *in, struct process *p, struct tracee *t);
/* Patch files that are mapped and not patched yet, forget unmapped ones. */
bool process_update(struct injector *in, struct process *p, struct tracee *t);
/* True if process_update() would change anything. The process need not be stopped. */
bool process_changed(struct injector *in, const struct process *p);
/* It has reached the first instruction of its program; from now on it sends requests. */
void process_launched(const struct injector *in, struct process *p, const struct tracee *t);

/* ------------------------------------------------------------- fork_child.c */

/* True if PID maps the agent's code. False also if its mappings cannot be read. */
bool fork_child_maps_text(const struct blob *b, pid_t pid);
/* True for staprun, the tracer and the script process, which are not traced. */
bool fork_child_is_own(const struct injector *in, pid_t pid);

/* PID has inherited the agent: create a record of it and its patches. */
struct process *fork_child_find(struct injector *in, pid_t pid);
/* The process with the agent whose own id of itself is PID; NULL if not found. */
struct process *fork_child_find_inside(struct injector *in, pid_t pid);
/* Adopt all processes that have the agent. */
void fork_children_find(struct injector *in);

/* --------------------------------------------------------------- untraced.c */

/* Called for each untraced descendant of a traced process. PROBED: only those that run a probed
 * program. */
typedef void (*descendant_fn)(void *arg, pid_t pid);
void descendants_visit(struct injector *in, bool probed, descendant_fn fn, void *arg);
/* Report those of them that run a probed program now. */
void untraced_look(struct injector *in);
/* PID, which is not traced, reports that it has reached a probe or, if PATH is not NULL, will
 * execute PATH. */
void untraced_serve(struct injector *in, pid_t pid, const char *path);

/* ---------------------------------------------------------------- returns.c */

bool areas_hold(const struct process *p, uint64_t addr);

struct returns {
	bool seen;          /* some were found */
	size_t stale;       /* number of those whose stack slot has another value */
	struct ust_slot *v; /* buffer for the table; free() it */
};
/* Restore stack slots that hold addresses of trampolines. */
void returns_give_back(struct returns *r, const struct injector *in, const struct process *p,
		       const struct tracee *t);

/* ----------------------------------------------------------- patch_record.c */

/* Bytes to reserve in an area for N records. */
uint64_t records_size(size_t n);
/* Room for N records after the trampolines of A, which has reserved it and is not committed yet. */
struct ust_record *records_place(struct area_plan *a, size_t n);
void record_fill(struct ust_record *to, const struct patch *p);
/* The reverse: false if the record is invalid. */
bool record_read(const struct ust_record *from, struct patch *to);
/* Record A, which is about to be mapped in P. Returns 0 or errno. */
int extent_enter(const struct injector *in, struct process *p, const struct tracee *t,
		 struct area *a, const struct area_plan *plan);
void extent_forget(const struct injector *in, const struct tracee *t, const struct area *a);
/* Record that the semaphores of the file at TEXT are incremented. */
void extent_raised(const struct injector *in, const struct process *p, const struct tracee *t,
		   uint64_t text);

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

/* --------------------------------------------------------- script_channel.c */

enum script_job { SCRIPT_IDLE, SCRIPT_BEGIN, SCRIPT_END, SCRIPT_VIEW };

struct event;
typedef void script_broker(struct injector *in, int socket, const struct event *ev);

/* The tracer's end of the script process. */
struct script {
	struct blob *blob;
	struct injector *in;
	pid_t pid;                          /* 0: it has ended */
	int orders, memory;                 /* sockets */
	int done;                           /* epoll of both: call script_take() when readable */
	enum script_job job;                /* job in progress */
	bool did;                           /* a job has completed since the last query */
	bool disarmed;                      /* permanently */
	int error;                          /* of the last job */
	uint64_t used;                      /* processor time of the process at the last command,
					     * ns */
	bool overdue;                       /* it was killed because it exceeded its processor
					     * time */
	struct event *events, **events_end; /* to be run, in this order; the first one is in
					     * progress */
	bool busy;                          /* ... it is */
	struct event *events_done;
	unsigned nevents; /* sent, not taken back */
	int status;       /* eventfd of staprun: the status has changed */
	/* Serves a request for memory from SOCKET. */
	script_broker *broker;
};

/* Start the process. EXPOSED: traced processes will map the script's memory, so it drops its
 * privileges. */
bool script_start(struct script *s, struct injector *in, struct blob *b, int status, bool exposed,
		  script_broker *broker);
void script_end(struct script *s);
/* Take replies and serve requests for memory; call when s->done is readable. */
void script_take(struct script *s);
/* Call every SCRIPT_CHECK_MS while a command is in progress: kills a process that does not
 * finish. */
enum { SCRIPT_CHECK_MS = 500 };
bool script_at_work(const struct script *s);
void script_check(struct script *s);
/* True if a job has completed since the last call. */
bool script_take_done(struct script *s);
void script_do(struct script *s, enum script_job job);
/* Pass the state of site I to the script: enum ust_count_flags. */
void script_note(struct script *s, uint32_t i, uint32_t flags);
void script_notes_flush(struct script *s);
void script_wake(struct script *s); /* timers have changed */
/* Ignore all hits from now on, even if begin probes are still running. */
void script_disarm(struct script *s);

/* A process event; see ust_event of wire.h. */
struct event {
	uint32_t kind;
	struct ust_subject subject;
	pid_t tid; /* the thread */
	bool held; /* stopped until the handlers have run */
	bool exec; /* ... and is then brought to the entry of its program */
	struct event *next;
};
/* Run the handlers of EV; s->done is signalled when they have run. */
void script_event(struct script *s, struct event *ev);
/* The next event whose handlers have run, or NULL. */
struct event *script_event_done(struct script *s);

/* ----------------------------------------------------------------- broker.c */

/* Serve a pending request of the script process. EV is the event in progress, or NULL. */
void broker_serve(struct injector *in, int socket, const struct event *ev);

/* ------------------------------------------------------------ credentials.c */

struct credentials {
	bool known;
	uint32_t uid[4], gid[4]; /* real, effective, saved, of the file system */
	uint64_t caps;           /* permitted */
	uint64_t user_space;     /* inode of its user namespace */
};
/* Check that P may get the script's memory: not if it has more privileges than any process that has
 * had it, or if a process that has it now has more than P. False after a warning. */
bool credentials_admit(struct injector *in, const struct process *p);
/* True if every process that has or has had the script's memory has at least the privileges of
 * PID. */
bool credentials_cover(struct injector *in, pid_t pid);
/* Record that PID has that memory. */
void credentials_note(struct injector *in, pid_t pid);

/* ---------------------------------------------------------------- request.c */

/* The process whose own id of itself is PID, adopted if necessary; NULL if not found. */
struct process *process_who(struct injector *in, pid_t pid);

/* PID is stopped at its exec, see launch_here(): inject the agent, and bring it to its entry
 * point. */
void follow_exec(struct injector *in, pid_t pid);
void requests_open(struct injector *in);
/* Serve the pending requests. */
void requests_serve(struct injector *in);
/* Release waiting threads without serving their requests. */
void requests_dismiss(struct injector *in);
/* A process of launch_seize() that is about to exec, and is to be traced from the first instruction
 * of its program on. */
struct launching {
	pid_t pid, tid;    /* the thread that asked */
	uint64_t deadline; /* CLOCK_MONOTONIC ns: an exec that has not begun then has failed */
	uint64_t ran;      /* processor time of that thread at its request, ns; ~0: unknown */
	bool changed;      /* it has loaded libraries meanwhile */
	struct launching *next;
};
/* PID executes its program when staprun lets it start; no deadline applies. */
void launches_add(struct injector *in, pid_t pid);
bool launches_has(struct injector *in, pid_t pid);
/* Call soon and often while a launch is in progress. True: a launch has advanced. */
bool launches_poll(struct injector *in);
void launches_cancel(struct injector *in, pid_t pid);
void launches_cancel_all(struct injector *in);

/* ---------------------------------------------------------- death_channel.c */

/* STATUS as of wait(2); dropped if the pipe is full. */
void death_send(const struct injector *in, pid_t pid, const char *name, int status);
/* Process PID, which is not traced, has run the probed program PATH. */
void untraced_send(const struct injector *in, pid_t pid, const char *path);
/* P has ended: send its exit status, if the kernel reports it. */
void death_of(const struct injector *in, struct process *p);
/* A pidfd of PID, which claims to be forked by a traced process, and its name; -1 if it was not. */
int child_open(const struct injector *in, pid_t pid, char name[PROCESS_NAME]);
/* Adopt the child; if it is dying and its memory cannot be read any more, wait for its end. Takes
 * FD. */
void child_keep(struct injector *in, pid_t pid, int fd, const char *name);

/* ----------------------------------------------------------------- follow.c */

/* A thread that remains traced. */
struct thread {
	pid_t tid, inside; /* as seen by the tracer, and by the process itself */
	struct followed *of;
	bool begun;     /* it has reached its first stop */
	bool ended;     /* it is dying */
	bool listening; /* stopped by job control */
	bool in_call;   /* in a system call whose entry was reported: */
	bool again;     /* interrupted by the tracer, and restarted */
	uint64_t call;
	struct event *pending; /* event for which it is stopped */
	struct thread *next;
};

struct followed {
	pid_t pid, inside;
	char name[PROCESS_NAME];
	uint32_t module; /* module module that it runs; UST_NO_MODULE */
	bool begun;      /* its begin was an event; false for a command before its exec */
	bool known;      /* its events count */
	bool calls;      /* its system calls are probed probed */
	bool execs;      /* stopped at its exec, whose begin event was posted */
	struct thread *threads;
	struct followed *next;
};

/* True if the script probes process events. */
bool follow_wanted(const struct injector *in);
/* Trace all threads of PID from now on; COMMAND: its events count from its next exec on. Returns 0
 * or errno. */
int follow_process(struct injector *in, pid_t pid, bool command);
/* The script runs: post begin events for the existing processes. */
void follow_armed(struct injector *in);
/* Handle reports since the last call: at each SIGCHLD, and when s->done is signalled. True: a
 * process has called exec. */
bool follow_poll(struct injector *in);
/* Handle all reports, and wait a bounded time until all handlers have run. */
void follow_settle(struct injector *in);
/* Stop following all processes, or one. */
void follow_end(struct injector *in);
void follow_release(struct injector *in, pid_t pid);
bool follow_has(const struct injector *in, pid_t pid);

/* For process_events.c */
void follow_resume(struct thread *th, int sig);
struct thread *follow_thread(const struct injector *in, pid_t tid);

/* --------------------------------------------------------- process_events.c */

/* Post EVENT of TH; with HELD it is stopped until the handlers have run. False: not probed. */
bool process_event_post(struct injector *in, struct thread *th, uint32_t event,
			const struct user_regs_struct *regs, bool held);
/* TH has called exec. */
void process_event_exec(struct injector *in, struct thread *th);
/* Release the threads whose handlers have run. */
void process_events_handled(struct injector *in);
/* The module of the script that PID runs. */
uint32_t process_event_module(const struct injector *in, pid_t pid);

/* --------------------------------------------------------------- event_fd.c */

int event_fd_new(void);
void event_fd_signal(int fd);
void event_fd_clear(int fd); /* reset after a signal */

#endif
