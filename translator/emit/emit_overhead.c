/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --max-overhead to C. The tables name functions by which the runtime measures, samples and
 * switches off handlers (emit_count.c); each site has a gate of its own (emit_gate.c). Sampled
 * hits add to counts and statistics as many times as the hits that they stand for.
 * Other programs contain no such code.
 */
#include "emit.h"

static bool is_on(const struct emit *e) { return e->s->opt.max_overhead > 0; }

static size_t count_sites(const struct emit *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->s->program.probes.n; i++)
		n += e->s->program.probes.v[i]->sites.n;
	return n;
}

struct ctext hit_weight(const struct emit *e)
{
	return e->u.func ? C("c->hit->weight") : C("hit->weight");
}

struct ctext scaled(const struct emit *e, const struct symbol *sym, struct ctext value)
{
	if (!is_on(e) || !sym->is_count)
		return value;
	return ctext("ust_scaled(&%s, %s, %s)", sym->cname, value, hit_weight(e));
}

bool is_weighted(const struct emit *e) { return is_on(e); }

size_t overhead_gates(const struct emit *e) { return is_on(e) ? count_sites(e) : 0; }

void write_overhead_timer(const struct emit *e, struct cbuf *rows, size_t *n)
{
	if (!overhead_gates(e))
		return;
	cbuf_add(rows, C("\t{UST_PROBE_TIMER_NS, ust_overhead_control, \"timer\", 0, 0, "
			 ".timer = {10000000, 0}},\n"));
	++*n;
}

bool write_overhead(const struct emit *e, struct cbuf *out)
{
	const struct program *p = &e->s->program;

	if (!overhead_gates(e))
		return false;
	cbuf_add(out, C("\nstatic const ust_u32 groups[] = {\n"));
	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t k = 0; k < p->probes.v[i]->sites.n; k++)
			cbuf_printf(out, "\t%zu,\n",
				    p->probes.v[i]->group * 2 + p->probes.v[i]->keeps_state);
	cbuf_add(out, C("};\n"));
	return true;
}
