/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's internal types, one section for each file that owns them.
 *
 * staprun checks that a module was built by ustap, loads it from memory,
 * starts the traced command or watches the traced process, and drains the
 * module's per-CPU buffers in a thread of its own while the main thread gives
 * orders.  It may be installed setuid root; see privilege.c.  A script that was
 * built for the user runtime is loaded into its own memory and that of the
 * traced processes instead, with the caller's rights; see inject/inject.h.
 */
#ifndef STAPRUN_H
#define STAPRUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "wire.h"

/* Exit statuses; also in doc/staprun.8. */
enum {
	EXIT_OK = 0,
	EXIT_SCRIPT = 1, /* a run-time error ended the script */
	EXIT_USAGE = 2,
	EXIT_LOAD = 3,       /* refused, could not be loaded, started or found */
	EXIT_LOST = 4,       /* output was lost; with --strict, or a hit */
	EXIT_NOT_HIT = 5,    /* --expect-hits: a probe was not */
	EXIT_TIMEOUT = 124,  /* as timeout(1) has it */
	EXIT_NOT_EXEC = 126, /* as shells have it */
	EXIT_NOT_FOUND = 127
};

/* MODULE_NAME_LEN of 64-bit kernels, with the NUL */
#define NAME_SIZE 56

/* ---------------------------------------------------------------- message.c */

extern int verbose;
extern bool no_warnings; /* -w: of the script, and of probes that cannot be placed */
extern bool explaining;  /* --explain */

/* All print one line to standard error and return false (say() returns nothing). */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Replace control characters other than tabs by `?'.  Names of files and functions come from traced
 * programs, and a terminal obeys what it is sent. */
void mask_controls(char *text, size_t len);
/* What would mend the failure above it. */
bool hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Only with -v. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What messages begin with. */
void messages_from(const char *program);
/* The beginning of what was said. */
const char *messages_so_far(void);
/* Keep what is said from now on for messages_take(), which calls FN for each, in order. */
void messages_keep(void);
void messages_take(void (*fn)(void *arg, const char *level, const char *text), void *arg);

void *xrealloc(void *p, size_t size);
char *xstrndup(const char *s, size_t n);

/* ------------------------------------------------------------------ clock.c */

uint64_t clock_ns(void); /* CLOCK_MONOTONIC */

/* ---------------------------------------------------------------- options.c */

struct format;

enum action {
	ACT_RUN,
	ACT_ATTACH,
	ACT_REMOVE,
	ACT_LIST,
	ACT_REPORT,
	ACT_PERMIT,
	ACT_LIST_RUNS,
	ACT_CLEANUP,
	ACT_HELP,
	ACT_VERSION
};

struct words {
	char **v;
	size_t n;
}; /* v[n] is NULL */

/* One field for each row of options.def that has one, and what its other rows set; all are 0 by
 * default, except ready_fd. */
struct options {
#define FIELD_FLAG(field)         bool field;
#define FIELD_TEXT(field)         const char *field;
#define FIELD_NUMBER(field, most) unsigned field;
#define FIELD_CALL(x)
#define STAPRUN_OPTION(name, letter, value, how, ...) FIELD_##how
#define BOTH_OPTION(name, letter, value, how, ...)    FIELD_##how
#include "options/options.def"
	enum action action;
	const char *module;  /* file, or name of a loaded module */
	const char *cleanup; /* process id or module name */
	pid_t *pids;         /* -x */
	size_t npids;
	char *const *given; /* NAME=VALUE */
	size_t ngiven;
	const struct format *format;      /* --output */
	const char *report, *report_file; /* --report: "tap" or "junit"; the file or NULL */
	unsigned file_mb, files;          /* -S; 0: one file; all are kept */
	int ready_fd;                     /* --ready-fd; -1 */
	bool own;                         /* by a policy: only processes of the caller's own */
};

/* False, after a message, if the options are wrong. */
bool parse_options(struct options *o, int argc, char **argv);
/* Those that the user runtime has no use for.  False after a message. */
bool options_fit_user(const struct options *o);
void print_help(void);

/* -------------------------------------------------------------- privilege.c */

enum role {
	ROLE_NONE, /* may do nothing */
	ROLE_USR,  /* stapusr: modules that root put in the trusted directory */
	ROLE_SYS,  /* stapsys: and those signed with a key that the kernel trusts, where it demands
		      that */
	ROLE_DEV,  /* stapdev: any module, which is as good as being root */
	ROLE_ROOT
};

enum role caller_role(void);
/* Act with the caller's rights on files until privilege_resume(). */
void privilege_suspend(void);
void privilege_resume(void);
/* For good, in a child that becomes the caller's command, or where it takes none.  False on
 * failure. */
bool privilege_drop(void);
/* For good: no capability, nor a way to get one by exec, and where the caller may change ids, UID
 * and GID without groups. ANONYMOUS_ID: one that no other process has, where the user namespace has
 * such an id.  False (errno). */
#define ANONYMOUS_ID    (~0u)
#define ANONYMOUS_FIRST 0x7e000000u
#define OVERFLOW_ID     65534u
bool privilege_leave(uid_t uid, gid_t gid);
/* Standard descriptors that are closed are filled, so that no file of ours gets their
 * numbers; writing to them still fails. */
void secure_descriptors(void);

/* ------------------------------------------------------------ script_file.c */

extern int script_fd; /* --fd: the script, open; -1: it is opened by name */
/* Open the file of the script, which PATH names, for reading with the rights that are in effect; -1
 * and errno. */
int open_script_file(const char *path);

/* ------------------------------------------------------------ module_file.c */

struct image {
	unsigned char *data;
	size_t size;
	char name[NAME_SIZE];
	const char *vermagic; /* in data; "" if there is none */
	bool is_signed;       /* carries a signature: must stay as it is */
	bool approved;        /* from the directory of approved modules */
	/* where the name stands in the data: .modinfo and .gnu.linkonce.this_module */
	size_t name_at[2];
};

/* The bytes of the module file that the caller in ROLE may load.  False after a message. */
bool module_file_read(struct image *im, const char *path, enum role role);
/* Find name and vermagic in im->data; refuses what ustap did not build.  PATH is
 * for messages. */
bool module_file_check(struct image *im, const char *path);
/* Put NUMBER (7 digits) in the place for it in the module's name; nothing
 * happens where the name has no such place or the image is signed. */
void module_file_set_number(struct image *im, unsigned number);
bool module_file_has_number(const struct image *im);

/* Open NAME in the directory of approved modules; -1: it is not there, or is not only root's (errno
 * EPERM). */
int module_file_open_approved(const char *name);

/* ----------------------------------------------------------------- policy.c */

/* What a member of stapusr may ask of an approved module: its NAME.policy; see staprun(8). */
struct policy {
	struct policy_global *globals;
	size_t nglobals;
	struct words options;
	unsigned buffer_mb, seconds; /* 0: no limit */
	bool own;
};

/* SIZE bytes of the file PATH, which is for messages.  False after a message with the line; free it
 * all the same. */
bool policy_parse(struct policy *p, const char *path, const char *text, size_t size);
void policy_free(struct policy *p);
/* Does P permit O?  Limits that O does not mention are set.  False after a message. */
bool policy_permits(const struct policy *p, struct options *o);
/* The same with the policy of O's module, if that has one. */
bool policy_apply(struct options *o);

/* ------------------------------------------------------------ module_load.c */

/* Does the kernel refuse modules without a signature that it trusts? */
bool signatures_enforced(void);

/* Insert the module; false after a message that says why and what mends it. */
bool module_load(struct image *im, unsigned buffer_mb);
/* Waits a while for a module that is busy.  False after a message. */
bool module_unload(const char *name);
/* The same without messages: 0 or errno.  Makes system calls only. */
int module_delete(const char *name);
/* Is vermagic's release that of the running kernel?  Else false after a message. */
bool vermagic_fits(const struct image *im, const char *path);

/* --------------------------------------------------------------- session*.c */

struct stream;
struct user_session;

/* A script that this process holds: nobody else reads it or gives it orders. */
struct session {
	const struct session_kind *kind;
	char name[NAME_SIZE];
	int dir; /* kernel: /proc/ustap/NAME */
	int ctl; /* readable when the status changed; -1 */
	struct user_session *user;
};

/* What differs between runtimes; see the functions of these names. */
struct session_kind {
	bool (*status)(const struct session *s, struct ust_status *st);
	int (*command)(const struct session *s, const struct ust_cmd *cmd);
	void (*connect)(const struct session *s, struct stream *stream);
	void (*gone)(const struct session *s);
	/* Before the start: 0 or errno, see UST_CMD_SET. */
	int (*set)(const struct session *s, const char *name, const char *value, int64_t number,
		   bool is_number);
	bool (*remove)(struct session *s);
};
extern const struct session_kind session_kernel, session_user;

bool session_status(const struct session *s, struct ust_status *st);
/* 0 or an errno, ECANCELED: a message was printed; blocks while begin or end probes run. */
int session_command(const struct session *s, enum ust_cmd_op op, unsigned flags, pid_t target);
/* Let STREAM read its CPU's records, if there can be any. */
void session_connect(const struct session *s, struct stream *stream);
/* Say that session_status() has failed, as errno tells, while the script was to run. */
void session_gone(const struct session *s);
void session_close(struct session *s);
/* Unload the script, once closed.  False after a message. */
bool session_remove(struct session *s);

/* session_kernel.c: the caller of staprun owns what staprun loaded for him, and may attach to it
 * and remove it later; root may with all.  False after a message. */
bool session_open(struct session *s, const char *name, bool loaded_by_us);
/* The loaded module that WANT means: its name, or that of another load of the same
 * script if there is only one.  False after a message. */
bool session_find(const char *want, char name[NAME_SIZE]);
/* One line for each loaded module of ustap, to standard output. */
void session_list(void);

/* ------------------------------------------------ inject/process/leftover.c */

/* Print the processes that have a script in them. */
void leftovers_list(void);
/* Remove what killed runs have left in PID.  False after a message. */
bool leftovers_cleanup(pid_t pid);

/* kallsyms.c: hand over where the kernel's functions are, as far as we may know, if the script
 * wants that. */
void kallsyms_send(const struct session *s);

/* session_user.c: load the script and start the process that traces, before the command is forked.
 * False after a message; session_remove() in any case. */
bool session_load(struct session *s, const struct options *o);
pid_t session_tracer(const struct session *s);
/* Warn if process PID, which is traced, will lose privileges that executing PROGRAM gives. */
void session_warn_privilege(const struct session *s, pid_t pid, const char *program);
/* Types of records that the script never writes, 1
 * << enum ust_rec_type; and who runs its commands. */
unsigned session_refused(const struct session *s);
struct runner session_runner(const struct session *s, const struct options *o);

/* inject/elf/blob.c: is FILE a script for the user runtime?  Does not print. */
bool blob_is(const char *path);

/* inject/ptrace/trace_permission.c: may PID be traced and patched as far as one can say beforehand?
 * False after a message. */
bool trace_permission_check(pid_t pid);

/* ---------------------------------------------------------- module_params.c */

/* Is TEXT of the form NAME=VALUE? */
bool module_param_check(const char *text);
/* Is all of TEXT a number? */
bool module_param_number(const char *text, int64_t *n);
/* Give the script's globals their values.  False after a message. */
bool module_params_set(struct session *s, const struct options *o);

/* ------------------------------------------------------------------- ring.c */

struct ring {
	struct ust_ring *shared;
	const unsigned char *buf;
	uint64_t size, tail;
	uint64_t busy_since, busy_head; /* ns; since when its lock was seen taken, with this head */
	uint32_t busy_lock;
};

/* False if its buffer is not between LOW and HIGH. */
bool ring_open(struct ring *r, struct ust_ring *shared, uint64_t low, uint64_t high);
/* As read(2): up to SIZE of the bytes that are there, 0: none; EBADMSG: the ring is damaged. */
ssize_t ring_read(struct ring *r, void *to, size_t size);
/* Tell writers that it is never read again. */
void ring_close(struct ring *r);
/* May a record appear of a time before now?  Ask before reading.  Whoever holds the lock for too
 * long does not count: he may be stopped or dead. */
bool ring_busy(struct ring *r);

/* ------------------------------------------------------------------ merge.c */

/* The records of one CPU, as they come: from a file or a ring. */
struct stream {
	unsigned cpu;
	int fd; /* -1: not there */
	struct ring *ring;
	unsigned char *buf;
	size_t head, scanned, end, cap; /* next record; end of whole, valid records; of data */
	bool complete; /* the last read took all there was, and nobody was about to write */
	bool damaged;  /* what came is no record: nothing more is read */
	bool started;  /* a record was seen, or counting starts at 0 */
	uint64_t next_seq;
	uint64_t gaps;      /* records missing in the sequence */
	uint64_t last_time; /* of the newest record */
};

void stream_init(struct stream *s, unsigned cpu, int fd, bool from_start);
void stream_ring(struct stream *s, struct ring *ring);
bool stream_open(const struct stream *s);
/* No more comes; what was read stays. */
void stream_close(struct stream *s);
void stream_free(struct stream *s);
/* Read what is there, up to a bound.  True if anything came. */
bool stream_fill(struct stream *s);
/* The oldest record, or NULL. */
const struct ust_rec *stream_head(const struct stream *s);
void stream_pop(struct stream *s);

/* Take all records of time < LIMIT from N streams in order of time. */
typedef void (*record_fn)(void *arg, const struct ust_rec *rec);
void merge_until(struct stream *s, unsigned n, uint64_t limit, record_fn fn, void *arg);
/* The time before which no stream can give another record, if each was read after NOW
 * and records appear in files at most SLACK ns after the time they carry. */
uint64_t merge_limit(const struct stream *s, unsigned n, uint64_t now, uint64_t slack);

/* ------------------------------------------------------------ frame_names.c */

struct names; /* looks up the names that marks ask for (UST_NAME_MARK) */

/*
 * KEY is that of the script's marks. NULL: the script makes none, or the process cannot be
 * started. Forks, so that the caller must not have other threads yet.
 */
struct names *names_start(uint64_t key);
/*
 * Replace the marks in *TEXT, of *LEN bytes. If there are any, *TEXT is then valid until the
 * next call.
 */
void names_resolve(struct names *n, const char **text, size_t *len);
/* End the process; answers that are cached remain. */
void names_end_reader(struct names *n);
void names_stop(struct names *n);

/*
 * name_reader.c: requests to the process of frame_names.c. One with a descriptor offers a file,
 * which is number FILE afterwards if it has that build-id; one without asks for the function
 * at ADDR.
 */
enum { NAME_FILES = 256, NAME_MAX = 1024 };
struct name_request {
	uint32_t file, raw;
	uint64_t addr;
	char build_id[136];
};
struct name_answer {
	uint64_t found, start, size;
	char name[NAME_MAX];
};
/* Answer requests of SOCKET until it ends. */
void name_reader_main(int socket) __attribute__((noreturn));

/* ----------------------------------------------------------------- output.c */

/* Who runs the commands of system(). */
struct runner {
	bool other; /* not the caller of staprun, but: */
	unsigned uid, gid;
};

struct output {
	int fd;
	const char *path; /* NULL: standard output */
	const char *name; /* for messages */
	uint64_t limit;   /* bytes after which another file begins, PATH.1 after PATH.0; 0: none */
	unsigned keep, number; /* files kept at most (0: all); of this one */
	uint64_t written;      /* bytes into it */
	char *buf;
	size_t used;
	int error;             /* errno of the write that failed; then all is thrown away */
	uint64_t discarded;    /* bytes */
	atomic_bool switching; /* another file was asked for */
	atomic_bool *give_up;  /* set by another thread: stop waiting for whoever reads us */
	bool no_warnings;
	FILE *counts;      /* --counts, or NULL */
	bool reported;     /* some count was printed */
	struct view *view; /* --monitor, or NULL */
	const struct format *format;
	bool opened;         /* the format has begun */
	struct parts *parts; /* parts.c's own */
	struct hits *told;   /* kept for the end: --explain, --expect-hits; or NULL */
	unsigned refused; /* types of records that this script never writes: 1 << enum ust_rec_type
			   */
	bool forged;      /* one of these came */
	struct runner runner; /* of commands of system() */
	struct names *names;  /* of frames; or NULL */
};

/* PATH NULL: standard output.  False after a message. */
bool output_open(struct output *o, const char *path);
void output_record(struct output *o, const struct ust_rec *rec);
void output_text(struct output *o, const char *text);
void output_bytes(struct output *o, const char *text, size_t len);
/* A warning or an error of the script for the user, to standard error. */
void output_message(struct output *o, bool warning, const char *text, size_t len);
/* What was said meanwhile becomes a part of the output, if its format has a place for that. */
void output_messages(struct output *o);
/* The end of what the format makes; ST and LOST tell how it went. */
void output_end(struct output *o, const struct ust_status *st, uint64_t lost);
void output_flush(struct output *o);
/* From any thread: begin the next of several files (-S), as soon as there is something to write. */
void output_switch(struct output *o);
/* Between writes: end the output if it is a pipe whose reader has ended after it got some of it. */
void output_watch_reader(struct output *o);
/* Was a part of the output not written?  Not so where its reader ended. */
bool output_lost(const struct output *o);
bool output_close(struct output *o);

/* ----------------------------------------------------------------- counts.c */

/* PATH may be NULL.  Both false after a message. */
bool counts_open(struct output *o, const char *path);
bool counts_close(struct output *o);
void counts_record(struct output *o, const struct ust_rec *rec);

/* ------------------------------------------------------------------- hits.c */

/* What the script tells of its sites at the end. */
struct hits {
	struct hit_count *v;
	size_t n, cap;
};
/* Why a jump does not fit somewhere; of the user runtime (inject/patch/patch.c). */
const char *patch_reason(unsigned i);
void hits_add(struct hits *h, const struct ust_count *c, const char *pp, const char *origin);
/* Has each probe of processes been hit?  Else false after a message for each that was not. */
bool hits_expected(struct hits *h);
/* Print how often each site was hit, and if it was not, why as far as that is known. */
void hits_explain(struct hits *h);
void hits_free(struct hits *h);

/* ---------------------------------------------------------------- monitor.c */

/* NAME: of the script; NULL: that of its module. */
struct view *monitor_new(const struct session *s, const char *name);
void monitor_free(struct view *v);
void monitor_count(struct view *v, const struct ust_count *c, const char *pp);
/* About globals; none: the view is complete and is shown. */
void monitor_text(struct view *v, const char *text, size_t len);

/* ------------------------------------------------------------ test_report.c */

void test_report_begin(void);
/* Something that was to hold; WHY not. */
void test_report_point(bool ok, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The script's errors, which are a reason. */
void test_report_add_error(const char *text, size_t len);
const char *test_report_errors(void);
/* False after a message. */
bool test_report_write(const struct options *o);

/* ----------------------------------------------------------------- reader.c */

struct reader {
	pthread_t thread;
	const struct session *session;
	struct output *out;
	struct stream *streams;
	unsigned n;
	bool from_start;       /* the first record has number 0, else we came later */
	uint64_t newest, late; /* time of the last record written; records older than that */
	int wake, event;       /* eventfds: to the thread, and from it when these change: */
	atomic_bool finish;    /* asked to write all that is left and end */
	atomic_bool give_up;   /* asked not to wait for a blocked output */
	atomic_bool failed;    /* output failed */
	atomic_bool ended;
};

/* False after a message. */
bool reader_start(struct reader *r, const struct session *s, struct output *out, unsigned ncpu,
		  bool from_start);
void reader_finish(struct reader *r);
/* What a blocked output does not take is lost.  Repeat until the thread has ended. */
void reader_give_up(struct reader *r);
/* Once it has ended. */
void reader_join(struct reader *r);
void reader_free(struct reader *r);
uint64_t reader_gaps(const struct reader *r);
bool reader_damaged(const struct reader *r);

/* ---------------------------------------------------------- command_words.c */

void words_push(struct words *w, char *word);
void words_free(struct words *w);

/* Split LINE as a shell would.  False if it takes a shell to run it. */
bool split_command(const char *line, struct words *w);

/* ------------------------------------------------------------------ child.c */

struct child {
	pid_t pid; /* 0: none */
	bool by_shell;
	char *program; /* the file that it executes; NULL: not found */
	bool aside;    /* what it prints goes to standard error: the output has a form of its own */
	pid_t tracer;  /* a process that must be able to trace it; 0 */
	int go, error; /* pipes: our word to exec; its errno if that failed */
};

/* Fork the command, which waits before its exec.
 * C->tracer is set before.  False after a message. */
bool child_fork(struct child *c, const char *line);
/* Let it exec.  0 or its errno. */
int child_go(struct child *c);
/* It shall not run. */
void child_cancel(struct child *c);
/* Wait for its end; exit status as a shell's. */
int child_status(struct child *c);

/* Send SIG to it if it lives. */
void child_kill(const struct child *c, int sig);

/* ------------------------------------------------------------------ death.c */

enum { PROCESS_NAME = 17 }; /* of the kernel's comm with a newline */
/* The name of process PID without control characters; NAME stays as it is if
 * that cannot be read. */
void process_name(pid_t pid, char name[PROCESS_NAME]);
/* The same of a process that has ended, to which FD, a pidfd, refers: its number may
 * be another's already. */
void death_name(pid_t pid, int fd, char name[PROCESS_NAME]);
/* The wait status of process PID, which has ended; FD is a pidfd of it.  False: this
 * kernel does not tell it. */
bool death_status(pid_t pid, int fd, int *status);
/* Warn, once for each process, if STATUS, as of wait(2), is that of a signal.  Any thread. */
void death_warn(pid_t pid, const char *name, int status);
/* Deaths by SIG are intended: staprun got or sent it. */
void deaths_expect(int sig);
/* Has death_warn() warned? */
bool deaths_warned(void);

/* -------------------------------------------------------- untraced_report.c */

/* Process PID, which is not traced, has run the probed program PATH of LEN bytes.  Any thread, any
 * number of times. */
void untraced_report_add(pid_t pid, const char *path, size_t len);
/* Warn of them, at the end of the run. True: nothing to warn of. */
bool untraced_report_warn(void);

/* ------------------------------------------------------------- background.c */

/* Let a shell run LINE; nobody waits for it. */
void command_in_background(const char *line, const struct runner *as);

/* ----------------------------------------------------------------- signal.c */

enum signal_effect {
	SIGNAL_IGNORED,
	SIGNAL_ENDS,
	SIGNAL_SWITCHES /* begin another output file, as -S does */
};

/* What staprun does when SIG comes. */
enum signal_effect signal_effect(int sig);
/* Block all signals but those of job control, and return a descriptor that reads those with an
 * effect; -1 (errno) on failure. */
int signals_take(void);
/* In the command: as they were when staprun was called. */
void signals_restore(void);
/* A signal that ends a blocking call of a thread and does nothing else. */
void signals_allow_interrupt(void);
void signals_interrupt(pthread_t thread);

/* --------------------------------------------------------------- watchdog.c */

/* Take the signals.  Returns a non-blocking descriptor that gives a struct signalfd_siginfo for
 * each; -1 after a message. */
int watchdog_start(void);
/* What staprun is doing, for the message of a forced end. */
void watchdog_activity(const char *what);
/* The session that a forced end has to give up; NULL: none. */
void watchdog_session(const struct session *s);
/* Force the end at this time of CLOCK_MONOTONIC, in ns; 0: never. */
void watchdog_limit(uint64_t deadline);

/* ------------------------------------------------------------------ order.c */

/* An order to the module that is under way in a thread of its own, since it
 * returns only when begin or end probes are done. */
struct order {
	pthread_t thread;
	const struct session *session;
	enum ust_cmd_op op;
	unsigned flags;
	pid_t target;
	bool active;
	int done;       /* eventfd: it has returned */
	int error;      /* its errno or 0 */
	uint64_t began; /* ns */
};

bool order_init(struct order *o, const struct session *s);
void order_start(struct order *o, enum ust_cmd_op op, unsigned flags, pid_t target);
/* After `done' became readable: the order's errno or 0. */
int order_result(struct order *o);

/* --------------------------------------------------------- target_process.c */

struct run;
/* A process whose end ends the run. */
struct end_target {
	pid_t pid;
	int fd; /* its pidfd; -1: it has ended */
	char name[PROCESS_NAME];
};
/* Watch process PID.  False (errno) if there is no such process. */
bool target_watch(struct run *r, pid_t pid);
/* After r->target became readable: tell who was killed; closes it when the last has ended. */
void target_take(struct run *r);

/* --------------------------------------------------------------- run_loop.c */

struct run {
	const struct options *opt;
	struct session session;
	struct output out;
	struct hits told;
	struct reader reader;
	struct order order;
	struct child child;
	enum phase { STARTING, RUNNING, DETACHING, STOPPING, DRAINING, ENDED } phase;
	int signals;    /* descriptor that reads them */
	int target;     /* readable when a target has ended; -1: there is none, or all have */
	size_t targets; /* that live */
	struct end_target *watched; /* all that were watched */
	size_t nwatched;
	uint64_t progress_due, progress_step; /* ns: of the next word of progress, and from that
						 to the one behind it */
	bool progress_line;                   /* one stands on the terminal */
	unsigned interrupts;                  /* signals to end that came */
	bool viewing;                         /* the order under way is for a view */
	uint64_t view_due;                    /* ns, when the next is to be asked for; 0: never */
	bool stop;                            /* what was asked for: end it */
	uint64_t deadline;                    /* ns of CLOCK_MONOTONIC; 0: none */
	uint64_t timeout; /* the same of --timeout; later when the command was told to end */
	bool timed_out;
	int status;             /* exit status of what went wrong here; 0 */
	struct ust_status last; /* of the module */
};

/* From --timeout to a forced end: time for the command to end, and for end probes. */
#define TIMEOUT_SLACK_NS 30000000000ull

/* From the current phase to the end. */
void run_loop(struct run *r);
/* Wait until the command has ended, or a second signal came. */
void run_wait_command(struct run *r);

/* ------------------------------------------------------------------ ready.c */

/* While the script starts: now and then. */
void ready_progress(struct run *r);
/* It does not start. */
void ready_failed(struct run *r);
/* All probes are armed, and begin probes have run. */
void ready_notify(struct run *r);

/* ---------------------------------------------------------- process_title.c */

/* A copy of ARGV, whose own memory, which ps(1) shows, gets the title of title_set(). */
char **title_take(int argc, char **argv);
/* Let ps(1) show the script's name in place of the options.  Nothing happens without --name. */
void title_set(const struct options *o);

/* ------------------------------------------------------------------ start.c */

/* All give the exit status. */
int run_script(const struct options *o, enum role role);
int run_user(const struct options *o);
int run_attach(const struct options *o, const char *name);

/* ----------------------------------------------------------------- report.c */

/* Tell what went wrong or was lost; gives the exit status for it. */
int report(struct run *r);
uint64_t records_lost(const struct run *r);

#endif
