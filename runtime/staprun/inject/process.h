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

/* Sites at one place of one file; maybe a hook, too. */
struct place {
	uint64_t addr, offset;  /* virtual address and file offset of the instruction */
	uint32_t first, rfirst; /* in the agent's order: entries, returns */
	uint16_t n, rn, hook;
	bool full;                      /* all registers are wanted */
	bool told, armed;               /* that it cannot be probed; counted as armed */
	bool trapped;                   /* somewhere by a breakpoint ... */
	const char *why;                /* ... as no jump fits */
	const char *pp;                 /* of the first site; NULL: only a hook */
	uint64_t semaphore, sem_offset; /* virtual address, file offset of its counter of users; 0:
					   none */
	uint16_t turns; /* the number, from 1 on, of a semaphore that gates open; 0: it is always up
			 */
	uint32_t *gates; /* NGATES of them, numbers from 0 on: conditions of its sites */
	uint16_t ngates;
	bool always; /* some site has none */
};

/* System calls that are watched: rt_sigaction(); rt_sigprocmask() and waits with a mask. */
enum calls { CALLS_ACTION, CALLS_MASK, CALLS };

/* A file that is patched wherever it is mapped. */
struct file {
	char *path;
	dev_t dev; /* as stat(2) says */
	ino_t ino;
	struct elf_file *elf; /* NULL: cannot be probed, which was said */
	struct place *places; /* by address */
	size_t n;
	bool probed;            /* by the script */
	bool mapped, other;     /* by some process; one has another file of this path */
	bool hooked;            /* its hooks are among the places */
	struct patch_text *all; /* of its text at virtual address all_addr, made when needed */
	uint64_t all_addr;
	struct file *calls[CALLS]; /* places of it that signal_hooks.c watches; NULL: not looked
				      for yet */
	bool watches_signals;      /* this is such a file: its places are hooks, and the file's
				      own are armed besides */
};

/* What is common to all processes of a run. */
struct script;
struct injector {
	struct blob *blob;
	struct file **files; /* the first are those of the script, by number of the module */
	size_t nfiles;
	uint32_t *order; /* sites by place, as shared memory has it */
	size_t norder;
	uint32_t *fileless; /* sites whose files are not there */
	size_t nfileless;
	struct process *processes;
	struct launching *launches; /* that are about to exec */
	bool returns;               /* the script probes returns */
	bool dismissing;            /* no request is served any more */
	unsigned sites;             /* armed somewhere */
	unsigned unplaced;          /* could not be, somewhere */
	struct script *script;
	struct credentials *floor; /* the least that a process with the script's memory has had;
				      NULL: there was none */
	struct followed *followed; /* follow.c */
	bool events;               /* what happens to them counts */
	struct gate *gates;
	uint32_t ngates;
	bool gates_stale;   /* some text is not as the gates are */
	bool gates_turned;  /* some were closed or opened */
	uint64_t gates_due; /* when to look at them, CLOCK_MONOTONIC ns; ~0: when told */
	int deaths, status; /* pipe to staprun; eventfd that wakes it */
};

/* Open the files that the script probes and sort its sites into places and the agent's order.
 * False after a message: none can be probed. */
bool files_open(struct injector *in);
void files_close(struct injector *in);
/* Tell the script what is known of its sites: enum ust_count_flags. */
void files_note(const struct injector *in);
/* M of a process is no file that is known; it may have the path of one. */
void file_other(const struct injector *in, const struct mapping *m);
/* Is F what M of process PID maps? */
bool file_is(const struct file *f, pid_t pid, const struct mapping *m);
/* The file that M of process PID maps, NULL: none that is known. */
struct file *file_of(const struct injector *in, pid_t pid, const struct mapping *m);
/* Add a file that M of process PID maps; NULL (errno): it cannot be opened. */
struct file *file_add(struct injector *in, pid_t pid, const struct mapping *m);
/* The place of F at virtual address ADDR, added if there was none; NULL: that is not text. */
struct place *file_place(struct file *f, uint64_t addr);
bool file_has_place(const struct file *f, uint64_t addr);
const struct place *file_find_place(const struct file *f, uint64_t addr); /* NULL: there is none */

/* ------------------------------------------------------------------- hook.c */

/* Does M belong to a file with hooks: the dynamic linker's, which is mapped at LINKER (0: none),
 * the C library's, or a static program's, whose entry is ENTRY? */
bool hooks_in(const struct maps *maps, const struct mapping *m, uint64_t linker, uint64_t entry);
/* Add the hooks of F to its places. */
void hooks_add(const struct injector *in, struct file *f);

/* ------------------------------------------------------------------- area.c */

/* Memory of stubs in one process, for what is mapped at TEXT. */
struct area {
	uint64_t start, size, text;
	uint32_t extent; /* its number in ust_process */
	bool records;    /* it holds those of the file */
};

/* An area being filled; nothing is in the process before area_commit(). */
struct area_plan {
	uint64_t start, limit, used; /* address, bytes there is room for, bytes taken */
	uint8_t *bytes;
	bool returns;      /* some function will return into it */
	uint64_t reserved; /* bytes at its end that no stub may take */
	uint64_t records;  /* address of struct ust_record, NRECORDS of them */
	uint32_t nrecords;
};

/* Room for SIZE bytes near NEAR within [LO, HI]; noted in M. */
bool area_begin(struct area_plan *a, struct maps *m, const struct ust_layout *layout, uint64_t lo,
		uint64_t hi, uint64_t near, uint64_t size);
/* Where the next stub goes, its point first; not below MIN.  Then see that it fits. */
uint64_t area_next(const struct area_plan *a, uint64_t min);
bool area_fits(const struct area_plan *a, uint64_t at);
/* Take what P's stub needs. */
void area_take(struct area_plan *a, const struct patch *p);
/* Map it and write it, for what is mapped at TEXT.  0 or errno. */
int area_commit(const struct injector *in, struct process *p, struct tracee *t,
		const struct area_plan *a, uint64_t text);
/* What was mapped at TEXT is not there any more: give back its areas where no thread stands. */
void areas_drop(const struct injector *in, struct process *p, struct tracee *t, uint64_t text);
void area_free(struct area_plan *a);

/* ------------------------------------------------------------- text_write.c */

/* Patches of one mapped file, by address; forked children share them. */
struct patches {
	unsigned refs;
	size_t n;
	struct patch v[];
};
void patches_put(struct patches *v);
/* The patch whose text holds ADDR. */
const struct patch *patches_at(const struct patches *v, uint64_t addr);

/* Write the new text of all patches, or the old where the new still is; how many could not be
 * changed as something else is there. */
size_t text_arm(const struct tracee *t, const struct patches *v);
size_t text_restore(const struct tracee *t, const struct patches *v);
/* Are they in place, was the text mapped anew?  By samples. */
bool text_is_armed(const struct tracee *t, const struct patches *v);
bool text_is_original(const struct tracee *t, const struct patches *v);
/* Move threads that stand in the text that is replaced, also where a signal handler will go back
 * to. */
void text_move_threads(struct tracee *t, const struct patches *v);

/* Will the kernel restart the thread's system call when it goes on?  Then from that many bytes
 * before. */
static inline bool will_restart(const struct user_regs_struct *r)
{
	/* ERESTARTSYS and its like of the kernel's linux/errno.h */
	return (long)regs_call(r) >= 0 && regs_result(r) <= -512 && regs_result(r) >= -516;
}

/* Each program counter in a signal's frame on thread I's stack. */
typedef void (*frame_fn)(void *arg, uint64_t at, uint64_t pc);
void frames_visit(const struct tracee *t, size_t i, frame_fn fn, void *arg);

/* -------------------------------------------------------------------- arm.c */

/* A file that is mapped in a process and patched there. */
struct loaded {
	const struct file *file;
	uint64_t start, end, offset; /* of the mapping of its text */
	struct patches *patches;
	bool counted; /* its semaphores are up by us */
};

/* The virtual address of F's text that is mapped at M. */
uint64_t arm_text_addr(const struct file *f, const struct mapping *m);
/* Look for branches and functions in the text of F, mapped at M; once, for all processes. */
void arm_examine_file(struct file *f, const struct mapping *m);
/* Patch F, mapped at M.  What cannot be patched is said once. */
void arm_file(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
	      const struct mapping *m, struct file *f);

/* ------------------------------------------------------------------- gate.c */

void gates_init(struct injector *in);
/* Is all that P's place serves behind gates?  Hooks never are. */
static inline bool place_is_gated(const struct place *p)
{
	return p->ngates && !p->always && !p->hook;
}
bool place_is_open(const struct injector *in, const struct place *p);
/* Something that is behind gates was armed. */
void gates_armed(struct injector *in);
/* Which gates are to be closed and opened now?  True: text must be changed for that; then
 * gates_settle() is due, with ALL: it was changed in all processes. */
bool gates_look(struct injector *in);
void gates_settle(struct injector *in, bool all);
/* Sites that are armed but for the gates. */
unsigned gates_hidden(const struct injector *in);

/* -------------------------------------------------------------- semaphore.c */

/* Number those that gates open. */
void semaphores_init(struct injector *in);
/* Count us in the semaphores of the places of L, once they are mapped; or out again. */
void semaphores_raise(const struct injector *in, const struct process *p, const struct tracee *t,
		      const struct maps *m, struct loaded *l);
void semaphores_drop(const struct injector *in, const struct process *p, const struct tracee *t,
		     struct loaded *l);
/* Gates were closed or opened. */
void semaphores_turn(const struct injector *in, const struct process *p, const struct tracee *t,
		     const struct loaded *l);

/* ------------------------------------------------------------ disposition.c */

enum { DISPOSITION_RESTORER = 0x04000000 }; /* SA_RESTORER, which only the kernel's headers have */
/* How the process of T handles SIG.  False: it cannot be asked, or does not take it. */
bool disposition_get(struct tracee *t, int sig, struct ust_disposition *to);
bool disposition_set(struct tracee *t, int sig, const struct ust_disposition *a);

/* ----------------------------------------------------------- signal_hooks.c */

/* Hook the calls of KIND in what P has mapped; false: not all of them are hooked. */
bool signal_hooks_add(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		      enum calls kind);
void signal_hooks_remove(const struct injector *in, const struct process *p, const struct tracee *t,
			 enum calls kind);

/* ----------------------------------------------------------------- faults.c */

/* See how P changes its handlers of faults, in what it has mapped, before other sites are armed
 * there. */
void faults_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Have faults come to us first, once, if all such changes are seen. */
void faults_catch(const struct injector *in, struct process *p, struct tracee *t,
		  const struct maps *maps);
/* Give the signals back. */
void faults_release(const struct injector *in, struct tracee *t);

/* ------------------------------------------------------------------- trap.c */

/* Take over SIGTRAP in P, if that was not done yet; false: it cannot have breakpoints, *WHY. */
bool traps_ready(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		 const char **why);
/* Hook what P has mapped since, where it has breakpoints; false: not all could be. */
bool traps_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Tell the handler of P's patch or, for those of V, that they are gone for good.  False: there are
 * too many. */
bool trap_add(const struct injector *in, const struct tracee *t, const struct patch *p);
void traps_forget(const struct injector *in, const struct tracee *t, const struct patches *v);
/* Has TH come by a breakpoint of V, and its signal has not been delivered yet? */
bool trap_pending(const struct patches *v, const struct tracee_thread *th);
/* Give SIGTRAP back; false: somebody else has put a handler before ours. */
bool traps_release(const struct injector *in, struct process *p, struct tracee *t);

/* ------------------------------------------------------------- module_map.c */

/* Does the script walk stacks, and has P mapped modules otherwise than it was told? */
bool module_map_changed(const struct injector *in, const struct process *p,
			const struct maps *maps);
/* Tell it. */
void module_map_write(const struct injector *in, struct process *p, struct tracee *t,
		      const struct maps *maps);

/* ------------------------------------------------------------- gated_text.c */

/* Close and open the gates that are due, and change the text of all processes for it. */
void gates_serve(struct injector *in);

/* ---------------------------------------------------------------- process.c */

struct process {
	pid_t pid, pid_inside; /* as we see it, and as it does */
	pid_t owner;           /* whose memory it shares, as pid_inside; 0: it has its own */
	int pidfd;             /* -1: not there any more */
	struct area *areas;
	size_t nareas;
	struct loaded *loaded;
	size_t nloaded;
	bool injected;
	bool unknown;              /* there may be more in it than we know */
	bool launching;            /* it is watched: see process_launched() */
	bool sees_sigaction;       /* its changes of signal handlers are seen */
	bool catching;             /* faults were set up, or cannot be */
	bool faults_caught;        /* faults come to us, unless the process has released them */
	bool faults_unseen;        /* not all of its calls of rt_sigaction() are hooked */
	bool trapping, no_traps;   /* SIGTRAP was taken over, or cannot be */
	bool unwatched;            /* SIGTRAP was taken over, and a file that was mapped later
				      blocks signals unseen */
	uint32_t nextents;         /* entries of ust_process.extents that were used */
	struct ust_mapped *mapped; /* as the process was told last */
	size_t nmapped;
	char name[PROCESS_NAME];
	struct process *next;
};

/* The number of process PID as it sees it itself. */
pid_t pid_inside(pid_t pid);
/* Where its command line and environment are. */
void process_strings(pid_t pid, struct ust_process *to);
bool process_ended(const struct process *p);
struct process *process_new(struct injector *in, pid_t pid);
/* NULL: not known. */
struct process *process_find(const struct injector *in, pid_t pid);
/* tracee_stop(), if need be when another run is done with it. */
int stop_process(struct tracee *t, pid_t pid);
/* Forget it; what it had may still serve children of it. */
void process_gone(struct injector *in, struct process *p);
/* It has exec'ed: nothing of what it had is there. */
void process_forget(struct process *p);
void processes_free(struct injector *in);
/* Is the agent mapped where it ought to be? */
bool process_has_agent(const struct blob *b, const struct maps *m);

/* Read what will be needed of the files that P has mapped; it need not be stopped. */
void process_look(struct injector *in, struct process *p);
/* All take a stopped process and leave it stopped.  False after a message. */
bool process_inject(struct injector *in, struct process *p, struct tracee *t);
/* Patch what is mapped and not patched yet, forget what is no longer mapped. */
bool process_update(struct injector *in, struct process *p, struct tracee *t);
/* Would process_update() change anything?  The process need not be stopped. */
bool process_changed(struct injector *in, const struct process *p);
/* It has come to the first instruction of its program; from now on it asks by itself. */
void process_launched(const struct injector *in, struct process *p, const struct tracee *t);

/* ------------------------------------------------------------- fork_child.c */

/* Does PID map the agent's text?  False also where its mappings cannot be read. */
bool fork_child_maps_text(const struct blob *b, pid_t pid);
/* staprun, the tracer and the script process are not traced. */
bool fork_child_is_own(const struct injector *in, pid_t pid);

/* PID has the agent in it though we did not put it there: what is patched in it. */
struct process *fork_child_find(struct injector *in, pid_t pid);
/* The one that has it and takes itself for number PID; NULL: there is none. */
struct process *fork_child_find_inside(struct injector *in, pid_t pid);
/* All processes that have it. */
void fork_children_find(struct injector *in);

/* --------------------------------------------------------------- untraced.c */

/* Visit each process that descends from a traced one and is not traced itself.  PROBED: that runs
 * a probed program. */
typedef void (*descendant_fn)(void *arg, pid_t pid);
void descendants_visit(struct injector *in, bool probed, descendant_fn fn, void *arg);
/* Send those of them that run a probed program now. */
void untraced_look(struct injector *in);
/* PID says that it is not traced and has come to a probe or, if PATH is not NULL, will exec
 * that. */
void untraced_serve(struct injector *in, pid_t pid, const char *path);

/* ---------------------------------------------------------------- returns.c */

bool areas_hold(const struct process *p, uint64_t addr);

struct returns {
	bool seen;          /* there were any */
	size_t stale;       /* those that are not where they were */
	struct ust_slot *v; /* room for the table; free() it */
};
/* Stack slots that hold addresses of stubs get what was there before. */
void returns_give_back(struct returns *r, const struct injector *in, const struct process *p,
		       const struct tracee *t);

/* ----------------------------------------------------------- patch_record.c */

/* Bytes to reserve in an area for N records. */
uint64_t records_size(size_t n);
/* Room for N records behind the stubs of A, which has reserved it and is not committed yet. */
struct ust_record *records_place(struct area_plan *a, size_t n);
void record_fill(struct ust_record *to, const struct patch *p);
/* The opposite: false if it makes no sense. */
bool record_read(const struct ust_record *from, struct patch *to);
/* Note A, which is about to be mapped in P.  0 or errno. */
int extent_enter(const struct injector *in, struct process *p, const struct tracee *t,
		 struct area *a, const struct area_plan *plan);
void extent_forget(const struct injector *in, const struct tracee *t, const struct area *a);
/* Semaphores of the file at TEXT are raised. */
void extent_raised(const struct injector *in, const struct process *p, const struct tracee *t,
		   uint64_t text);

/* --------------------------------------------------------------- leftover.c */

/* Remove what killed runs have left in the stopped process T.  0, or errno and T is released. */
int leftovers_remove(struct tracee *t);

/* ----------------------------------------------------------------- detach.c */

/* Remove all from the stopped process P, which stays stopped.  *WHY: the memory stays, or NULL.  0,
 * or errno and T is released. */
int detach_process(struct injector *in, struct process *p, struct tracee *t, const char **why);

/* From all processes, also those that we did not know: stop them, give back text, pending return
 * addresses, signal handlers and, if nobody can be inside, the memory, and let them go. */
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
	int done;                           /* epoll of both: script_take() is to be called */
	enum script_job job;                /* under way */
	bool did;                           /* a job, since script_take_done() was asked last */
	bool disarmed;                      /* for good */
	int error;                          /* of the last job */
	uint64_t used;                      /* processor time of the process when the last
					       order was given, ns */
	bool overdue;                       /* it was killed, as it took too much since */
	struct event *events, **events_end; /* to be run, in this order; the first one is under way
					     */
	bool busy;                          /* ... it is */
	struct event *events_done;
	unsigned nevents; /* given, not taken back */
	int status;       /* eventfd of staprun: the status has changed */
	/* Answers a request for memory from SOCKET. */
	script_broker *broker;
};

/* Start the process.  EXPOSED: traced processes will map the script's memory, so it gives up its
 * privileges. */
bool script_start(struct script *s, struct injector *in, struct blob *b, int status, bool exposed,
		  script_broker *broker);
void script_end(struct script *s);
/* Take replies and answer requests for memory; to be called when s->done is readable. */
void script_take(struct script *s);
/* While an order is under way, to be called every SCRIPT_CHECK_MS: end a process
 * that does not finish. */
enum { SCRIPT_CHECK_MS = 500 };
bool script_at_work(const struct script *s);
void script_check(struct script *s);
/* Has a job been done since this was asked last? */
bool script_take_done(struct script *s);
void script_do(struct script *s, enum script_job job);
/* What is known of site I: enum ust_count_flags. */
void script_note(struct script *s, uint32_t i, uint32_t flags);
void script_notes_flush(struct script *s);
void script_wake(struct script *s); /* timers have changed */
/* No hit counts from now on, even if begin probes are still running. */
void script_disarm(struct script *s);

/* Of something that happened to a process; see ust_event of wire.h. */
struct event {
	uint32_t kind;
	struct ust_subject subject;
	pid_t tid; /* the thread */
	bool held; /* it stands still until the handlers have run */
	bool exec; /* ... and is then brought to the entry of its program */
	struct event *next;
};
/* Have the handlers of EV run; s->done is told when they have. */
void script_event(struct script *s, struct event *ev);
/* One whose handlers have run; NULL: there is none. */
struct event *script_event_done(struct script *s);

/* ----------------------------------------------------------------- broker.c */

/* Answer a request of the script process, if there is one.  EV is the event under way, or NULL. */
void broker_serve(struct injector *in, int socket, const struct event *ev);

/* ------------------------------------------------------------ credentials.c */

struct credentials {
	bool known;
	uint32_t uid[4], gid[4]; /* real, effective, saved, of the file system */
	uint64_t caps;           /* permitted */
	uint64_t user_space;     /* inode of its user namespace */
};
/* May P get the script's memory?  It may not if it has more privileges than any process that has
 * had it, or if one that has it now has more than P.  False after a warning. */
bool credentials_admit(struct injector *in, const struct process *p);
/* Has every process that has or has had the script's memory at least the privileges of PID? */
bool credentials_cover(struct injector *in, pid_t pid);
/* PID is known to have that memory now. */
void credentials_note(struct injector *in, pid_t pid);

/* ---------------------------------------------------------------- request.c */

/* The process that sees itself as number PID; it is adopted where that was not done yet.
 * NULL: there is none. */
struct process *process_who(struct injector *in, pid_t pid);

/* PID stands at its exec, see launch_here(): put the agent into it, and bring it to its entry. */
void follow_exec(struct injector *in, pid_t pid);
void requests_open(struct injector *in);
/* Do what is asked for. */
void requests_serve(struct injector *in);
/* Do nothing of it, but let those go on who wait. */
void requests_dismiss(struct injector *in);
/* A process of launch_seize() that is about to exec, and is to be traced from the first instruction
 * of its program on. */
struct launching {
	pid_t pid, tid;    /* the thread that asked */
	uint64_t deadline; /* CLOCK_MONOTONIC ns: an exec that has not begun then has failed */
	uint64_t ran; /* ns for which that thread had had a processor when it asked; ~0: not known
		       */
	bool changed; /* it has loaded libraries meanwhile */
	struct launching *next;
};
/* PID executes its program when staprun lets it start; no deadline applies. */
void launches_add(struct injector *in, pid_t pid);
bool launches_has(struct injector *in, pid_t pid);
/* To be called soon and often while there are any.  True: something has changed. */
bool launches_poll(struct injector *in);
void launches_cancel(struct injector *in, pid_t pid);
void launches_cancel_all(struct injector *in);

/* ---------------------------------------------------------- death_channel.c */

/* STATUS as of wait(2); nothing happens when the pipe is full. */
void death_send(const struct injector *in, pid_t pid, const char *name, int status);
/* Process PID, which is not traced, has run the probed program PATH. */
void untraced_send(const struct injector *in, pid_t pid, const char *path);
/* P has ended: send how, where the kernel tells that. */
void death_of(const struct injector *in, struct process *p);
/* A pidfd of PID, which says that it was forked by a process of ours, and its
 * name; -1: it was not. */
int child_open(const struct injector *in, pid_t pid, char name[PROCESS_NAME]);
/* Adopt it; where it dies and its memory cannot be read any more, wait for its end.  Takes FD. */
void child_keep(struct injector *in, pid_t pid, int fd, const char *name);

/* ----------------------------------------------------------------- follow.c */

/* A thread that stays traced. */
struct thread {
	pid_t tid, inside; /* as we see it, and as the process does */
	struct followed *of;
	bool begun;     /* it has come to its first stop */
	bool ended;     /* it is dying */
	bool listening; /* stopped by job control */
	bool in_call;   /* in a system call whose beginning was seen: */
	bool again;     /* that we have interrupted, and that begins anew */
	uint64_t call;
	struct event *pending; /* for which it stands still */
	struct thread *next;
};

struct followed {
	pid_t pid, inside;
	char name[PROCESS_NAME];
	uint32_t module; /* that it runs; UST_NO_MODULE */
	bool begun;      /* its begin was an event; not so of a command before its exec */
	bool known;      /* it is the script's affair */
	bool calls;      /* its system calls are */
	bool execs;      /* it stands at its exec, and its begin was told */
	struct thread *threads;
	struct followed *next;
};

/* Does the script ask for that? */
bool follow_wanted(const struct injector *in);
/* From now on all threads of PID are traced; COMMAND: it is the script's affair from its next exec
 * on.  0 or errno. */
int follow_process(struct injector *in, pid_t pid, bool command);
/* The script runs from now on: what is there has begun. */
void follow_armed(struct injector *in);
/* What happened since: to be called at each SIGCHLD, and when s->done is told.  True: a process has
 * exec'ed. */
bool follow_poll(struct injector *in);
/* Take what has happened, and wait until all handlers have run, a bounded time. */
void follow_settle(struct injector *in);
/* Let all, or that one, go. */
void follow_end(struct injector *in);
void follow_release(struct injector *in, pid_t pid);
bool follow_has(const struct injector *in, pid_t pid);

/* For process_events.c */
void follow_resume(struct thread *th, int sig);
struct thread *follow_thread(const struct injector *in, pid_t tid);

/* --------------------------------------------------------- process_events.c */

/* EVENT has happened to TH; with HELD it stands still until the handlers have run.  False: nobody
 * wants to know. */
bool process_event_post(struct injector *in, struct thread *th, uint32_t event,
			const struct user_regs_struct *regs, bool held);
/* TH has exec'ed. */
void process_event_exec(struct injector *in, struct thread *th);
/* Handlers have run: go on. */
void process_events_handled(struct injector *in);
/* Which of the script's modules does PID run? */
uint32_t process_event_module(const struct injector *in, pid_t pid);

/* --------------------------------------------------------------- event_fd.c */

int event_fd_new(void);
void event_fd_signal(int fd);
void event_fd_clear(int fd); /* it was told, and is not any more */

#endif
