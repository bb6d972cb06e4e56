/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run: its target processes, commands to the script, phases, and the final report. */
#ifndef STAPRUN_SESSION_RUN_H
#define STAPRUN_SESSION_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/privilege.h"
#include "options.h"
#include "output/hits.h"
#include "output/output.h"
#include "report/report.h"
#include "session/reload.h"
#include "session/session_ops.h"
#include "wire.h"

struct options;

/* ------------------------------------------------------------------ child.c */

struct child {
	pid_t pid; /* 0: none */
	bool by_shell;
	char *program; /* the file that it executes; NULL: not found */
	bool aside;    /* its standard output goes to standard error: the script's output has its
			* own format */
	pid_t tracer;  /* a process that must be able to trace it; 0 */
	int go, error; /* pipes: start signal; errno of a failed exec */
};

/* Fork the command, which waits before its exec. C->tracer must be set. False after a message. */
bool child_fork(struct child *c, const char *line);
/* Let it call exec. Returns 0 or its errno. */
int child_go(struct child *c);
/* End it before its exec. */
void child_cancel(struct child *c);
/* Wait for its end; returns its exit status as a shell does. */
int child_status(struct child *c);

/* Send SIG to it if it is alive. */
void child_kill(const struct child *c, int sig);

/* --------------------------------------------------------------- watchdog.c */

/* Start receiving signals. Returns a non-blocking descriptor that yields a struct signalfd_siginfo
 * for each; -1 after a message. */
int watchdog_start(void);
/* Stop receiving signals, of which FROM reads those that main has not taken yet (-1: none). True
 * if one of them ends the run. Further signals stay pending. */
bool watchdog_stop(int from);
/* Set the activity named in the message of a forced end. */
void watchdog_activity(const char *what);
/* The session that a forced end has to release; NULL: none. */
void watchdog_session(const struct session *s);
/* Force the end at this time of CLOCK_MONOTONIC, in ns; 0: never. */
void watchdog_limit(uint64_t deadline);

/* ------------------------------------------------------------------ order.c */

/* A command to the module in progress, in a thread because it returns only when begin or end probes
 * are done. */
struct order {
	pthread_t thread;
	const struct session *session;
	enum ust_cmd_op op;
	unsigned flags;
	pid_t target;
	bool active;
	int done;       /* eventfd: it has completed */
	int error;      /* its errno or 0 */
	uint64_t began; /* ns */
};

/* Set up O for the session S, which must outlive it. False after a message. */
bool order_init(struct order *o, const struct session *s);
/* Send OP in a thread of its own, as the kernel may take long; o->done becomes readable at its
 * end. Without a thread, the call waits. */
void order_start(struct order *o, enum ust_cmd_op op, unsigned flags, pid_t target);
/* Called when `done' is readable: returns the command's errno or 0. */
int order_result(struct order *o);

/* --------------------------------------------------------- target_process.c */

struct run;
/* A process whose end ends the run. */
struct end_target {
	pid_t pid;
	int fd; /* its pidfd; -1: it has ended */
	char name[PROCESS_NAME];
};
/* Watch process PID. False with errno ESRCH if it does not exist. */
bool target_watch(struct run *r, pid_t pid);
/* Called when r->target is readable: report killed processes; closes it when the last has ended. */
void target_take(struct run *r);

/* --------------------------------------------------------------- exporter.c */

struct exporter; /* --prometheus, --otlp */

/* True if VALUE of --prometheus names a file. */
bool exporter_is_file(const char *value);
/* Start ustap-export if R's options request it, while staprun is single-threaded. False after a
 * message. */
bool exporter_start(struct run *r);
/* Send the last page if the script has BEGUN, or wait until the rest is posted, and end
 * ustap-export. False after a warning: the server has not accepted all that was to be posted. */
bool exporter_end(struct run *r, bool begun);
/* The descriptor to wait for, -1: none; exporter_take() reads from it. */
int exporter_fd(const struct run *r);
void exporter_take(struct run *r);
/* ns of CLOCK_MONOTONIC: when a view is wanted; 0: never. exporter_asked(): it was requested. */
uint64_t exporter_due(const struct run *r);
void exporter_asked(struct run *r);
/* True once, before the script is stopped: request a view of the last values. */
bool exporter_wants_last(struct run *r);
/* A view is complete: send the page. */
void exporter_page(struct run *r);

/* --------------------------------------------------------------- run_loop.c */

struct run {
	const struct options *opt;
	struct session session;
	struct output out;
	struct hits told;
	struct reader reader;
	struct order order;
	struct child child;
	struct exporter *exporter; /* or NULL */
	uint64_t globals_due; /* ns: when the next records of --interval are wanted; 0: never */
	bool sending;         /* the view in progress is of these records */
	enum phase { STARTING, RUNNING, DETACHING, STOPPING, DRAINING, ENDED } phase;
	int signals;    /* descriptor that reads signals */
	int target;     /* readable when a target has ended; -1: no targets, or all have ended */
	size_t targets; /* number of live targets */
	struct end_target *watched; /* all targets */
	size_t nwatched;
	uint64_t progress_due, progress_step; /* ns: time of the next progress line, and the
					       * interval to the one after it */
	bool progress_line;                   /* the terminal shows a progress line */
	unsigned interrupts;                  /* number of signals received that end the run */
	bool viewing;                         /* the command in progress requests a view */
	bool feeding;                         /* ... hands over characters of the input */
	struct {
		bool open;    /* more may come */
		bool is_keys; /* it is for --monitor */
		char text[256];
		size_t at, n; /* text[at] to text[n - 1] were not sent yet */
	} input;
	uint64_t view_due;  /* ns, time of the next request for one; 0: never */
	uint64_t view_step; /* ns */
	unsigned views;     /* number of those since view_step was set */
	bool stop;          /* the end was requested */
	uint64_t deadline;  /* ns of CLOCK_MONOTONIC; 0: none */
	uint64_t timeout;   /* the same for --timeout; later once the command was terminated */
	bool timed_out;
	struct reload reload;
	int status;             /* exit status of a failure in staprun; 0 */
	struct ust_status last; /* of the module */
};

/* True while a command is in progress that leaves the script running. */
static inline bool run_is_busy(const struct run *r) { return r->viewing || r->feeding; }

/* ------------------------------------------------------------------ input.c */

/* Prepare standard input if the script has input probes, by r->last, or for keys of --monitor; a
 * warning if the command has it. */
void input_open(struct run *r);
/* Change the terminal again, if a shell has restored it while staprun was suspended. */
void input_check(void);
/* Restore the terminal; any thread. */
void input_close(void);
/* The descriptor to wait for, -1: none at present. */
int input_fd(const struct run *r);
/* Called when input_fd() is readable. */
void input_read(struct run *r);
/* True if input_send() has something to send and may. */
bool input_due(const struct run *r);
void input_send(struct run *r);

/* Time from --timeout to a forced end, for the command to end and for end probes. */
#define TIMEOUT_SLACK_NS 30000000000ull

/* Run from the current phase to the end. */
void run_loop(struct run *r);
/* Wait until the command has ended, or a second signal has arrived. */
void run_wait_command(struct run *r);

/* ------------------------------------------------------------------ ready.c */

/* Called repeatedly while the script starts. */
void ready_progress(struct run *r);
/* The script did not start: remove the line that shows the progress. */
void ready_cancel(struct run *r);
/* All probes are armed, and begin probes have run. */
void ready_notify(struct run *r);

/* ------------------------------------------------------------------ start.c */

/* All return the exit status. */
int run_script(const struct options *o, enum role role);
/* Run a script in the user runtime, or attach to the module NAME (run_attach()), to its end. Exit
 * status of staprun. */
int run_user(const struct options *o);
/* choose.c: print the first of N FILES, builds of one script, that fits this machine: a module for
 * its kernel release, or code for the builds of the programs that it has.  Returns an exit
 * status. */
int choose_script(const char *const *files, size_t n);
/* See run_user(). */
int run_attach(const struct options *o, const char *name);

/* ----------------------------------------------------------------- report.c */

/* Report errors and losses; returns the exit status for them. */
int run_report(struct run *r);
/* Number of dropped records: as the runtime counts them, or by sequence numbers if those show
 * more. */
uint64_t records_lost(const struct run *r);

#endif
