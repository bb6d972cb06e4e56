/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of followed processes: queued for the script process, which runs the handlers, and their
 * replies. */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/process/follow.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "base/target_namespaces.h"
#include "wire_agent.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Events beyond this number are dropped, so that threads do not wait if handlers are slower than
 * the events. */
enum { QUEUE_MAX = 100000 };

uint32_t process_event_module(const struct injector *in, pid_t pid)
{
	const struct ust_layout *a = &in->blob->made;
	char name[40];
	struct stat st;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)proc_live_thread(pid));
	if (stat(name, &st) < 0)
		return UST_NO_MODULE;
	for (uint32_t i = 0; i < a->nmodules; i++)
		if (in->files[i]->elf && in->files[i]->dev == st.st_dev &&
		    in->files[i]->ino == st.st_ino && blob_wants(in->blob, UST_EVENTS, i, 0))
			return i;
	return UST_NO_MODULE;
}

/* struct user_regs_struct has the order of the kernel's struct pt_regs, with the segments after
 * it. */
static void copy_regs(struct ust_subject *s, const struct user_regs_struct *r)
{
	_Static_assert(sizeof s->regs <= sizeof *r, "registers");
	memcpy(s->regs, r, sizeof s->regs);
	s->has_regs = 1;
}

static bool give(struct injector *in, struct thread *th, uint32_t kind, uint32_t module,
		 const struct user_regs_struct *regs, bool held)
{
	const struct followed *w = th->of;
	struct event *ev;

	if (!w->known || !in->events || !blob_wants(in->blob, kind, module, (uint32_t)w->pid) ||
	    !blob_is_armed(in->blob) || in->script->nevents > QUEUE_MAX)
		return false;
	ev = xrealloc(NULL, sizeof *ev);
	*ev = (struct event){.kind = kind, .tid = th->tid, .held = held};
	ev->subject = (struct ust_subject){(uint32_t)w->inside,
					   (uint32_t)th->inside,
					   (uint32_t)w->pid,
					   (uint32_t)th->tid,
					   module,
					   0,
					   target_namespaces_level(w->pid),
					   th->attach_syscall,
					   {0}};
	if (regs)
		copy_regs(&ev->subject, regs);
	/* of several events, the last one releases the thread */
	ev->held |= th->pending && th->pending->held;
	th->pending = ev;
	script_event(in->script, ev);
	return true;
}

bool process_event_post(struct injector *in, struct thread *th, uint32_t event,
			const struct user_regs_struct *regs, bool held)
{
	return give(in, th, event, th->of->module, regs, held);
}

/* As in SystemTap: the old program's process ends, the new one's begins. */
void process_event_exec(struct injector *in, struct thread *th)
{
	if (th->of->begun)
		process_event_post(in, th, UST_EVENT_END, NULL, true);
}

static void go_on(struct injector *in, const struct event *ev)
{
	struct thread *th = follow_thread(in, ev->tid);

	if (!th || th->pending != ev)
		return;
	th->pending = NULL;
	if (ev->exec)
		th->of->execs = true;
	else if (ev->held)
		follow_resume(th, 0);
}

void process_events_handled(struct injector *in)
{
	struct event *ev;

	while ((ev = script_event_done(in->script))) {
		go_on(in, ev);
		free(ev);
	}
}
