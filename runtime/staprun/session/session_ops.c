/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Session operations common to both runtimes, dispatched to session_kernel.c or session_user.c. */
#include "output/stream.h"
#include "session/session_ops.h"
#include "wire.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

bool session_status(const struct session *s, struct ust_status *st)
{
	return s->kind->status(s, st);
}

int session_command(const struct session *s, enum ust_cmd_op op, unsigned flags, pid_t target)
{
	struct ust_cmd cmd = {.op = op, .flags = flags, .target = target};

	return s->kind->command(s, &cmd);
}

void session_connect(const struct session *s, struct stream *stream)
{
	s->kind->connect(s, stream);
}

void session_report_lost(const struct session *s) { s->kind->gone(s); }

void session_close(struct session *s)
{
	int ctl = s->ctl, dir = s->dir;

	/* first, for the watchdog's thread */
	s->ctl = s->dir = -1;
	if (ctl >= 0)
		close(ctl);
	if (dir >= 0)
		close(dir);
}

bool session_remove(struct session *s) { return s->kind->remove(s); }
