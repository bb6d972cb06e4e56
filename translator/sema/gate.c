/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: the conditions of probes. A hit is handled only if the condition holds then, which the
 * handler's first statement sees to; besides, the sites of a probe whose condition is false are
 * disarmed until it is true.
 *
 * Takes the program of the pass "locks", before the locks are chosen.  Adds a gate to the program
 * for each condition that can be watched, sets probe.gate of those that are behind it, and
 * probe.turns: the gates whose conditions read what a handler writes, which it works out again at
 * its end.
 */
#include <string.h>
#include "sema.h"
#include "session.h"

/* The statement in front of a conditional probe's body: `if (!(cond)) next'. */
static struct node *refusal(const struct probe *p)
{
	struct node *n = p->body && p->body->kind == N_BLOCK ? p->body->block.body : NULL;

	return n && n->kind == N_IF && n->cond.t && n->cond.t->kind == N_NEXT &&
			       n->cond.t->next_stmt.refused
		       ? n
		       : NULL;
}

/* Statistics change without locks: when one has made a condition true cannot be said. */
static bool can_watch(const effect_vec *reads)
{
	for (size_t i = 0; i < reads->n; i++)
		if (reads->v[i].sym->type == T_STAT || reads->v[i].written)
			return false;
	return reads->n > 0;
}

/* Such a handler cannot wait until what it turns on is there. */
static bool turned_in_kernel(const struct program *p, const effect_vec *reads)
{
	for (size_t i = 0; i < p->probes.n; i++) {
		effect_vec used = {0};

		if (!p->probes.v[i]->kind->in_kernel && !p->probes.v[i]->kind->is_syscall)
			continue;
		effects_of(p->probes.v[i]->body, &used);
		for (size_t k = 0; k < reads->n; k++) {
			const struct effect *e = effect_find(&used, reads->v[k].sym);

			if (e && e->written)
				return true;
		}
	}
	return false;
}

static struct func *condition(const struct node *refused, size_t number)
{
	struct func *f = xalloc(sizeof *f);
	struct node *value = node_new(N_UNARY, refused->loc);

	value->type = T_LONG;
	value->un.op = OP_NOT;
	value->un.e = node_clone(refused->cond.c, NULL, 0);
	f->name = xprintf("condition_%zu", number);
	f->loc = refused->loc;
	f->type = T_LONG;
	f->has_value = f->used = true;
	f->body = node_new(N_RETURN, refused->loc);
	f->body->expr.e = value;
	return f;
}

/* Key of a condition: equal conditions have the same text, location and globals. */
static const char *key_of(struct node *n, const effect_vec *reads)
{
	struct strbuf sb = {0};

	node_dump(&sb, n->cond.c, 0);
	sb_printf(&sb, "%s:%u:%u", n->loc.src->name, n->loc.beg, n->loc.end);
	for (size_t i = 0; i < reads->n; i++)
		sb_printf(&sb, " %p", (void *)reads->v[i].sym);
	return sb.s;
}

static struct gate *gate_of(struct program *p, struct smap *known, struct node *refused)
{
	effect_vec reads = {0};
	struct gate *g;
	const char *key;

	effects_of(refused->cond.c, &reads);
	if (!can_watch(&reads) || turned_in_kernel(p, &reads))
		return NULL;
	key = key_of(refused, &reads);
	g = smap_get(known, key);
	if (g)
		return g;
	g = xalloc(sizeof *g);
	g->number = p->gates.n;
	g->condition = condition(refused, p->gates.n + 1);
	for (size_t i = 0; i < reads.n; i++)
		vec_push(&g->reads, reads.v[i].sym);
	vec_push(&p->gates, g);
	smap_put(known, key, g);
	return g;
}

/* True if P can be disarmed: probes on events that happen once in a run, such as begin, cannot. */
static bool can_close(const struct probe *p)
{
	return p->kind->has_sites || (p->kind->rt && !probe_runs_alone(p));
}

void gates_find(struct session *s)
{
	struct program *p = &s->program;
	struct smap known = {0};

	for (size_t i = 0; i < p->probes.n; i++) {
		struct probe *pr = p->probes.v[i];
		struct node *refused = can_close(pr) ? refusal(pr) : NULL;

		if (refused)
			pr->gate = gate_of(p, &known, refused);
	}
}

bool gate_reads(const struct gate *g, const struct symbol *sym)
{
	for (size_t i = 0; i < g->reads.n; i++)
		if (g->reads.v[i] == sym)
			return true;
	return false;
}

static bool turns(const struct gate *g, const effect_vec *used)
{
	for (size_t i = 0; i < used->n; i++)
		if (used->v[i].written && gate_reads(g, used->v[i].sym))
			return true;
	return false;
}

void gates_of_handler(const struct program *p, struct probe *probe, effect_vec *used)
{
	for (size_t i = 0; i < p->gates.n; i++) {
		struct gate *g = p->gates.v[i];

		if (!turns(g, used))
			continue;
		vec_push(&probe->turns, g);
		effects_of(g->condition->body, used);
	}
}
