/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses of gates in handlers and tables: the references to the table that emit_gate.c defines, and,
 * at the end of a handler that may change what a condition reads, the condition's new value.
 */
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

struct ctext gate_ref(const struct gate *g) { return ctext("&gates[%zu]", g->number); }

static bool is_watching(const struct probe *p)
{
	return p->turns.n && (!probe_runs_alone(p) || !strcmp(p->kind->rt, "UST_PROBE_BEGIN"));
}

bool turns_gates(const struct probe *p) { return is_watching(p); }

void emit_turns(struct emit *e, const struct probe *p)
{
	for (size_t i = 0; is_watching(p) && i < p->turns.n; i++)
		line(e, "ust_gate_set(%s, holds_%zu(c)%s);", gate_ref(p->turns.v[i]),
		     p->turns.v[i]->number + 1,
		     overhead_gates(e) ? ctext(" && !gates_off[%zu]", p->turns.v[i]->number)
				       : C(""));
}

void emit_gate_closes(struct emit *e, const struct probe *p)
{
	if (p->gate)
		line(e, "ust_gate_set(%s, 0);", gate_ref(p->gate));
}

size_t gates_frame(const struct emit *e, const struct probe *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->turns.n; i++)
		for (size_t k = 0; k < e->frames.n; k++)
			if (e->frames.v[k].func == p->turns.v[i]->condition &&
			    e->frames.v[k].bytes > most)
				most = e->frames.v[k].bytes;
	return most;
}

struct ctext gate_of_table(const struct probe *p) { return p->gate ? gate_ref(p->gate) : C("0"); }

struct ctext gate_of_site(const struct emit *e, const struct probe *p, size_t number)
{
	if (p->gate || !overhead_gates(e))
		return gate_of_table(p);
	return ctext("&gates[%zu]", e->s->program.gates.n + number);
}
