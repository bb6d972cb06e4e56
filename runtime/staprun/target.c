/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes whose end ends the run. */
#include "staprun.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool watch(const struct run *r, pid_t pid)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = (int)syscall(SYS_pidfd_open, pid, 0)};
	int err;

	if (ev.data.fd < 0)
		return false;
	if (!epoll_ctl(r->target, EPOLL_CTL_ADD, ev.data.fd, &ev))
		return true;
	err = errno;
	close(ev.data.fd);
	errno = err;
	return false;
}

/* The descriptor is there as long as a target lives. */
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

void target_take(struct run *r)
{
	struct epoll_event ev;

	while (r->targets && epoll_wait(r->target, &ev, 1, 0) == 1) {
		epoll_ctl(r->target, EPOLL_CTL_DEL, ev.data.fd, NULL);
		close(ev.data.fd);
		r->targets--;
	}
	close_if_none(r);
}
