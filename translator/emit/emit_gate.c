/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates to C (gate.c): a function for each condition, a table of gates, and, at the end of handlers
 * that may change what a condition reads, its new value.  A condition that cannot be worked out
 * leaves the gate open: the next hit says what is wrong.
 */
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

static struct ctext gate_text(const struct gate *g) { return ctext("&gates[%zu]", g->number); }

/* The value of a condition under the handler's locks, where an error may be pending; it may fail
 * itself. */
static void emit_condition(struct emit *e, const struct gate *g)
{
	struct cbuf *out = &e->text;

	g->condition->cname = c_word(g->condition->name);
	emit_function(e, g->condition);
	cbuf_printf(out, "\nstatic _Bool holds_%zu(struct ust_ctx *c)\n{\n\t_Bool on;\n\n",
		    g->number + 1);
	cbuf_printf(out, "\tif (c->failed)\n\t\treturn 1;\n\ton = !!%s(c) || c->failed;\n",
		    g->condition->cname);
	cbuf_add(out, C("\tc->failed = 0;\n\treturn on;\n}\n"));
}

/* All of them, before the first probe is placed. */
static void emit_evaluate(struct emit *e)
{
	const struct program *p = &e->s->program;

	e->out = &e->text;
	e->indent = 1;
	cbuf_add(&e->text, C("\nstatic void gates_evaluate(struct ust_hit *hit)\n{\n"));
	line(e, "struct ust_ctx *c = ust_enter(hit);\n");
	line(e, "if (ust_unlikely(!c))");
	line(e, "\treturn;");
	for (size_t i = 0; i < p->gates.n; i++)
		line(e, "ust_gate_set(%s, holds_%zu(c));", gate_text(p->gates.v[i]), i + 1);
	line(e, "ust_leave(c);");
	cbuf_add(&e->text, C("}\n"));
}

void emit_gates(struct emit *e)
{
	const struct program *p = &e->s->program;
	size_t all = p->gates.n + overhead_gates(e);

	if (all)
		cbuf_printf(&e->text,
			    "\nstatic struct ust_gate gates[%zu] = {[0 ... %zu] = {1, 0}};\n", all,
			    all - 1);
	if (!p->gates.n)
		return;
	if (overhead_gates(e))
		cbuf_printf(&e->text, "static unsigned char gates_off[%zu];\n", p->gates.n);
	for (size_t i = 0; i < p->gates.n; i++)
		emit_condition(e, p->gates.v[i]);
	emit_evaluate(e);
}

static bool is_watching(const struct probe *p)
{
	return p->turns.n && (!probe_runs_alone(p) || !strcmp(p->kind->rt, "UST_PROBE_BEGIN"));
}

bool turns_gates(const struct probe *p) { return is_watching(p); }

void emit_turns(struct emit *e, const struct probe *p)
{
	for (size_t i = 0; is_watching(p) && i < p->turns.n; i++)
		line(e, "ust_gate_set(%s, holds_%zu(c)%s);", gate_text(p->turns.v[i]),
		     p->turns.v[i]->number + 1,
		     overhead_gates(e) ? ctext(" && !gates_off[%zu]", p->turns.v[i]->number)
				       : C(""));
}

void emit_gate_closes(struct emit *e, const struct probe *p)
{
	if (p->gate)
		line(e, "ust_gate_set(%s, 0);", gate_text(p->gate));
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

struct ctext gate_of_table(const struct probe *p) { return p->gate ? gate_text(p->gate) : C("0"); }

struct ctext gate_of_site(const struct emit *e, const struct probe *p, size_t number)
{
	if (p->gate || !overhead_gates(e))
		return gate_of_table(p);
	return ctext("&gates[%zu]", e->s->program.gates.n + number);
}
