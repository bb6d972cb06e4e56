/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target processes, whose end ends the run. */
#include "base/message.h"
#include "report/report.h"
#include "session/run.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool watch(struct run *r, pid_t pid)
{
	struct end_target t = {
		.pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0), .name = "process"};
	struct epoll_event ev = {.events = EPOLLIN, .data.u64 = r->nwatched};
	int err;

	if (t.fd < 0)
		return false;
	if (epoll_ctl(r->target, EPOLL_CTL_ADD, t.fd, &ev)) {
		err = errno;
		close(t.fd);
		errno = err;
		return false;
	}
	process_name(pid, t.name);
	r->watched = xrealloc(r->watched, (r->nwatched + 1) * sizeof *r->watched);
	r->watched[r->nwatched++] = t;
	return true;
}

/* The descriptor is open as long as a target lives. */
static void close_if_none(struct run *r)
{
	int err = errno;

	if (!r->targets && r->target >= 0) {
		close(r->target);
		r->target = -1;
	}
	errno = err;
}

bool target_watch(struct run *r, pid_t pid)
{
	bool ok;

	if (r->target < 0)
		r->target = epoll_create1(EPOLL_CLOEXEC);
	ok = watch(r, pid);
	r->targets += ok;
	close_if_none(r);
	return ok;
}

static void tell_end(struct end_target *t)
{
	int status;

	death_name(t->pid, t->fd, t->name);
	if (death_status(t->pid, t->fd, &status))
		death_warn(t->pid, t->name, status);
	else
		note("%s (pid %d) has ended; this kernel does not report its exit status", t->name,
		     (int)t->pid);
}

void target_take(struct run *r)
{
	struct epoll_event ev;

	while (r->targets && epoll_wait(r->target, &ev, 1, 0) == 1) {
		struct end_target *t = &r->watched[ev.data.u64];

		tell_end(t);
		epoll_ctl(r->target, EPOLL_CTL_DEL, t->fd, NULL);
		close(t->fd);
		t->fd = -1;
		r->targets--;
	}
	close_if_none(r);
}
