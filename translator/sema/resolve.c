/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolve: names become symbols.
 *
 * Takes s->script as parsed. Binds every variable, array and call: sets node.sym, call.func or
 * call.builtin, the locals of probes and functions, the number of keys of arrays, func.has_value
 * and symbol.read/written. Functions that the script does not define and the runtime does not
 * have are loaded from the tapset library, and resolved like the script's own.
 *
 * A name is searched among the parameters and locals of its function or probe, then among the
 * globals; else its first mention makes it a local. Only globals are arrays. The context of
 * return, next, break and continue is checked here, too.
 */
#include <string.h>
#include "parse/library.h"
#include "passes.h"
#include "sema/points/point.h"
#include "sema.h"

/* A list of named things that only grows, hashed as far as it was seen. */
struct name_index {
	struct smap map;
	size_t seen;
};

/* Bounds, so that no pass takes very long; no script comes near them. */
#define MAX_FUNCTIONS 5000
#define MAX_LOCALS    4000

/* State of the whole pass. */
struct work {
	struct name_index globals;
	unsigned mentions; /* globals that some code names */
	bool privates;     /* some global is private */
	func_vec waiting;  /* functions in the order of their first calls, */
	size_t done;       /* so many of which are resolved */
};

/* Where the walk is. */
struct scope {
	struct session *s;
	struct func *func;          /* NULL in a probe */
	struct probe_decl *probe;   /* NULL in a function */
	int loops;                  /* around the current statement */
	const struct node *discard; /* expression whose value is not used */
	struct name_index params, locals;
	struct work *work;
	const struct node *printed; /* histogram that is printed */
};

static void resolve_list(struct scope *sc, struct node *n);
static void resolve(struct scope *sc, struct node *n);

/* ------------------------------------------------------------- names */

/* The first of V that is called NAME. */
static struct symbol *find_in(struct name_index *index, struct symbol **v, size_t n,
			      const char *name)
{
	for (; index->seen < n; index->seen++)
		if (!smap_get(&index->map, v[index->seen]->name))
			smap_put(&index->map, v[index->seen]->name, v[index->seen]);
	return smap_get(&index->map, name);
}

/* The global that NAME at LOC refers to: an internal global of the tapset library there, a
 * private global of that file, or a common one. */
static struct symbol *find_global(struct scope *sc, const char *name, struct loc loc)
{
	const struct script *script = &sc->s->script;
	struct name_index *index = &sc->work->globals;
	struct symbol *sym = NULL;

	for (; index->seen < script->globals.n; index->seen++) {
		struct symbol *g = script->globals.v[index->seen];

		sc->work->privates |= g->is_private;
		if (!smap_get(&index->map, global_key(g)))
			smap_put(&index->map, global_key(g), g);
	}
	if (loc.src->library && name_is_internal(name))
		sym = smap_get(&index->map, internal_key(name));
	if (!sym && sc->work->privates)
		sym = smap_get(&index->map, global_key(&(struct symbol){
						    .name = name, .loc = loc, .is_private = true}));
	return sym ? sym : smap_get(&index->map, name);
}

/* For what can be a local, too: those of our library's functions are theirs, whatever a script
 * calls its globals. */
static struct symbol *find_scalar(struct scope *sc, const char *name, struct loc loc)
{
	struct symbol *sym = find_global(sc, name, loc);
	bool crosses = sym && file_of(loc)->library && !file_of(sym->loc)->library;

	if (crosses && sc->func && file_of(loc)->ours)
		return NULL;
	if (crosses && !sym->taken.src)
		sym->taken = loc;
	return sym;
}

/* A parameter or local of what is resolved. */
static struct symbol *find_local(struct scope *sc, const char *name)
{
	struct symbol *sym;

	if (!sc->func)
		return find_in(&sc->locals, sc->probe->locals.v, sc->probe->locals.n, name);
	sym = find_in(&sc->params, sc->func->params.v, sc->func->params.n, name);
	return sym ? sym : find_in(&sc->locals, sc->func->locals.v, sc->func->locals.n, name);
}

static struct symbol *new_local(struct scope *sc, const char *name, struct loc loc)
{
	size_t n = sc->func ? sc->func->locals.n : sc->probe->locals.n;
	struct symbol *sym = xalloc(sizeof *sym);

	if (n == MAX_LOCALS)
		diag_error(E_LIMIT, loc, "a probe or function has at most %d local variables",
			   MAX_LOCALS);
	sym->name = name;
	sym->kind = SYM_LOCAL;
	sym->loc = loc;
	if (sc->func)
		vec_push(&sc->func->locals, sym);
	else
		vec_push(&sc->probe->locals, sym);
	return sym;
}

static int count_list(const struct node *n)
{
	int count = 0;

	for (; n; n = n->next)
		count++;
	return count;
}

/* ------------------------------------------------------- variables */

/* The scalar NAME, made a local at its first mention. */
static struct symbol *scalar(struct scope *sc, const char *name, struct loc loc)
{
	struct symbol *sym = find_local(sc, name);

	if (!sym)
		sym = find_scalar(sc, name, loc);
	if (!sym && load_library_global(sc->s, name))
		sym = find_scalar(sc, name, loc);
	if (!sym)
		return new_local(sc, name, loc);
	if (sym->kind == SYM_GLOBAL)
		use_keys(sym, 0, loc);
	return sym;
}

static void unknown_array(struct scope *sc, const char *name, struct loc loc)
{
	VEC(const char *) names = {0};
	const char *near;

	for (size_t i = 0; i < sc->s->script.globals.n; i++)
		if (!is_internal(sc->s->script.globals.v[i]->name, sc->s->script.globals.v[i]->loc))
			vec_push(&names, sc->s->script.globals.v[i]->name);
	near = nearest(name, names.v, names.n);
	diag_error(E_UNKNOWN_ARRAY, loc, "no global array \"%s\"", name);
	if (near)
		diag_hint("did you mean \"%s\"?", near);
	else
		diag_hint("arrays are declared outside of probes: global %s", name);
}

/* The global array NAME, used with NKEYS keys; NULL after an error. */
static struct symbol *array(struct scope *sc, const char *name, int nkeys, struct loc loc)
{
	struct symbol *sym = find_local(sc, name);

	if (sym) {
		diag_error(E_UNKNOWN_ARRAY, loc, "\"%s\" is a %s; only globals can be arrays", name,
			   sym->kind == SYM_PARAM ? "parameter" : "local variable");
		return NULL;
	}
	sym = find_global(sc, name, loc);
	if (!sym && load_library_global(sc->s, name))
		sym = find_global(sc, name, loc);
	if (!sym) {
		unknown_array(sc, name, loc);
		return NULL;
	}
	if (nkeys > MAX_KEYS) {
		diag_error(E_LIMIT, loc, "an array has at most %d keys", MAX_KEYS);
		return NULL;
	}
	use_keys(sym, nkeys, loc);
	return sym;
}

enum use { USE_READ = 1, USE_WRITE = 2 };

/* Numbers globals in the order in which the code first names them. */
static void note_mention(struct scope *sc, struct symbol *sym)
{
	if (sym->kind == SYM_GLOBAL && !sym->mention)
		sym->mention = ++sc->work->mentions;
}

static void mark(struct scope *sc, struct symbol *sym, unsigned use)
{
	if (!sym)
		return;
	note_mention(sc, sym);
	if (use & USE_READ)
		sym->read = true;
	if (use & USE_WRITE)
		sym->written = true;
}

static void resolve_element(struct scope *sc, struct node *n, unsigned use)
{
	resolve_list(sc, n->index.keys);
	n->sym = array(sc, n->index.name, count_list(n->index.keys), n->loc);
	mark(sc, n->sym, use);
}

/* `*` stands for many elements, and only some places take many. */
static void refuse_any(const struct node *keys)
{
	for (; keys; keys = keys->next)
		if (keys->kind == N_ANY)
			diag_error(E_SYNTAX, keys->loc,
				   "`*` as a key is allowed only in foreach, in and delete");
}

static void resolve_target(struct scope *sc, struct node *n);

/* Is N a variable of a probe of DECL that only sets what the runtime gives, as $value of procfs? */
static bool is_result(const struct probe_decl *decl, const struct node *n)
{
	for (size_t i = 0; i < decl->points.n; i++) {
		const struct probe_kind *k = point_kind(decl->points.v[i]);

		if (k && k->is_result)
			return k->is_result(n);
	}
	return false;
}

/* Resolve a target variable that is written: it is data of the program. */
static void resolve_written(struct scope *sc, struct node *n)
{
	resolve_target(sc, n);
	n->target.written = true;
	if (n->target.pretty || !strncmp(n->target.name, "$$", 2)) {
		diag_error(E_SYNTAX, n->loc, "cannot assign to this expression");
	} else if (!sc->s->opt.guru && !n->loc.src->library &&
		   !(sc->probe && is_result(sc->probe, n))) {
		diag_error(E_GURU, n->loc, "changing the program's variables needs guru mode");
		diag_hint("allow it with -g");
	}
}

/* A variable or array element that is read, written or both. */
static void resolve_lvalue(struct scope *sc, struct node *n, unsigned use)
{
	if (n->kind == N_VAR) {
		n->sym = scalar(sc, n->var.name, n->loc);
		mark(sc, n->sym, use);
	} else if (n->kind == N_INDEX) {
		refuse_any(n->index.keys);
		resolve_element(sc, n, use);
	} else if (n->kind == N_TARGET) {
		resolve_written(sc, n);
	} else {
		diag_error(E_SYNTAX, n->loc, "cannot assign to this expression");
	}
}

/* The operand of delete, which may be a whole array. */
static void resolve_delete(struct scope *sc, struct node *n)
{
	struct symbol *sym;

	if (n->kind == N_INDEX) {
		resolve_element(sc, n, USE_WRITE);
		return;
	}
	if (n->kind == N_TARGET) {
		diag_error(E_SYNTAX, n->loc, "variables of the program cannot be deleted");
		return;
	}
	if (n->kind != N_VAR || find_local(sc, n->var.name)) {
		resolve_lvalue(sc, n, USE_WRITE);
		return;
	}
	sym = find_scalar(sc, n->var.name, n->loc);
	if (!sym)
		sym = new_local(sc, n->var.name, n->loc);
	n->sym = sym;
	note_mention(sc, sym);
	sym->written = true;
}

/* ----------------------------------------------------------- calls */

static void unknown_function(struct session *s, const char *name, struct loc loc)
{
	const char *near, *why = kernel_function(name);
	name_vec names = {0};

	if (why) {
		diag_error(E_UNSUPPORTED, loc, "%s() is not supported: %s", name, why);
		return;
	}
	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (!is_internal(s->script.funcs.v[i]->name, s->script.funcs.v[i]->loc))
			vec_push(&names, s->script.funcs.v[i]->name);
	builtin_names(&names);
	near = nearest(name, names.v, names.n);
	diag_error(E_UNKNOWN_FUNCTION, loc, "no function \"%s\"", name);
	if (near && !strcmp(near, name)) /* abort() */
		diag_hint("SystemTap %s does not have it: see --compatible", s->opt.compatible);
	else if (near)
		diag_hint("did you mean \"%s\"?", near);
}

static void no_function(struct session *s, const struct node *n)
{
	size_t want;

	if (overload_internal(s, n)) {
		diag_error(E_INTERNAL_NAME, n->loc,
			   "function \"%s\" is internal to the tapset library", n->call.name);
		diag_hint(
			"scripts call its documented functions, whose names do not begin with __");
	} else if (overload_exists(s, n->call.name, n->loc, &want))
		diag_error(E_ARITY, n->loc, "function \"%s\" takes %zu argument%s, not %zu",
			   n->call.name, want, want == 1 ? "" : "s", n->call.nargs);
	else
		unknown_function(s, n->call.name, n->loc);
}

static void use_function(struct scope *sc, struct func *f, struct loc loc)
{
	if (!f || f->mentioned)
		return;
	f->mentioned = true;
	embedded_allowed(sc->s, f, loc);
	if (sc->work->waiting.n == MAX_FUNCTIONS)
		diag_error(E_LIMIT, loc, "a script uses at most %d functions", MAX_FUNCTIONS);
	vec_push(&sc->work->waiting, f);
}

static void resolve_call(struct scope *sc, struct node *n)
{
	resolve_list(sc, n->call.args);
	overload_call(sc->s, n);
	use_function(sc, n->call.func, n->loc);
	if (!n->call.func && !n->call.builtin)
		no_function(sc->s, n);
}

/* ------------------------------------------------------ expressions */

/* `v[1]` where v holds no array: what the pointer v points to. */
static void index_pointer(struct scope *sc, struct node *n)
{
	struct node *var = node_new(N_VAR, n->loc), *key = n->index.keys;
	struct target_comp *comp = xalloc(sizeof *comp);

	var->var.name = n->index.name;
	*comp = (struct target_comp){.kind = TC_INDEX, .index = key, .loc = key->loc};
	n->kind = N_TARGET;
	n->sym = NULL;
	memset(&n->target, 0, sizeof n->target);
	n->target.start = TS_POINTER;
	n->target.name = "pointer";
	n->target.text = var->var.name;
	n->target.access = -1;
	n->target.value = var;
	n->target.comps = comp;
	n->target.ncomps = 1;
	resolve(sc, n);
}

static bool indexes_local(struct scope *sc, const struct node *n)
{
	return !n->index.keys->next && find_local(sc, n->index.name);
}

static void resolve_target(struct scope *sc, struct node *n)
{
	resolve(sc, n->target.value);
	for (size_t i = 0; i < n->target.ncomps; i++)
		if (n->target.comps[i].kind == TC_INDEX) {
			refuse_any(n->target.comps[i].index);
			resolve(sc, n->target.comps[i].index);
		}
	if (n->target.start == TS_CONST && !sc->s->opt.guru && !n->loc.src->library) {
		diag_error(E_GURU, n->loc, "@const is C code, which needs guru mode");
		diag_hint("run ustap with -g");
	}
}

/* `c++;` and `c += v;` only write: nothing sees the value that they read. */
static unsigned update_use(const struct scope *sc, const struct node *n)
{
	return n == sc->discard ? USE_WRITE : USE_WRITE | USE_READ;
}

static void resolve_assign(struct scope *sc, struct node *n)
{
	resolve_lvalue(sc, n->bin.l, n->bin.op == OP_SET ? USE_WRITE : update_use(sc, n));
	resolve(sc, n->bin.r);
}

static void resolve_in(struct scope *sc, struct node *n)
{
	resolve_list(sc, n->in.keys);
	n->sym = array(sc, n->in.array, count_list(n->in.keys), n->loc);
	mark(sc, n->sym, USE_READ);
}

static void resolve_statop(struct scope *sc, struct node *n)
{
	struct node *e = n->stat.e;
	bool hist = n->stat.op == ST_HIST_LOG || n->stat.op == ST_HIST_LINEAR;

	if (hist && n->stat.use == HIST_WHOLE && n != sc->printed) {
		diag_error(E_SYNTAX, n->loc,
			   "a histogram can only be printed, alone, or iterated with foreach");
		diag_hint("@%s(...)[bucket] is a number",
			  n->stat.op == ST_HIST_LOG ? "hist_log" : "hist_linear");
	}
	if (n->stat.index)
		resolve(sc, n->stat.index);
	if (e->kind == N_VAR || e->kind == N_INDEX)
		resolve_lvalue(sc, e, USE_READ);
	else
		diag_error(E_TYPE_MISMATCH, e->loc, "this is not a statistic");
}

static void resolve_embedded(struct scope *sc, struct node *n)
{
	for (struct node *u = n->embedded.uses; u; u = u->next) {
		const char *name = u->kind == N_ASSIGN ? u->bin.l->var.name : u->var.name;

		if (find_global(sc, name, n->loc))
			resolve(sc, u);
		else
			diag_error(E_EMBEDDED, n->loc,
				   "embedded C uses \"%s\", which is not a global variable", name);
	}
}

/* Resolve the operands of a node that has no name of its own. */
static void resolve_operands(struct scope *sc, struct node *n)
{
	switch (n->kind) {
	case N_BINARY:
	case N_LOGIC:
		resolve(sc, n->bin.l);
		resolve(sc, n->bin.r);
		break;
	case N_UNARY:
		resolve(sc, n->un.e);
		break;
	case N_COND:
		resolve(sc, n->cond.c);
		resolve(sc, n->cond.t);
		resolve(sc, n->cond.f);
		break;
	case N_DEFINED:
		resolve(sc, n->defined.e);
		break;
	case N_REGEX:
		resolve(sc, n->regex.e);
		break;
	default:
		break;
	}
}

static void resolve_expr(struct scope *sc, struct node *n)
{
	switch (n->kind) {
	case N_VAR:
		resolve_lvalue(sc, n, USE_READ);
		break;
	case N_INDEX:
		if (indexes_local(sc, n))
			index_pointer(sc, n);
		else
			resolve_lvalue(sc, n, USE_READ);
		break;
	case N_TARGET:
		resolve_target(sc, n);
		break;
	case N_INCDEC:
		resolve_lvalue(sc, n->inc.e, update_use(sc, n));
		break;
	case N_ASSIGN:
		resolve_assign(sc, n);
		break;
	case N_IN:
		resolve_in(sc, n);
		break;
	case N_CALL:
		resolve_call(sc, n);
		break;
	case N_PRINT:
		if (n->print.args && !n->print.args->next && !(n->print.kind & PR_F))
			sc->printed = n->print.args;
		resolve_list(sc, n->print.args);
		break;
	case N_STATOP:
		resolve_statop(sc, n);
		break;
	case N_PROBEWRITE:
		diag_error(E_CONTEXT, n->loc,
			   "@probewrite is allowed only in the bodies of probe aliases");
		break;
	case N_ENTRY:
		resolve(sc, n->entry.e);
		break;
	case N_EMBEDDED:
		resolve_embedded(sc, n);
		break;
	default:
		resolve_operands(sc, n);
		break;
	}
}

/* ------------------------------------------------------- statements */

static void resolve_foreach(struct scope *sc, struct node *n)
{
	for (struct node *k = n->each.keys; k; k = k->next)
		resolve_lvalue(sc, k, USE_WRITE);
	if (n->each.value)
		resolve_lvalue(sc, n->each.value, USE_WRITE);
	n->sym = array(sc, n->each.array, count_list(n->each.keys), n->loc);
	mark(sc, n->sym, USE_READ);
	resolve_list(sc, n->each.slice);
	if (n->each.slice && n->sym)
		use_keys(n->sym, count_list(n->each.slice), n->each.slice->loc);
	if (n->each.limit)
		resolve(sc, n->each.limit);
	sc->loops++;
	resolve(sc, n->each.body);
	sc->loops--;
}

static struct node *statement_of(struct node *e)
{
	struct node *n = node_new(N_EXPR, e->loc);

	n->expr.e = e;
	return n;
}

/* Make `c ? a : b`, `a && b` and `a || b`, whose values are not used, the statements that they
 * are, so that their operands need no value. */
static void choose_statement(struct node *n)
{
	struct node *e = n->expr.e, *c, *t = NULL, *f = NULL;

	if (e->kind == N_COND) {
		c = e->cond.c;
		t = statement_of(e->cond.t);
		f = statement_of(e->cond.f);
	} else if (e->kind == N_LOGIC) {
		c = e->bin.l;
		t = e->bin.op == OP_LAND ? statement_of(e->bin.r) : node_new(N_BLOCK, e->loc);
		f = e->bin.op == OP_LAND ? NULL : statement_of(e->bin.r);
	} else {
		return;
	}
	n->kind = N_IF;
	n->cond.c = c;
	n->cond.t = t;
	n->cond.f = f;
}

/* An expression whose value is not used, or NULL. */
static void resolve_discard(struct scope *sc, struct node *n)
{
	sc->discard = n;
	resolve(sc, n);
}

static void resolve_loop(struct scope *sc, struct node *n)
{
	resolve_discard(sc, n->loop.init);
	resolve(sc, n->loop.cond);
	resolve_discard(sc, n->loop.step);
	sc->loops++;
	resolve(sc, n->loop.body);
	sc->loops--;
}

static void resolve_return(struct scope *sc, struct node *n)
{
	if (!sc->func) {
		diag_error(E_CONTEXT, n->loc, "\"return\" outside of a function");
		diag_hint("\"next\" leaves a probe");
	} else if (n->expr.e) {
		sc->func->has_value = true;
	} else {
		sc->func->returns_nothing = n->no_value = true;
	}
	resolve(sc, n->expr.e);
}

static void resolve_jump(struct scope *sc, struct node *n)
{
	if (n->kind == N_NEXT && sc->func)
		use_function(sc, overload_next(sc->s, sc->func, n)->call.func, n->loc);
	else if (n->kind != N_NEXT && !sc->loops)
		diag_error(E_CONTEXT, n->loc, "\"%s\" outside of a loop",
			   n->kind == N_BREAK ? "break" : "continue");
}

static void resolve_stmt(struct scope *sc, struct node *n)
{
	if (n->kind == N_EXPR)
		choose_statement(n);
	switch (n->kind) {
	case N_BLOCK:
		resolve_list(sc, n->block.body);
		break;
	case N_EXPR:
		resolve_discard(sc, n->expr.e);
		break;
	case N_IF:
		resolve(sc, n->cond.c);
		resolve(sc, n->cond.t);
		resolve(sc, n->cond.f);
		break;
	case N_WHILE:
	case N_FOR:
		resolve_loop(sc, n);
		break;
	case N_FOREACH:
		resolve_foreach(sc, n);
		break;
	case N_BREAK:
	case N_CONTINUE:
	case N_NEXT:
		resolve_jump(sc, n);
		break;
	case N_RETURN:
		resolve_return(sc, n);
		break;
	case N_DELETE:
		resolve_delete(sc, n->expr.e);
		break;
	case N_TRY:
		resolve(sc, n->try_.body);
		if (n->try_.var)
			resolve_lvalue(sc, n->try_.var, USE_WRITE);
		resolve(sc, n->try_.handler);
		break;
	default:
		resolve_expr(sc, n);
		break;
	}
}

/* One node; nothing for NULL. */
static void resolve(struct scope *sc, struct node *n)
{
	if (n)
		resolve_stmt(sc, n);
}

static void resolve_list(struct scope *sc, struct node *n)
{
	for (; n; n = n->next)
		resolve(sc, n);
}

/* ---------------------------------------------------- declarations */

/* An initialiser makes a scalar of it. */
static void initialised(struct script *sc)
{
	for (size_t i = 0; i < sc->globals.n; i++) {
		struct symbol *g = sc->globals.v[i];

		if (!g->init || g->written)
			continue;
		use_keys(g, 0, g->loc);
		g->written = true;
	}
}

/* The body of P, unless all of its points only stand for others; and of what they stand for. */
static void resolve_probe(struct session *s, struct work *work, struct probe_decl *p)
{
	struct scope sc = {.s = s, .work = work, .probe = p};
	bool used = false;

	aliases_expand(s, p);
	for (size_t i = 0; i < p->points.n; i++) {
		used |= !p->points.v[i]->elsewhere;
		for (size_t k = 0; k < p->points.v[i]->subs.n; k++)
			resolve_probe(s, work, p->points.v[i]->subs.v[k]);
	}
	if (!used)
		return;
	p->resolved = true;
	resolve(&sc, p->body);
	if (p->cond)
		check_condition(p->cond);
	warn_of_locals(&s->script, p->locals.v, p->locals.n);
}

static void resolve_func(struct session *s, struct work *work, struct func *f)
{
	struct scope sc = {.s = s, .work = work, .func = f};

	f->resolved = true;
	resolve(&sc, f->body);
	overload_keep_arguments(f);
	if (!f->library)
		warn_of_locals(&s->script, f->locals.v, f->locals.n);
}

static void fill_program(struct session *s)
{
	for (size_t i = 0; i < s->script.globals.n; i++)
		vec_push(&s->program.globals, s->script.globals.v[i]);
	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (s->script.funcs.v[i]->resolved)
			vec_push(&s->program.funcs, s->script.funcs.v[i]);
}

/* All probes and the functions they reach; both lists grow while library files are loaded.
 * Functions that are not called are not resolved, as in stap: a tapset may have functions for
 * other systems. */
static void resolve_all(struct session *s)
{
	struct work work = {0};
	size_t probes = 0;

	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (s->script.funcs.v[i]->mentioned) /* dump_lists.c wants it */
			vec_push(&work.waiting, s->script.funcs.v[i]);
	do {
		while (probes < s->script.probes.n)
			resolve_probe(s, &work, s->script.probes.v[probes++]);
		while (work.done < work.waiting.n && probes == s->script.probes.n)
			resolve_func(s, &work, work.waiting.v[work.done++]);
	} while (probes < s->script.probes.n);
}

void pass_resolve(struct session *s)
{
	size_t own = s->script.globals.n;

	module_params_bind(s);
	check_redeclared(&s->script, 0);
	check_params(&s->script);
	initialised(&s->script);
	resolve_all(s);
	check_redeclared(&s->script, own);
	initialised(&s->script);
	warn_of_globals(&s->script);
	warn_of_unused(&s->script);
	fill_program(s);
}
