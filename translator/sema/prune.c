/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prune: what no probe reaches leaves the program.
 *
 * Takes program.probes with their bodies, and program.globals and .funcs as
 * resolve filled them.  Afterwards program.funcs holds the functions that some
 * probe calls, directly or not, with func.used and func.recursive set,
 * program.elided those whose calls were all removed by "elide", and
 * program.globals those that some probe or kept function mentions.  A
 * global that is written and never read stays.
 */
#include "passes.h"
#include "sema.h"

#define MAX_GLOBALS 10000 /* no script comes near it */

static void prune_funcs(struct program *p, const func_vec *called)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->funcs.n; i++) {
		struct func *f = p->funcs.v[i];

		f->used = func_find(called, f);
		if (f->used)
			p->funcs.v[kept++] = f;
		else if (f->elided && !f->is_copy)
			vec_push(&p->elided, f);
	}
	p->funcs.n = kept;
}

static void prune_globals(struct program *p, const effect_vec *used)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->globals.n; i++)
		if (effect_find(used, p->globals.v[i]))
			p->globals.v[kept++] = p->globals.v[i];
	p->globals.n = kept;
}

/* A function is recursive if it reaches itself. */
static void find_recursion(struct program *p)
{
	for (size_t i = 0; i < p->funcs.n; i++) {
		func_vec reached = {0};

		calls_of(p->funcs.v[i]->body, &reached);
		p->funcs.v[i]->recursive = func_find(&reached, p->funcs.v[i]);
	}
}

void pass_prune(struct session *s)
{
	func_vec called = {0};
	effect_vec used = {0};

	for (size_t i = 0; i < s->program.probes.n; i++) {
		calls_of(s->program.probes.v[i]->body, &called);
		effects_of(s->program.probes.v[i]->body, &used);
	}
	prune_funcs(&s->program, &called);
	prune_globals(&s->program, &used);
	if (s->program.globals.n > MAX_GLOBALS)
		diag_error(E_LIMIT, s->program.globals.v[MAX_GLOBALS]->loc,
			   "a script uses at most %d globals", MAX_GLOBALS);
	find_recursion(&s->program);
}
