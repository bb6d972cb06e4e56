/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target: the $variables of a probe's body, for one function after the other.
 *
 * For each site the body is copied, @defined() is answered and dead branches
 * go, $$vars, $$parms and $$locals become sprintf(), and every other $variable gets an
 * access.
 */
#include <inttypes.h>
#include <string.h>
#include "dwarf/code_locations.h"
#include "parse/summary_decl.h"
#include "point.h"
#include "session.h"
#include "target_vars.h"

/* --------------------------------------------------- what the body uses */

static bool find_target(struct node *n, void *found)
{
	if (n->kind == N_TARGET || n->kind == N_DEFINED || n->kind == N_ENTRY ||
	    (n->kind == N_CALL && n->call.func && n->call.func->needs_probe))
		*(const struct node **)found = n;
	return true;
}

const struct node *target_any(struct node *body)
{
	const struct node *found = NULL;

	node_walk(body, find_target, NULL, &found);
	return found;
}

/* ------------------------------------------------------ one variable */

/* Look up a @var() or the type of a @cast(). */
static bool lookup_typed(struct site_context *sc, const struct node *n, struct access *out,
			 struct var_error *err)
{
	/* system calls are of no module */
	const struct function *f = sc->f && sc->f->mod ? sc->f : NULL;
	bool in_scope = f && n->target.start == TS_VAR && !n->target.module &&
			!strchr(n->target.text, '@') && !sc->kind->is_watch;

	return in_scope ? var_access(f, sc->pc, sc->kind->is_return, n, out, err)
			: cast_access(f, NULL, n, out, err);
}

/* A function cannot have values saved for it at the entry. */
static bool is_too_late(const struct site_context *sc, const struct node *n, struct var_error *err)
{
	if (!sc->in_function || !sc->kind->is_return || sc->at_entry)
		return false;
	*err = (struct var_error){
		E_CONTEXT, n->loc,
		xprintf("%s in a function that a .return probe calls", n->target.name),
		"only $return and $$return are known there; pass the value as an argument", NULL};
	return true;
}

/* $return and what is made of it are read at the return, the rest at the entry. */
static bool lookup(struct site_context *sc, const struct node *n, struct access *out,
		   struct var_error *err)
{
	bool at_return = !strcmp(n->target.name, "$return") ||
			 (sc->kind && sc->kind->is_return && n->target.start == TS_NAME &&
			  function_result(sc->f, n->target.name));

	*err = (struct var_error){.tag = E_UNSUPPORTED, .loc = n->loc};
	if (n->target.start == TS_GIVEN) {
		*out = *n->target.given;
		return true;
	}
	if (n->target.start == TS_REGISTER && sc->f &&
	    (n->target.name[1] == 'k') == sc->kind->in_kernel)
		return access_register(n->target.reg, out);
	if (n->target.start != TS_NAME && n->target.start != TS_REGISTER)
		return lookup_typed(sc, n, out, err);
	if (sc->kind && sc->kind->variable && n->target.start == TS_NAME)
		return sc->kind->variable(n, out, err);
	if (!sc->f)
		*err = (struct var_error){
			E_CONTEXT, n->loc,
			xprintf("%s: this probe point has no target variables", n->target.name),
			NULL, NULL};
	else if (at_return && !sc->kind->is_return)
		*err = (struct var_error){E_CONTEXT, n->loc,
					  "$return is known only in .return probes", NULL, NULL};
	if (err->msg || (!at_return && is_too_late(sc, n, err)))
		return false;
	if (sc->mark && mark_argument(n->target.name))
		return mark_access(sc->mark, n, out, err);
	return var_access(sc->f, sc->pc, at_return, n, out, err);
}

/* Report each error once per source location, not once per probe site. */
/* A misspelt $return, or its name in another language. */
static const char *near_return(const struct site_context *sc, const struct var_error *err)
{
	static const char *const result[] = {"$return", "$retval", "$ret"};

	return sc->kind->is_return && err->lost &&
			       nearest(err->lost->name, result, ARRAY_LEN(result))
		       ? "did you mean $return? read other variables at entry with @entry($name)"
		       : NULL;
}

static void report(const struct site_context *sc, const struct var_error *err)
{
	static ARENA_STATE struct smap said;
	const char *hint, *key = xprintf("%p:%p:%u:%d", (const void *)sc->pt,
					 (const void *)err->loc.src, err->loc.beg, err->tag);

	/* without a message the error was reported where it was found, of a module that cannot be
	 * opened */
	if (sc->quiet || !err->msg)
		return;
	/* all of a tapset function needs the same debug information */
	if (err->tag == E_NO_DEBUGINFO && err->loc.src && err->loc.src->library && err->hint)
		key = xprintf("%p:%s", (const void *)sc->pt, err->hint);
	if (smap_get(&said, key))
		return;
	smap_put(&said, key, (void *)key);
	diag_error(err->tag, err->loc, "%s", err->msg);
	hint = err->tag == E_NO_VARIABLE ? near_return(sc, err) : NULL;
	hint = hint ? hint : var_hint(err);
	if (hint)
		diag_hint("%s", hint);
}

/* -------------------------------------- which variables a $$list stands for */

static bool is_list(const struct node *n)
{
	return n->target.start == TS_NAME && !strncmp(n->target.name, "$$", 2);
}

static void list_arguments(unsigned n, name_vec *names)
{
	for (unsigned i = 1; i <= n; i++)
		vec_push(names, xprintf("$arg%u", i));
}

/* The text of $$name or $$system, which the probe point determines; NULL for other variables. */
static const char *point_variable(const struct site_context *sc, const struct node *n)
{
	if (sc->kind && sc->kind->text && sc->f)
		return sc->kind->text(sc->f, n->target.name);
	if (!sc->mark)
		return NULL;
	return !strcmp(n->target.name, "$$name")       ? sc->mark->name
	       : !strcmp(n->target.name, "$$provider") ? sc->mark->provider
						       : NULL;
}

/* $return, or several results by their names. */
static void list_results(const struct function *f, name_vec *names)
{
	function_results(f, names);
	if (names->n == 1)
		names->v[0] = "$return";
	else if (!names->n && function_returns_value(f))
		vec_push(names, "$return");
}

/* The variables in the pretty-printed argument list N ($$vars, ...) at this site; false with the
 * reason in ERR if the list is empty or not available. */
static bool list_names(const struct site_context *sc, const struct node *n, name_vec *names,
		       struct var_error *err)
{
	const char *which = n->target.name;
	bool of_return = !strcmp(which, "$$return");
	enum var_set set = !strcmp(which, "$$parms")    ? VARS_PARMS
			   : !strcmp(which, "$$locals") ? VARS_LOCALS
			   : !strcmp(which, "$$vars")   ? VARS_PARMS | VARS_LOCALS
							: 0;

	*err = (struct var_error){.tag = E_UNSUPPORTED, .loc = n->loc};
	if (point_variable(sc, n))
		return true;
	if (sc->kind && sc->kind->variable && set == VARS_PARMS) {
		list_arguments(sc->kind->nparms, names);
		if (names->n)
			return true;
	}
	if (sc->kind && sc->kind->variable)
		return sc->kind->variable(n, NULL, err);
	if (!sc->f)
		*err = (struct var_error){
			E_CONTEXT, n->loc,
			xprintf("%s: this probe point has no target variables", which), NULL, NULL};
	else if (!set && !of_return)
		*err = (struct var_error){E_NO_VARIABLE, n->loc,
					  xprintf("unknown variable list %s", which),
					  "the lists are $$vars, $$parms and $$locals, and "
					  "$$return in .return probes",
					  NULL};
	else if (of_return && !sc->kind->is_return)
		*err = (struct var_error){E_CONTEXT, n->loc,
					  "$$return is known only in .return probes", NULL, NULL};
	if (err->msg || (!of_return && is_too_late(sc, n, err)))
		return false;
	if (sc->mark && set & VARS_PARMS)
		list_arguments(sc->mark->nargs, names);
	else if (set)
		var_list(sc->f, sc->pc, set, names);
	else
		list_results(sc->f, names);
	return true;
}

/* ------------------------------------------ @defined and dead branches */

/* Only what @defined decides is folded: other dead code still has types. */
static bool is_known(const struct site_context *sc, const struct node *n)
{
	for (size_t i = 0; n && i < sc->known.n; i++)
		if (sc->known.v[i] == n)
			return true;
	return false;
}

static void become_number(struct site_context *sc, struct node *n, int64_t num)
{
	n->kind = N_NUM;
	n->num = num;
	vec_push(&sc->known, n);
}

/* Replace N by a copy of BY (NULL: a null statement), keeping its links in the list. */
static void become(struct site_context *sc, struct node *n, const struct node *by)
{
	struct node *next = n->next;

	if (is_known(sc, by))
		vec_push(&sc->known, n);
	if (by)
		*n = *by;
	else
		n->kind = N_NULL;
	n->next = next;
}

static void fold_defined(struct site_context *sc, struct node *n)
{
	const struct node *e = n->defined.e;
	struct var_error err;
	struct access acc;
	name_vec names = {0};

	if (e->kind == N_ENTRY && sc->kind && sc->kind->is_return)
		e = e->entry.e;
	if (e->kind == N_TARGET && e->target.start == TS_POINTER) {
		become_number(sc, n, 0); /* its type comes after this; as in SystemTap */
		return;
	}
	if (e->kind == N_TARGET) {
		become_number(sc, n,
			      is_list(e) ? list_names(sc, e, &names, &err)
					 : lookup(sc, e, &acc, &err));
		return;
	}
	if (e->kind == N_NUM || e->kind == N_STR) {
		become_number(sc, n, 1);
		return;
	}
	err = (struct var_error){E_CONTEXT, e->loc, "@defined takes a target variable", NULL, NULL};
	report(sc, &err);
	sc->failed = true;
	become_number(sc, n, 0);
}

static void fold_logic(struct site_context *sc, struct node *n)
{
	bool and = n->bin.op == OP_LAND;
	const struct node *l = n->bin.l, *r = n->bin.r;

	if (!is_known(sc, l))
		return;
	if ((l->num != 0) != and)
		become_number(sc, n, !and);
	else if (is_known(sc, r))
		become_number(sc, n, r->num != 0);
}

/* After the children: known conditions choose their branch. */
static void fold(struct node *n, void *arg)
{
	struct site_context *sc = arg;

	if (n->kind == N_DEFINED)
		fold_defined(sc, n);
	else if (n->kind == N_UNARY && n->un.op == OP_NOT && is_known(sc, n->un.e))
		become_number(sc, n, !n->un.e->num);
	else if (n->kind == N_LOGIC)
		fold_logic(sc, n);
	else if (n->kind == N_WHILE && is_known(sc, n->loop.cond) && !n->loop.cond->num)
		become(sc, n, NULL);
	else if ((n->kind == N_IF || n->kind == N_COND) && is_known(sc, n->cond.c))
		become(sc, n, n->cond.c->num ? n->cond.t : n->cond.f);
}

/* ------------------------------------------------- pretty-printed lists */

static void add_literal(struct fmt_piece *piece, const char *text, struct loc loc)
{
	*piece = (struct fmt_piece){.lit = text, .litlen = strlen(text), .loc = loc};
}

struct list_builder {
	VEC(struct fmt_piece) pieces;
	struct node *first, **end;
};

static struct node *at_entry(struct node *e)
{
	struct node *n = node_new(N_ENTRY, e->loc);

	n->entry.e = e;
	return n;
}

/* " name=" and its value in hex, "?" where it cannot be read, "{...}" for aggregates */
static void list_variable(struct site_context *sc, struct list_builder *b, const char *name,
			  const struct node *list)
{
	struct loc loc = list->loc;
	int pretty = sc->mark || !sc->f || sc->kind->variable ? 0 : list->target.pretty;
	struct fmt_piece text,
		conv = {.conv = 'x', .alt = true, .width = -1, .prec = -1, .loc = loc};
	struct node *var = node_new(N_TARGET, loc);
	const char *sep = b->pieces.n ? " " : "";
	struct var_error err;
	struct access acc;
	bool known;

	var->target.name = name;
	var->target.pretty = pretty;
	if (pretty)
		conv = (struct fmt_piece){.conv = 's', .width = -1, .prec = -1, .loc = loc};
	known = lookup(sc, var, &acc, &err);
	add_literal(&text,
		    xprintf("%s%s=%s", sep, name + (sc->f && !sc->mark),
			    !known                      ? "?"
			    : acc.is_address && !pretty ? "{...}"
							: ""),
		    loc);
	vec_push(&b->pieces, text);
	if (!known || (acc.is_address && !pretty))
		return;
	vec_push(&b->pieces, conv);
	if (sc->kind->is_return && strcmp(list->target.name, "$$return") && !pretty)
		var = at_entry(var);
	*b->end = var;
	b->end = &var->next;
}

static void become_string(struct node *n, const char *text)
{
	struct node *next = n->next, *str = node_new(N_STR, n->loc);

	str->str.s = text;
	str->str.len = strlen(text);
	*n = *str;
	n->next = next;
}

/* $$vars -> sprintf("a=%#x b=%#x", $a, $b) */
static void expand_list(struct site_context *sc, struct node *n)
{
	struct list_builder b = {0};
	struct node *next = n->next;
	name_vec names = {0};
	struct var_error err;
	bool of_entry;

	if (!list_names(sc, n, &names, &err)) {
		report(sc, &err);
		sc->failed = true;
		return;
	}
	if (point_variable(sc, n)) {
		become_string(n, point_variable(sc, n));
		return;
	}
	b.end = &b.first;
	for (size_t i = 0; i < names.n; i++)
		list_variable(sc, &b, names.v[i], n);
	of_entry = sc->kind->is_return && n->target.pretty && strcmp(n->target.name, "$$return");
	*n = *node_new(N_PRINT, n->loc);
	n->next = next;
	n->print.kind = PR_F | PR_TO_STRING;
	n->print.fmt = b.pieces.v;
	n->print.nfmt = b.pieces.n;
	n->print.args = b.first;
	/* one string is kept, not one for each variable */
	if (of_entry) {
		struct node *text = xalloc(sizeof *text);

		*text = *n;
		text->next = NULL;
		*n = *at_entry(text);
		n->next = next;
	}
}

static void expand(struct node *n, void *arg)
{
	if (n->kind == N_TARGET && is_list(n))
		expand_list(arg, n);
}

/* ------------------------------------------------ std_string(), len() ... */

/* A function that goes by the summary of its argument's type, unless that is a number, which it
 * takes as any other does. */
static void use_summary(struct node *n, void *arg)
{
	enum summary_use use = summary_function(n);
	struct site_context *sc = arg;
	struct node target, *next = n->next;
	struct var_error err, plain_err;
	struct access acc = {0}, plain = {0};

	if (!use || n->call.args->kind != N_TARGET || is_list(n->call.args) ||
	    n->call.args->target.start == TS_POINTER || n->call.args->target.pretty)
		return;
	target = *n->call.args;
	target.target.use = use;
	target.target.pretty = use == USE_TEXT;
	if (!lookup(sc, &target, &acc, &err)) {
		if (lookup(sc, n->call.args, &plain, &plain_err) && !plain.is_address &&
		    !plain.points_to)
			return;
		report(sc, &err);
		sc->failed = true;
	}
	*n = target;
	n->next = next;
}

/* ------------------------------------------------------------ accesses */

void target_set_access(struct node *n, size_t access)
{
	n->target.access = (int)access;
	for (size_t i = 0; i < n->target.ncomps; i++) {
		struct target_comp *comp = &n->target.comps[i];

		comp->computed = comp->kind == TC_INDEX && comp->index->kind != N_NUM;
	}
}

size_t target_add_access(access_vec *v, const struct access *acc)
{
	for (size_t i = 0; i < v->n; i++)
		if (access_equal(&v->v[i], acc))
			return i;
	vec_push(v, *acc);
	return v->n - 1;
}

static bool writable(const struct node *n, const struct access *acc, struct var_error *err)
{
	if (access_writable(acc))
		return true;
	*err = (struct var_error){
		E_BAD_ACCESS, n->loc, xprintf("%s cannot be set here", n->target.name),
		acc->is_address
			? "it is not a number; set its members"
			: "it is neither in memory nor in a register that a probe can change here",
		NULL};
	return false;
}

/* --skip-badvars: what cannot be read is 0, or "" where it would be text. */
static bool is_skipped(const struct site_context *sc, const struct node *n)
{
	return sc->s && sc->s->opt.skip_badvars && !n->target.written;
}

static void skip(struct node *n)
{
	struct node *next = n->next;

	if (n->target.pretty) {
		become_string(n, "");
		return;
	}
	*n = (struct node){.kind = N_NUM, .loc = n->loc};
	n->next = next;
}

static void resolve_one(struct node *n, void *arg)
{
	struct site_context *sc = arg;
	struct var_error err;
	struct access acc = {0};

	if (n->kind != N_TARGET || n->target.access >= 0 || is_list(n) ||
	    n->target.start == TS_POINTER) /* pointer.c */
		return;
	if (lookup(sc, n, &acc, &err) && (!n->target.written || writable(n, &acc, &err))) {
		target_set_access(n, target_add_access(sc->accesses, &acc));
		return;
	}
	if (is_skipped(sc, n)) {
		skip(n);
		return;
	}
	report(sc, &err);
	sc->failed = true;
}

/* Resolve the target variables in BODY, which a copied function has. */
static void resolve_copy(struct site_context *sc, struct node *body)
{
	node_walk(body, NULL, fold, sc);
	node_walk(body, NULL, use_summary, sc);
	node_walk(body, NULL, expand, sc);
	functions_copy(sc, body, resolve_copy);
	node_walk(body, NULL, resolve_one, sc);
}

/* Resolve the values that are saved at entry for the return. */
static void resolve_entry(struct site_context *sc)
{
	struct site_context at_entry = *sc;

	at_entry.probe = sc->probe->entry;
	at_entry.accesses = &at_entry.probe->accesses;
	at_entry.at_entry = true;
	functions_copy(&at_entry, at_entry.probe->body, resolve_copy);
	node_walk(at_entry.probe->body, NULL, resolve_one, &at_entry);
	sc->failed |= at_entry.failed;
}

/* The probe's own body, for this site. */
bool target_resolve_body(struct site_context *sc)
{
	struct var_error err;

	sc->accesses = &sc->probe->accesses;
	sc->calls = xalloc(sizeof *sc->calls);
	node_walk(sc->probe->body, NULL, fold, sc);
	node_walk(sc->probe->body, NULL, use_summary, sc);
	node_walk(sc->probe->body, NULL, expand, sc);
	if (!sc->failed && !entry_split(sc->s, sc->probe, sc->f, sc->quiet, &err)) {
		report(sc, &err);
		sc->failed = true;
	}
	functions_copy(sc, sc->probe->body, resolve_copy);
	node_walk(sc->probe->body, NULL, resolve_one, sc);
	if (sc->probe->entry)
		resolve_entry(sc);
	return !sc->failed;
}

void target_fold_function(struct func *f)
{
	struct site_context sc = {0};

	node_walk(f->body, NULL, fold, &sc);
}

void target_resolve_function(struct func *f)
{
	struct site_context sc = {.accesses = &f->accesses};

	if (f->is_copy)
		return;
	node_walk(f->body, NULL, use_summary, &sc);
	node_walk(f->body, NULL, resolve_one, &sc);
}

bool target_forbid(struct session *s, struct probe *p)
{
	struct site_context sc = {.s = s, .kind = p->kind, .probe = p};

	return target_resolve_body(&sc);
}
