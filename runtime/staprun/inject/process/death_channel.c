/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipe from the tracer to staprun: deaths of traced processes, and untraced processes that ran a
 * probed program. staprun reports them.
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
	pid_t pid;
	int status;
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

void death_of(const struct injector *in, struct process *p)
{
	int status;

	if (!p->injected || !process_ended(p) || p->pidfd < 0 ||
	    !death_status(p->pid, p->pidfd, &status))
		return;
	death_name(p->pid, p->pidfd, p->name);
	death_send(in, p->pid, p->name, status);
}

/* A traced process may name any other in its request: only a child of a traced process is
 * reported. */
static bool is_child(const struct injector *in, pid_t pid)
{
	long long parent = proc_status(pid, "PPid", 10);

	for (const struct process *p = in->processes; p; p = p->next)
		if (p->pid == parent && p->injected)
			return true;
	return false;
}

int child_open(const struct injector *in, pid_t pid, char name[PROCESS_NAME])
{
	int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	process_name(pid, name);
	if (fd < 0 || is_child(in, pid))
		return fd;
	close(fd);
	return -1;
}

void child_keep(struct injector *in, pid_t pid, int fd, const char *name)
{
	struct process *p = process_who(in, pid);

	if (p && p->pidfd >= 0) {
		close(fd);
		return;
	}
	if (!p) {
		p = process_new(in, pid);
		p->injected = p->unknown = true;
	}
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = fd;
	memcpy(p->name, name, sizeof p->name);
}

void untraced_send(const struct injector *in, pid_t pid, const char *path)
{
	struct death d = {.pid = pid};
	char message[PIPE_BUF];

	d.path_size = (unsigned)strnlen(path, sizeof message - sizeof d);
	memcpy(message, &d, sizeof d);
	memcpy(message + sizeof d, path, d.path_size);
	if (write(in->deaths, message, sizeof d + d.path_size) > 0)
		event_fd_signal(in->status);
}

void deaths_take(int fd)
{
	char path[PIPE_BUF];
	struct death d;

	while (read(fd, &d, sizeof d) == sizeof d) {
		if (!d.path_size)
			death_warn(d.pid, d.name, d.status);
		else if (d.path_size <= sizeof path && read(fd, path, d.path_size) == d.path_size)
			untraced_report_add(d.pid, path, d.path_size);
	}
}
