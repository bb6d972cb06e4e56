/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions to C: tables for runtime/common/strings/regex.c, one set for
 * each text of a regular expression in the script.  A script that never asks
 * what was matched gets only the table that says whether something was.
 */
#include <string.h>

#include "emit.h"
#include "regex/regex.h"

/* ------------------------------------------------ is it asked what matched */

static bool see_ask(struct node *n, void *arg)
{
	bool *asks = arg;

	if (n->kind == N_CALL && n->call.builtin)
		*asks |= n->call.builtin->flags & BF_MATCH;
	return !*asks;
}

void note_matches(struct emit *e)
{
	const struct program *p = &e->s->program;

	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, see_ask, NULL, &e->keeps_matches);
	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, see_ask, NULL, &e->keeps_matches);
}

/* ------------------------------------------------------------------ tables */

#define PER_LINE 24

static void numbers(struct cbuf *sb, const void *v, size_t n, size_t width)
{
	for (size_t i = 0; i < n; i++)
		cbuf_printf(sb, "%s%d,", i % PER_LINE ? C(" ") : C("\n\t"),
			    width == 2 ? ((const uint16_t *)v)[i] : ((const uint8_t *)v)[i]);
	cbuf_add(sb, C("\n};\n"));
}

static void table(struct cbuf *sb, struct ctext type, struct ctext name, const void *v, size_t n,
		  size_t width)
{
	cbuf_printf(sb, "static const unsigned %s %s[] = {", type, name);
	numbers(sb, v, n, width);
}

static void write_dfa(struct cbuf *sb, struct ctext rx, const struct dfa *d)
{
	struct ctext name = ctext("%s_dfa%d", rx, d->number);

	table(sb, C("short"), ctext("%s_next", name), d->next, (size_t)(d->nstates * d->nclasses),
	      2);
	table(sb, C("char"), ctext("%s_accept", name), d->accept, (size_t)d->nstates, 1);
	cbuf_printf(sb, "static const struct ust_dfa %s = {%s_next, %s_accept, {%d, %d}};\n", name,
		    name, name, d->start[0], d->start[1]);
}

static struct ctext dfa_text(struct ctext rx, const struct dfa *d)
{
	return d ? ctext("&%s_dfa%d", rx, d->number) : C("0");
}

static void write_steps(struct cbuf *sb, struct ctext rx, const struct rx_plan *p)
{
	static const struct ctext kinds[] = {C("GROUP"), C("CAT"), C("ALT"), C("STAR"), C("COPY")};

	for (size_t i = 0; i < p->steps.n; i++)
		if (p->steps.v[i].live)
			table(sb, C("char"), ctext("%s_live%zu", rx, i), p->steps.v[i].live,
			      (size_t)(p->steps.v[i].fwd->nstates * p->steps.v[i].bwd->nstates), 1);
	cbuf_printf(sb, "static const struct ust_rx_step %s_steps[] = {\n", rx);
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct rx_step *s = &p->steps.v[i];

		cbuf_printf(sb, "\t{UST_RX_%s, %d, %d, %d, %d, %s, %s, %s, %d},\n", kinds[s->kind],
			    s->first, s->last, s->left, s->right, dfa_text(rx, s->fwd),
			    dfa_text(rx, s->bwd), s->live ? ctext("%s_live%zu", rx, i) : C("0"),
			    s->live ? s->bwd->nstates : 0);
	}
	cbuf_add(sb, C("};\n"));
}

static void write_regex(struct emit *e, struct ctext rx, const struct node *n,
			const struct rx_plan *p)
{
	struct cbuf *sb = &e->specs;

	cbuf_printf(sb, "\n%s\n", c_comment("%.*s", (int)n->regex.len, n->regex.s));
	table(sb, C("char"), ctext("%s_map", rx), p->classes.map, 256, 1);
	for (size_t i = 0; i < p->dfas.n; i++)
		write_dfa(sb, rx, p->dfas.v[i]);
	if (p->steps.n)
		write_steps(sb, rx, p);
	cbuf_printf(sb,
		    "static const struct ust_regex %s = {\n\t%s_map, %d, %d, %zu,\n\t%s, %s, %s, "
		    "%s\n};\n",
		    rx, rx, p->classes.n, p->ngroups, p->steps.n, dfa_text(rx, p->test),
		    dfa_text(rx, p->locate), dfa_text(rx, p->longest),
		    p->steps.n ? ctext("%s_steps", rx) : C("0"));
}

/* The name of N's tables, which are made at its first use. */
static struct ctext regex_tables(struct emit *e, const struct node *n)
{
	const char *key = xprintf("\"%s", n->regex.s);
	struct ctext name = ctext_get(&e->spec_names, key);
	struct rx_plan *p;

	if (name.at)
		return name;
	name = ctext("rx_%zu", e->spec_names.ents.n);
	ctext_put(&e->spec_names, key, name);
	p = rx_plan_new(n->regex.re, n->regex.ngroups, e->keeps_matches);
	if (!p) {
		diag_error(E_LIMIT, n->regex.loc,
			   "the tables of this regular expression are too large");
		return name;
	}
	write_regex(e, name, n, p);
	if (e->keeps_matches && p->steps.n + (size_t)p->ngroups > e->match_spans)
		e->match_spans = p->steps.n + (size_t)p->ngroups;
	return name;
}

struct val emit_regex(struct emit *e, struct node *n)
{
	struct val s = expr(e, n->regex.e), v = {.truth = true};
	struct ctext rx = regex_tables(e, n);

	reads_add(&v, &s);
	if (!e->keeps_matches) {
		v.c = ctext("%sust_regex_test(c, &%s, %s)", n->regex.negated ? C("!") : C(""), rx,
			    s.c);
		return v;
	}
	v.c = ctext("%sust_regex_match(c, &%s, %s)", n->regex.negated ? C("!") : C(""), rx, s.c);
	return spill(e, v, T_LONG);
}
