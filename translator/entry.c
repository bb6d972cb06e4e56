/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry: values that a return probe keeps from the function's entry.
 *
 * @entry(e), and each target variable but $return, is evaluated when the function
 * is entered.  It becomes a variable of its own, SYM_SAVED; a probe without sites,
 * P->entry, sets these variables.  The runtime calls it at entry and keeps
 * what it has set beside the return address, for P at the return of that call.
 */
#include <string.h>
#include "ustap.h"

static const struct probe_kind entry_kind = {.pattern = "@entry", .has_sites = true};

struct split {
	struct probe *p;
	struct smap known;       /* text of an expression -> its symbol */
	struct node **end;       /* of the entry's statements */
	const struct function *f;                /* the function that returns; may be NULL */
	bool quiet, failed;
	struct var_error *err;
};

static void fail(struct split *sp, struct loc loc, const char *msg, const char *hint)
{
	if (!sp->failed)
		*sp->err = (struct var_error){E_CONTEXT, loc, msg, hint, NULL};
	sp->failed = true;
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
		fail(sp, n->loc, xprintf("\"%s\" has no value yet when the function is entered", n->sym->name),
		     "only globals, functions and target variables can be used at the entry");
	if (n->kind == N_TARGET && n->target.written)
		fail(sp, n->loc, "@entry changes nothing", "set the variable in a probe on the function's entry");
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
	sp->end = &e->body->block.body;
	return sp->p->entry = e;
}

static struct node *reference(struct symbol *sym, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->var.name = sym->name;
	n->sym = sym;
	return n;
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
	sym->name = xprintf("@entry(%.*s)", (int)(e->loc.end - e->loc.beg), e->loc.src->text + e->loc.beg);
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
	*sp->end = node_new(N_EXPR, e->loc);
	(*sp->end)->expr.e = set;
	sp->end = &(*sp->end)->next;
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

/* ---------------------------------------------------------------- the body */

static void warn_once(const struct node *n)
{
	static ARENA_STATE struct smap said;
	const char *key = xprintf("%p:%u", (const void *)n->loc.src, n->loc.beg);

	if (smap_get(&said, key))
		return;
	smap_put(&said, key, (void *)key);
	diag_warn(W_ENTRY_VALUE, n->loc, "%s in a .return probe is its value at entry", n->target.name);
	diag_hint("write @entry(...) to say so");
}

/* A system call's number is there at its return, too. */
static bool is_local_to_function(const struct node *n, const struct split *sp)
{
	const struct probe_kind *k = sp->p->kind;

	return n->kind == N_TARGET && n->target.start == TS_NAME && n->target.name[0] == '$' && n->target.name[1] != '$' &&
	       strcmp(n->target.name, "$return") && !function_result(sp->f, n->target.name) && !(k->is_syscall && !strcmp(n->target.name, "$syscall"));
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
	if (!sp->p->kind->is_return || !is_local_to_function(n, sp))
		return true;
	if (n->target.written)
		fail(sp, n->loc, xprintf("%s is gone when the function returns", n->target.name),
		     "only $return and what it leads to can be set there");
	else if (!sp->quiet)
		warn_once(n);
	keep(sp, n, n);
	return false;
}

bool entry_split(struct probe *p, const struct function *f, bool quiet, struct var_error *err)
{
	struct split sp = {.p = p, .f = f, .quiet = quiet, .err = err};

	node_walk(p->body, see, NULL, &sp);
	return !sp.failed;
}
