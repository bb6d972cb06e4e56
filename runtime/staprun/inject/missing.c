/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Until tracer.c and permit.c are there. */
#include "inject.h"

#include <errno.h>

#define MISSING __attribute__((weak))

MISSING bool tracer_start(struct tracer *tr, struct blob *b, const pid_t *targets, size_t ntargets)
{
	(void)tr, (void)b, (void)targets, (void)ntargets;
	return fail("this staprun cannot trace with the user runtime yet");
}

MISSING int tracer_command(const struct tracer *tr, const struct ust_cmd *cmd)
{
	(void)tr, (void)cmd;
	return ENOSYS;
}

MISSING void tracer_stop(struct tracer *tr) { (void)tr; }

MISSING bool permit_check(pid_t pid) { return pid > 0; }
