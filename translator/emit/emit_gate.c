/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates to C (sema/gate.c): the table of gates, and a function for each condition. A condition that
 * fails leaves the gate open, so the next hit reports the error.
 */
#include "emit.h"

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
		line(e, "ust_gate_set(%s, holds_%zu(c));", gate_ref(p->gates.v[i]), i + 1);
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
