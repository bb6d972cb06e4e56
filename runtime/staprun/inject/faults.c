/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers read memory plainly where a fault would come to us: that is where the program has handlers
 * for neither SIGSEGV nor SIGBUS, and we see when it gets them.
 */
#include "process.h"

#include <signal.h>
#include <sys/syscall.h>

static const int faults[] = {SIGSEGV, SIGBUS};

static bool are_default(struct tracee *t)
{
	struct ust_disposition a;

	for (int i = 0; i < 2; i++)
		if (!disposition_get(t, faults[i], &a) || a.handler != (uint64_t)SIG_DFL)
			return false;
	return true;
}

static void set_flag(const struct blob *b, const struct tracee *t, bool on)
{
	uint64_t at = b->base + offsetof(struct ust_process, flags);
	uint32_t flags;

	if (!tracee_read(t, at, &flags, sizeof flags))
		return;
	flags = on ? flags | UST_PROCESS_CATCH_FAULTS : flags & ~(uint32_t)UST_PROCESS_CATCH_FAULTS;
	tracee_write(t, at, &flags, sizeof flags);
}

void faults_catch(const struct injector *in, struct process *p, struct tracee *t)
{
	const struct ust_layout *made = &in->blob->made;
	const struct ust_disposition ours = {made->fault_handler, SA_SIGINFO | SA_ONSTACK | DISPOSITION_RESTORER,
				    made->fault_restorer, 0};

	if (!p->sees_sigaction || p->catching)
		return;
	p->catching = true;
	if (are_default(t) && disposition_set(t, SIGSEGV, &ours) && disposition_set(t, SIGBUS, &ours))
		set_flag(in->blob, t, true);
}

void faults_release(const struct injector *in, struct tracee *t)
{
	const struct ust_disposition none = {0};
	struct ust_disposition a;

	set_flag(in->blob, t, false);
	for (int i = 0; i < 2; i++)
		if (disposition_get(t, faults[i], &a) && a.handler == in->blob->made.fault_handler)
			disposition_set(t, faults[i], &none);
}
