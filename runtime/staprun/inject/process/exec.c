/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that execute a program: the agent is injected before its first instruction. */
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "report/report.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <string.h>

void exec_not_followed(pid_t pid, const char *why)
{
	char name[PROCESS_NAME] = "?";

	if (pid_is_ending(pid))
		return;
	process_name(pid, name);
	warning("process %d (%s) is not traced after its exec: %s", (int)pid, name, why);
}

struct launched {
	struct injector *in;
	pid_t pid;
};

static bool prepare(void *arg, struct tracee *t)
{
	const struct launched *l = arg;
	struct process *p = process_find(l->in, l->pid);

	if (!p)
		p = process_new(l->in, l->pid);
	process_forget(p);
	p->launching = true;
	process_name(p->pid, p->name);
	return process_inject(l->in, p, t) && process_update(l->in, p, t);
}

static bool mapped(void *arg, struct tracee *t)
{
	const struct launched *l = arg;

	return process_update(l->in, process_find(l->in, l->pid), t);
}

void follow_exec(struct injector *in, pid_t pid)
{
	struct launched l = {in, pid};
	struct tracee t;
	int err;

	do
		err = launch_follow(&t, pid, prepare, mapped, &l);
	while (err == ERESTART);
	if (!err) {
		struct process *p = process_find(in, pid);

		process_note_start(in, p, &t);
		process_update(in, p, &t);
		tracee_release(&t);
		plans_free(p);
	} else if (err != ECANCELED) { /* which was reported */
		exec_not_followed(pid, strerror(err));
	}
}
