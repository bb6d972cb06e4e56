/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry: values that a return probe keeps from the function's entry.
 *
 * @entry(e), and each target variable but $return, is evaluated when the function
 * is entered.  It becomes a variable of its own, SYM_SAVED; a probe without sites,
 * P->entry, sets these variables.  The runtime calls it at entry and keeps
 * what it has set beside the return address, for P at the return of that call.
 *
 * Between two time stamps nothing of the handlers shall be measured: times are read last at
 * entry, and the time that @entry of the same time is subtracted from is read first at the
 * return, before locks are taken.
 */
#include <string.h>
#include "session.h"
#include "sema/builtin.h"
#include "point.h"

static const struct probe_kind entry_kind = {.pattern = "@entry", .has_sites = true};

/* In which order values are read at entry. */
enum rank { PLAIN, CALLS_CLOCK, CLOCK, RANKS };

struct split {
	const struct session *s;
	struct probe *p;
	struct smap known;         /* text of an expression -> its symbol */
	const struct function *f;  /* the function that returns; may be NULL */
	struct node **ends[RANKS]; /* of the entry's statements of each rank */
	struct smap arrivals;      /* name of a clock -> its time when the handler begins */
	bool quiet, failed;
	struct var_error *err;
};

static void fail(struct split *sp, struct loc loc, const char *msg, const char *hint)
{
	if (!sp->failed)
		*sp->err = (struct var_error){E_CONTEXT, loc, msg, hint, NULL};
	sp->failed = true;
}

/* -------------------------------------------------------------- times */

static bool is_clock(const struct node *n)
{
	return n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & BF_CLOCK;
}

struct search {
	bool found;
	int depth;
};

/* Functions of functions that read the time are deep enough: some call themselves. */
static bool see_clock(struct node *n, void *arg)
{
	enum { DEPTH = 4 };
	struct search *s = arg;

	s->found |= is_clock(n);
	if (n->kind == N_CALL && n->call.func && s->depth < DEPTH) {
		s->depth++;
		node_walk(n->call.func->body, see_clock, NULL, s);
		s->depth--;
	}
	return !s->found;
}

/* Itself, or in a function that it calls? */
static bool reads_clock(struct node *e)
{
	struct search s = {0};

	node_walk(e, see_clock, NULL, &s);
	return s.found;
}

/* -------------------------------------------------------- expressions */

/* Inside of @entry all is at the entry already; the handler's own variables are not there yet. */
static bool check_inner(struct node *n, void *arg)
{
	struct split *sp = arg;

	if (n->kind == N_ENTRY) {
		struct node *next = n->next, *e = n->entry.e;

		*n = *e;
		n->next = next;
		return check_inner(n, arg);
	}
	if (n->sym && n->sym->kind == SYM_LOCAL)
		fail(sp, n->loc,
		     xprintf("\"%s\" has no value yet when the function is entered", n->sym->name),
		     "only globals, functions and target variables can be used at the entry");
	if (n->kind == N_TARGET && n->target.written)
		fail(sp, n->loc, "@entry cannot change a variable",
		     "set the variable in a probe on the function's entry");
	if (n->kind == N_TARGET && !strcmp(n->target.name, "$return"))
		fail(sp, n->loc, "$return is known only when the function returns", NULL);
	return true;
}

static struct probe *entry_of(struct split *sp)
{
	struct probe *e = sp->p->entry;

	if (e)
		return e;
	e = xalloc(sizeof *e);
	e->kind = &entry_kind;
	e->loc = sp->p->loc;
	e->point = sp->p->point;
	e->pp = xprintf("%s, at entry", sp->p->pp);
	e->body = node_new(N_BLOCK, sp->p->body->loc);
	e->sets_saved = true;
	for (int i = 0; i < RANKS; i++)
		sp->ends[i] = &e->body->block.body;
	return sp->p->entry = e;
}

static struct node *reference(struct symbol *sym, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->var.name = sym->name;
	n->sym = sym;
	return n;
}

static struct node *node_statement(struct node *e)
{
	struct node *n = node_new(N_EXPR, e->loc);

	n->expr.e = e;
	return n;
}

static enum rank rank_of(struct node *e)
{
	return is_clock(e) ? CLOCK : reads_clock(e) ? CALLS_CLOCK : PLAIN;
}

/* Behind those of its rank. */
static void add_to_entry(struct split *sp, struct node *stmt, enum rank rank)
{
	struct node **at = sp->ends[rank];

	stmt->next = *at;
	*at = stmt;
	for (int i = rank; i < RANKS; i++)
		if (sp->ends[i] == at)
			sp->ends[i] = &stmt->next;
}

/* The variable for E, which the entry sets; the same for equal expressions. */
static struct symbol *save(struct split *sp, struct node *e)
{
	struct probe *entry = entry_of(sp);
	struct strbuf text = {0};
	struct symbol *sym;
	struct node *set;

	node_dump(&text, e, 0);
	sym = smap_get(&sp->known, text.s);
	if (sym)
		return sym;
	sym = xalloc(sizeof *sym);
	sym->name = xprintf("@entry(%.*s)", (int)(e->loc.end - e->loc.beg),
			    e->loc.src->text + e->loc.beg);
	sym->kind = SYM_SAVED;
	sym->loc = e->loc;
	sym->read = sym->written = true;
	smap_put(&sp->known, text.s, sym);
	vec_push(&sp->p->saved, sym);
	vec_push(&entry->saved, sym);

	set = node_new(N_ASSIGN, e->loc);
	set->bin.op = OP_SET;
	set->bin.l = reference(sym, e->loc);
	set->bin.r = e;
	add_to_entry(sp, node_statement(set), rank_of(e));
	return sym;
}

/* N is replaced by the variable for E. */
static void keep(struct split *sp, struct node *n, const struct node *e)
{
	struct node *next = n->next, *copy = node_new(n->kind, n->loc);
	struct symbol *sym;
	struct loc loc = n->loc;

	*copy = *e;
	copy->next = NULL;
	node_walk(copy, check_inner, NULL, sp);
	sym = save(sp, copy);
	*n = *reference(sym, loc);
	n->next = next;
}

/* The variable that holds what the clock CALL gives when the handler begins. */
static struct symbol *arrival(struct split *sp, struct node *call)
{
	struct symbol *sym = smap_get(&sp->arrivals, call->call.name);
	struct node *set;

	if (sym)
		return sym;
	sym = xalloc(sizeof *sym);
	sym->name = xprintf("__arrival_%s", call->call.name);
	sym->kind = SYM_LOCAL;
	sym->loc = call->loc;
	sym->read = sym->written = true;
	sym->reads = 1;
	smap_put(&sp->arrivals, call->call.name, sym);
	vec_push(&sp->p->locals, sym);

	set = node_new(N_ASSIGN, call->loc);
	set->bin.op = OP_SET;
	set->bin.l = reference(sym, call->loc);
	set->bin.r = call;
	vec_push(&sp->p->arrivals, node_statement(set));
	return sym;
}

/* N is `clock() - @entry(clock())': the left one is read when the handler begins. */
static void read_early(struct split *sp, struct node *n)
{
	struct node *now = n->bin.l, *entry = n->bin.r;

	if (n->bin.op != OP_SUB || entry->kind != N_ENTRY || !is_clock(now) ||
	    !is_clock(entry->entry.e) || now->call.builtin != entry->entry.e->call.builtin)
		return;
	n->bin.l = reference(arrival(sp, now), now->loc);
	n->bin.l->next = now->next;
	now->next = NULL;
}

static void begin_with_arrivals(struct probe *p)
{
	struct node *block = node_new(N_BLOCK, p->body->loc);

	if (!p->arrivals.n)
		return;
	block->block.body = p->arrivals.v[0];
	for (size_t i = 0; i + 1 < p->arrivals.n; i++)
		p->arrivals.v[i]->next = p->arrivals.v[i + 1];
	p->arrivals.v[p->arrivals.n - 1]->next = p->body;
	p->body = block;
}

/* ---------------------------------------------------------------- the body */

static void warn_once(const struct node *n)
{
	static ARENA_STATE struct smap said;
	const char *key = xprintf("%p:%u", (const void *)n->loc.src, n->loc.beg);

	if (smap_get(&said, key))
		return;
	smap_put(&said, key, (void *)key);
	diag_warn(W_ENTRY_VALUE, n->loc, "%s in a .return probe is its value at entry",
		  n->target.name);
	diag_hint("write @entry(...) to make this explicit");
}

/* A system call's number is there at its return, too. */
static bool is_local_to_function(const struct node *n, const struct split *sp)
{
	const struct probe_kind *k = sp->p->kind;

	if (n->kind == N_TARGET && n->target.start == TS_VAR)
		return session_predates(sp->s, "4.1", n->loc);
	return n->kind == N_TARGET && n->target.start == TS_NAME && n->target.name[0] == '$' &&
	       n->target.name[1] != '$' && strcmp(n->target.name, "$return") &&
	       !function_result(sp->f, n->target.name) &&
	       !(k->is_syscall && !strcmp(n->target.name, "$syscall"));
}

static bool see(struct node *n, void *arg)
{
	struct split *sp = arg;

	if (n->kind == N_ENTRY && !sp->p->kind->is_return) {
		fail(sp, n->loc, "@entry is known only in .return probes of functions", NULL);
		return false;
	}
	if (n->kind == N_ENTRY) {
		keep(sp, n, n->entry.e);
		return false;
	}
	if (n->kind == N_BINARY && sp->p->kind->is_return)
		read_early(sp, n);
	if (!sp->p->kind->is_return || !is_local_to_function(n, sp))
		return true;
	if (n->target.written)
		fail(sp, n->loc,
		     xprintf("%s no longer exists when the function returns", n->target.name),
		     "only $return and what it leads to can be set there");
	else if (!sp->quiet)
		warn_once(n);
	keep(sp, n, n);
	return false;
}

bool entry_split(const struct session *s, struct probe *p, const struct function *f, bool quiet,
		 struct var_error *err)
{
	struct split sp = {.s = s, .p = p, .f = f, .quiet = quiet, .err = err};

	node_walk(p->body, see, NULL, &sp);
	begin_with_arrivals(p);
	return !sp.failed;
}
