/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merge rules: which numbers of several runs are added.
 *
 * Takes the typed program; sets symbol.assigned. The runs that are merged do not run end probes, so
 * only changes in other probes count. A number that these only increment, decrement, add to,
 * subtract from and delete is a count: the changes of all runs add up. Of any other number the
 * newest value is kept.
 */
#include <string.h>
#include "passes.h"
#include "sema.h"

static void note_assigned(struct node *target)
{
	if (target && (target->kind == N_VAR || target->kind == N_INDEX))
		target->sym->assigned = true;
}

static bool note_change(struct node *n, void *arg)
{
	(void)arg;
	switch (n->kind) {
	case N_ASSIGN:
		if (n->bin.op != OP_ADD && n->bin.op != OP_SUB)
			note_assigned(n->bin.l);
		break;
	case N_FOREACH:
		for (struct node *k = n->each.keys; k; k = k->next)
			note_assigned(k);
		note_assigned(n->each.value);
		break;
	case N_TRY:
		note_assigned(n->try_.var);
		break;
	case N_EMBEDDED:
		for (struct node *use = n->embedded.uses; use; use = use->next)
			if (use->kind == N_ASSIGN)
				note_assigned(use->bin.l);
		break;
	default:
		break;
	}
	return true;
}

void merge_rules_find(struct program *p)
{
	func_vec called = {0};

	for (size_t i = 0; i < p->probes.n; i++) {
		const struct probe *probe = p->probes.v[i];

		if (probe->kind->rt && !strcmp(probe->kind->rt, "UST_PROBE_END"))
			continue;
		node_walk(probe->body, note_change, NULL, NULL);
		calls_of(probe->body, &called);
	}
	for (size_t i = 0; i < called.n; i++)
		node_walk(called.v[i]->body, note_change, NULL, NULL);
}
