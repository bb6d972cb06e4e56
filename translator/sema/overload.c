/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overload: select the function of a call, and resolve `next` in functions.
 *
 * Functions of one name differ by the number of their parameters. Those that do not are tried
 * one after the other: the script's own before those of the tapset library and before builtins,
 * then by priority, then as declared. `next` is a call of the one that follows, with the
 * arguments that its function got.
 *
 * Private functions are visible in their own file only, and hide others of the same name.
 *
 * Names that begin with `__` are internal to ustap's tapset library: a script cannot call its
 * functions and the builtins of such names, and a function of the script does not replace them.
 * The token of the name decides, so macros of tapset files may use them.
 */
#include <stdlib.h>
#include <string.h>
#include "parse/library.h"
#include "sema.h"
#include "session.h"

const struct source *file_of(struct loc loc)
{
	while (loc.src && loc.src->macro)
		loc = loc.src->used;
	return loc.src;
}

/* ------------------------------------------------------------ candidates */

/* All functions that are called NAME, in the order of declaration. */
static const func_vec *named(struct script *script, const char *name)
{
	for (; script->indexed < script->funcs.n; script->indexed++) {
		struct func *f = script->funcs.v[script->indexed];
		func_vec *v = smap_get(&script->by_name, f->name);

		if (!v) {
			v = xalloc(sizeof *v);
			smap_put(&script->by_name, f->name, v);
		}
		vec_push(v, f);
	}
	return smap_get(&script->by_name, name);
}

static bool comes_before(const struct func *a, const struct func *b)
{
	if (a->is_private != b->is_private)
		return a->is_private;
	if (a->library != b->library)
		return b->library;
	return a->priority < b->priority;
}

bool is_internal(const char *name, struct loc loc)
{
	return name_is_internal(name) && file_of(loc)->ours;
}

/* Is F another function than a call of its name, TRUSTED or not, can mean? */
static bool is_hidden(const struct func *f, bool trusted)
{
	return trusted ? name_is_internal(f->name) && !f->library : is_internal(f->name, f->loc);
}

/* The functions that CALL may mean, in the order in which they are tried. */
static void candidates(struct script *script, const struct node *call, func_vec *out)
{
	const char *name = call->call.name;
	size_t nargs = call->call.nargs;
	struct loc loc = call->loc;
	const func_vec *all = named(script, name);
	const struct source *file = file_of(loc);

	for (size_t i = 0; all && i < all->n; i++) {
		struct func *f = all->v[i];
		size_t at = out->n;

		if (f->params.n != nargs || (f->is_private && file_of(f->loc) != file) ||
		    is_hidden(f, call->call.trusted))
			continue;
		vec_push(out, f);
		for (; at && comes_before(f, out->v[at - 1]); at--)
			out->v[at] = out->v[at - 1];
		out->v[at] = f;
	}
}

/* The one after F (NULL: the first), loaded from the tapset library if necessary; NULL if no
 * further one exists. */
static struct func *find(struct session *s, const struct node *call, const struct func *f)
{
	bool again = false;

	do {
		func_vec v = {0};
		size_t i = 0;

		candidates(&s->script, call, &v);
		while (f && i < v.n && v.v[i] != f)
			i++;
		i += f != NULL;
		if (i < v.n)
			return v.v[i];
		again = !again && load_library_function(s, call->call.name);
	} while (again);
	return NULL;
}

/* The builtin NAME, as code at LOC knows it: SystemTap has abort() since 4.0. */
static const struct builtin *visible_builtin(const struct session *s, const char *name,
					     struct loc loc)
{
	if (!strcmp(name, "abort") && session_predates(s, "4.0", loc))
		return NULL;
	return builtin_find(name);
}

static const struct builtin *builtin_of(const struct session *s, const struct node *call)
{
	const struct builtin *b = visible_builtin(s, call->call.name, call->loc);
	bool hidden = !call->call.trusted && name_is_internal(call->call.name);

	return b && !hidden && (size_t)b->nargs == call->call.nargs ? b : NULL;
}

void overload_call(struct session *s, struct node *n)
{
	func_vec v = {0};

	candidates(&s->script, n, &v);
	n->call.func = v.n ? v.v[0] : NULL;
	if (!n->call.func)
		n->call.builtin = builtin_of(s, n);
	if (!n->call.func && !n->call.builtin)
		n->call.func = find(s, n, NULL);
	if (n->call.builtin && n->call.builtin->flags & BF_GURU && !s->opt.guru) {
		diag_error(E_GURU, n->loc, "%s() needs guru mode", n->call.name);
		diag_hint("it changes the program's behaviour; allow it with -g");
	}
}

bool overload_internal(struct session *s, const struct node *n)
{
	const func_vec *all;

	if (n->call.trusted || !name_is_internal(n->call.name))
		return false;
	if (builtin_find(n->call.name))
		return true;
	load_library_function(s, n->call.name);
	all = named(&s->script, n->call.name);
	for (size_t i = 0; all && i < all->n; i++)
		if (is_hidden(all->v[i], false))
			return true;
	return false;
}

/* Is there a NAME, whatever its parameters, that
 * code at LOC sees?  *NPARAMS is that of the first. */
bool overload_exists(struct session *s, const char *name, struct loc loc, size_t *nparams)
{
	const func_vec *all = named(&s->script, name);
	const struct builtin *b = visible_builtin(s, name, loc);

	for (size_t i = 0; all && i < all->n; i++)
		if (!all->v[i]->is_private || file_of(all->v[i]->loc) == file_of(loc)) {
			*nparams = all->v[i]->params.n;
			return true;
		}
	if (b)
		*nparams = (size_t)b->nargs;
	return b;
}

/* ------------------------------------------------------------------ next */

static bool find_value(struct node *n, void *arg)
{
	if (n->kind == N_RETURN && n->expr.e)
		*(bool *)arg = true;
	return true;
}

static bool gives_value(const struct node *call)
{
	bool found = false;

	if (!call->call.func)
		return call->call.builtin->ret != T_UNKNOWN;
	if (call->call.func->type)
		return true;
	if (call->call.func->body)
		node_walk(call->call.func->body, find_value, NULL, &found);
	return found || call->call.func->has_value;
}

static struct node *literal(const char *text, struct loc loc)
{
	struct node *n = node_new(N_STR, loc);

	n->str.s = text;
	n->str.len = strlen(text);
	return n;
}

/* The call that `next` in F at LOC stands for; of error() where nothing is left. */
static struct node *next_call(struct session *s, struct func *f, struct loc loc)
{
	struct node *call = node_new(N_CALL, loc), **end = &call->call.args;

	call->call.name = f->name;
	call->call.nargs = f->params.n;
	call->call.trusted = f->library;
	call->call.func = find(s, call, f);
	if (!call->call.func)
		call->call.builtin = builtin_of(s, call);
	if (!call->call.func && !call->call.builtin) {
		call->call.builtin = builtin_find("error");
		call->call.nargs = 1;
		call->call.args = literal("all functions exhausted", loc);
		return call;
	}
	for (size_t i = 0; i < f->params.n; i++) {
		struct node *arg = node_new(N_VAR, loc);

		arg->sym = f->params.v[i];
		arg->sym->read = true;
		arg->var.name = arg->sym->name;
		*end = arg;
		end = &arg->next;
	}
	return call;
}

struct node *overload_next(struct session *s, struct func *f, struct node *n)
{
	struct node *call = next_call(s, f, n->loc), *stmt;

	vec_push(&f->nexts, call);
	if (gives_value(call)) {
		f->has_value = true;
		n->kind = N_RETURN;
		n->expr.e = call;
		return call;
	}
	stmt = node_new(N_EXPR, n->loc);
	stmt->expr.e = call;
	stmt->next = node_new(N_RETURN, n->loc);
	n->kind = N_BLOCK;
	n->block.body = stmt;
	return call;
}

/* ------------------------------------------- parameters that F has changed */

static struct symbol *keep(struct func *f, struct symbol *param)
{
	struct symbol *copy = xalloc(sizeof *copy);
	struct node *set = node_new(N_ASSIGN, param->loc), *stmt = node_new(N_EXPR, param->loc);

	*copy = *param;
	copy->kind = SYM_LOCAL;
	copy->written = true;
	copy->name = xprintf("%s_given", param->name);
	vec_push(&f->locals, copy);
	set->bin.op = OP_SET;
	set->bin.l = node_new(N_VAR, param->loc);
	set->bin.r = node_new(N_VAR, param->loc);
	set->bin.l->sym = copy;
	set->bin.r->sym = param;
	set->bin.l->var.name = copy->name;
	set->bin.r->var.name = param->name;
	stmt->expr.e = set;
	stmt->next = f->body->block.body;
	f->body->block.body = stmt;
	return copy;
}

void overload_keep_arguments(struct func *f)
{
	for (size_t i = 0; f->nexts.n && i < f->params.n; i++) {
		struct symbol *param = f->params.v[i],
			      *copy = param->written ? keep(f, param) : NULL;

		for (size_t k = 0; copy && k < f->nexts.n; k++)
			for (struct node *a = f->nexts.v[k]->call.args; a; a = a->next)
				if (a->sym == param) {
					a->sym = copy;
					a->var.name = copy->name;
				}
	}
}
