/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins that work in probes of one family only, because their state is part of its hits.
 *
 * The runtime checks the same again: each of these functions fails where its state is absent.
 */
#include <string.h>
#include "sema.h"

static const struct family {
	unsigned flag;
	const char *pattern, *name;
} families[] = {
	{BF_FILE, "procfs", "procfs probes"},
	{BF_PACKET, "netfilter.", "netfilter probes"},
};

static bool see_call(struct node *n, void *arg)
{
	const struct probe *p = arg;

	for (size_t i = 0; n->kind == N_CALL && n->call.builtin && i < ARRAY_LEN(families); i++) {
		const struct family *f = &families[i];
		bool missing = n->call.builtin->flags & f->flag &&
			       strncmp(p->kind->pattern, f->pattern, strlen(f->pattern));

		if (missing) {
			diag_error(E_CONTEXT, n->loc, "%s() works in %s only", n->call.name,
				   f->name);
			diag_hint("%s calls it", p->pp);
		}
	}
	return true;
}

static bool find_call(struct node *n, void *found)
{
	*(bool *)found |= n->kind == N_CALL && n->call.builtin &&
			  n->call.builtin->flags & (BF_FILE | BF_PACKET);
	return true;
}

/* Few programs have a function with such a call, and then each probe's functions are looked at. */
static bool functions_call(const struct program *p)
{
	bool found = false;

	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, find_call, NULL, &found);
	return found;
}

void check_builtins(const struct program *p)
{
	bool functions = functions_call(p);

	for (size_t i = 0; i < p->probes.n; i++) {
		func_vec called = {0};

		node_walk(p->probes.v[i]->body, see_call, NULL, p->probes.v[i]);
		if (functions)
			calls_of(p->probes.v[i]->body, &called);
		for (size_t k = 0; k < called.n; k++)
			node_walk(called.v[k]->body, see_call, NULL, p->probes.v[i]);
	}
}
