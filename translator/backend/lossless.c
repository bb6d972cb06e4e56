/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --lossless with the kernel runtime: probes that print have to be able to wait. */
#include <string.h>

#include "backend.h"
#include "sema/builtin.h"
#include "sema/sema.h"

static bool see_output(struct node *n, void *found)
{
	const char *name = n->kind == N_CALL && n->call.builtin ? n->call.builtin->name : "";

	if ((n->kind == N_PRINT && !(n->print.kind & PR_TO_STRING)) ||
	    !strncmp(name, "print_", 6) || !strcmp(name, "warn"))
		*(bool *)found = true;
	return true;
}

static bool writes_output(const struct probe *p)
{
	func_vec funcs = {0};
	bool found = false;

	node_walk(p->body, see_output, NULL, &found);
	calls_of(p->body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, see_output, NULL, &found);
	return found;
}

/* Its handlers run where the kernel does not allow to sleep. */
static bool cannot_wait(const struct probe_kind *k)
{
	return k->in_irq || k->in_kernel || k->is_syscall || k->holds == HOLDS_PERF ||
	       k->holds == HOLDS_DATA || k->holds == HOLDS_PACKET || k->holds == HOLDS_PROCESS;
}

bool lossless_fits(const struct session *s, struct unusable *why)
{
	for (size_t i = 0; i < s->program.probes.n && s->opt.lossless; i++) {
		const struct probe *p = s->program.probes.v[i];

		if (!cannot_wait(p->kind) || !writes_output(p))
			continue;
		*why = (struct unusable){
			.tag = E_UNSUPPORTED,
			.loc = p->point,
			.msg = xprintf("--lossless: the handler of %s prints and cannot wait for "
				       "space in the buffer",
				       p->pp),
			.hint = "count in this probe and print in an end probe or a timer, or use "
				"a larger buffer, -s MB, instead of --lossless"};
		return false;
	}
	return true;
}
