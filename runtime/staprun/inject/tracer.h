/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that does all tracing; it outlives a killed staprun and cleans up. */
#ifndef USTAP_INJECT_TRACER_H
#define USTAP_INJECT_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

struct blob;

/* The tracer: a process started before the command is forked. Commands and replies go through a
 * socket. */
struct tracer {
	pid_t pid;
	int socket;
	int event;  /* eventfd: the status has changed, or a traced process has died */
	int deaths; /* pipe of struct death */
};
/* The processes to trace, besides a command. */
struct trace_targets {
	const pid_t *pids;
	size_t n;
	const char *follow; /* a program: all processes that execute it; NULL */
};
/* Fork the tracer, which attaches to the processes of T. False after a message. tr->event becomes
 * readable when its status changes. */
bool tracer_start(struct tracer *tr, struct blob *b, const struct trace_targets *t);
/* Send a command. Returns 0 or errno; blocks while begin or end probes run. */
int tracer_command(const struct tracer *tr, const struct ust_cmd *cmd);
/* Report the deaths received through FD of struct tracer (death_channel.c). */
void deaths_take(int fd);
void tracer_stop(struct tracer *tr); /* ask it to end, and wait for that */

#endif
