/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run: the command or the processes it watches, orders, phases and the report at its end. */
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
#include "session/session.h"
#include "wire.h"

struct options;

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

/* ------------------------------------------------------------------ start.c */

/* All give the exit status. */
int run_script(const struct options *o, enum role role);
int run_user(const struct options *o);
int run_attach(const struct options *o, const char *name);

/* ----------------------------------------------------------------- report.c */

/* Tell what went wrong or was lost; gives the exit status for it. */
int run_report(struct run *r);
uint64_t records_lost(const struct run *r);

#endif
