/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script process, as the tracer has it. */
#ifndef USTAP_INJECT_SCRIPT_SCRIPT_PROCESS_H
#define USTAP_INJECT_SCRIPT_SCRIPT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire_agent.h"

struct blob;
struct injector;

enum script_job { SCRIPT_IDLE, SCRIPT_BEGIN, SCRIPT_END, SCRIPT_VIEW, SCRIPT_INPUT };

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
/* Kill and reap the script process; nothing happens without one. */
void script_end(struct script *s);
/* Take replies and serve requests for memory; call when s->done is readable. */
void script_take(struct script *s);
enum { SCRIPT_CHECK_MS = 500 };
/* True if the script process runs a job or an order. script_check(), to be called every
 * SCRIPT_CHECK_MS meanwhile, kills it if it has used more processor time than permitted. */
bool script_is_busy(const struct script *s);
void script_check(struct script *s);
/* True if a job has completed since the last call. */
bool script_take_done(struct script *s);
/* Start JOB in the script process, SCRIPT_END with the FLAGS of UST_CMD_STOP; its end is reported
 * through the socket. */
void script_do(struct script *s, enum script_job job, uint32_t flags);
/* The same for SCRIPT_VIEW, with what UST_CMD_VIEW carries. */
void script_view(struct script *s, uint32_t flags, int64_t target);
/* The same for SCRIPT_INPUT, with the N lowest bytes of CHARS, at most UST_INPUT_CHARS. */
void script_input(struct script *s, uint64_t chars, uint32_t n);
/* Pass the state of site I to the script: enum ust_count_flags. */
void script_note(struct script *s, uint32_t i, uint32_t flags);
/* Send the collected notes. */
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

#endif
