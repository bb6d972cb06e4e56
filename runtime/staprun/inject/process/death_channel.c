/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipe from the tracer to staprun: deaths of traced processes, untraced processes that ran a probed
 * program, and files that no traced process mapped. staprun reports them.
 */
#include "inject/event_fd.h"
#include "inject/injector.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "inject/tracer.h"
#include "report/report.h"

#include <stdbool.h>
#include <sys/types.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not shared with traced processes: only the tracer writes to the pipe. */
struct death {
	pid_t pid;  /* 0: no process mapped the file whose path follows */
	int status; /* number of such files */
	char name[PROCESS_NAME];
	/* 0: the process died; else it is not traced and has run the program whose path follows */
	unsigned path_size;
};

void death_send(const struct injector *in, pid_t pid, const char *name, int status)
{
	struct death d = {.pid = pid, .status = status};

	memcpy(d.name, name, strnlen(name, sizeof d.name - 1));
	/* one write of less than PIPE_BUF; a full pipe has enough to report */
	if (write(in->deaths, &d, sizeof d) == sizeof d)
		event_fd_signal(in->status);
}

static void send_path(const struct injector *in, struct death d, const char *path)
{
	char message[PIPE_BUF];

	d.path_size = (unsigned)strnlen(path, sizeof message - sizeof d);
	memcpy(message, &d, sizeof d);
	memcpy(message + sizeof d, path, d.path_size);
	if (write(in->deaths, message, sizeof d + d.path_size) > 0)
		event_fd_signal(in->status);
}

void untraced_send(const struct injector *in, pid_t pid, const char *path)
{
	send_path(in, (struct death){.pid = pid}, path);
}

void unmapped_send(const struct injector *in, const char *path, unsigned n)
{
	send_path(in, (struct death){.status = (int)n}, path);
}

static void take_path(const struct death *d, const char *path)
{
	if (d->pid)
		untraced_report_add(d->pid, path, d->path_size);
	else
		unmapped_report_set(path, d->path_size, (unsigned)d->status);
}

void deaths_take(int fd)
{
	char path[PIPE_BUF];
	struct death d;

	while (read(fd, &d, sizeof d) == sizeof d) {
		if (!d.path_size)
			death_warn(d.pid, d.name, d.status);
		else if (d.path_size <= sizeof path && read(fd, path, d.path_size) == d.path_size)
			take_path(&d, path);
	}
}
