/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .function("F").callee("G"), .callees, .callees(DEPTH): functions that F calls, when F calls them.
 *
 * The probe is on G; its handler begins with a test of where G will return to, which is behind one
 * of the calls that F's debug information describes.  With DEPTH the callers above are tested as
 * well, by walking the stack.
 */
#include <string.h>
#include "process_point.h"
#include "arch/arch.h"
#include "dwarf/code_locations.h"
#include "sema/builtin.h"
#include "session.h"

enum { MAX_CALLEES = 3000, MAX_DEPTH = 32 };

/* A called function and its callers: returns[0] are the addresses that it may return to,
 * returns[1] those that its caller may return to, and so on. */
struct chain {
	const struct function *caller, *callee;
	const addr_vec *returns[MAX_DEPTH];
	size_t n;
};

struct search {
	struct session *s;
	const struct probe_kind *kind;
	struct probe_decl *decl;
	const struct point *pt;
	const char *pattern;
	int depth;
	bool quiet, any, too_many;
	size_t added;
	unsigned tails; /* calls by jumps, which leave no return address */
	name_vec seen;  /* names of callees, for messages */
};

/* --------------------------------------------------------------- the condition */

static struct node *given(struct loc loc, const char *name, struct aop *ops, size_t n,
			  bool in_kernel)
{
	struct access *a = xalloc(sizeof *a);
	struct node *node = node_new(N_TARGET, loc);

	*a = (struct access){
		.ops = ops, .nops = n, .ctype = "unsigned long", .size = 8, .in_kernel = in_kernel};
	node->target.start = TS_GIVEN;
	node->target.name = name;
	node->target.given = a;
	node->target.access = -1;
	return node;
}

/* At the entry: is the word on top of the stack one of RETURNS?  The stack machine has that word
 * and what is known. */
static struct node *returns_to(struct loc loc, const addr_vec *returns, bool in_kernel)
{
	static const enum aop_kind compare[] = {A_EQ, A_SWAP},
				   or_compare[] = {A_EQ, A_SWAP, A_ROT, A_OR, A_SWAP};
	VEC(struct aop) ops = {0};

	vec_push(&ops, ((struct aop){.kind = A_REG, .a = arch_target()->sp_reg}));
	vec_push(&ops, ((struct aop){.kind = A_DEREF, .size = 8}));
	for (size_t i = 0; i < returns->n; i++) {
		const enum aop_kind *then = i ? or_compare : compare;

		vec_push(&ops, ((struct aop){.kind = A_DUP}));
		vec_push(&ops, ((struct aop){.kind = A_ADDR, .a = (int64_t)returns->v[i]}));
		for (size_t k = 0; k < (i ? ARRAY_LEN(or_compare) : ARRAY_LEN(compare)); k++)
			vec_push(&ops, ((struct aop){.kind = then[k]}));
	}
	vec_push(&ops, ((struct aop){.kind = A_DROP}));
	return given(loc, "$caller", ops.v, ops.n, in_kernel);
}

static struct node *binary(enum node_kind kind, enum op op, struct node *l, struct node *r)
{
	struct node *n = node_new(kind, l->loc);

	n->bin.op = op;
	n->bin.l = l;
	n->bin.r = r;
	return n;
}

/* Is ustack(LEVEL) one of RETURNS? */
static struct node *above_is(struct loc loc, size_t level, const addr_vec *returns)
{
	struct node *any = NULL;

	for (size_t i = 0; i < returns->n; i++) {
		struct aop *op = xalloc(sizeof *op);
		struct node *call = node_new(N_CALL, loc), *equal;

		*op = (struct aop){.kind = A_ADDR, .a = (int64_t)returns->v[i]};
		call->call.name = "ustack";
		call->call.builtin = builtin_find("ustack");
		call->call.args = node_new(N_NUM, loc);
		call->call.args->num = (int64_t)level;
		call->call.nargs = 1;
		equal = binary(N_BINARY, OP_EQ, call, given(loc, "$return_address", op, 1, false));
		any = any ? binary(N_LOGIC, OP_LOR, any, equal) : equal;
	}
	return any;
}

static struct node *condition(const struct chain *c, struct loc loc)
{
	struct node *all = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct node *one = i || c->callee->outer
					   ? above_is(loc, i + 1, c->returns[i])
					   : returns_to(loc, c->returns[i],
							module_is_kernel(c->callee->mod));

		all = all ? binary(N_LOGIC, OP_LAND, all, one) : one;
	}
	return all;
}

/* DECL with a body that is left at once where C is not how it was called. */
static struct probe_decl *conditional(const struct search *s, const struct chain *c)
{
	struct probe_decl *decl = xalloc(sizeof *decl);
	struct node *cond = condition(c, s->decl->loc), *block = node_new(N_BLOCK, s->decl->loc);
	struct node *leave = node_new(N_IF, s->decl->loc), *no = node_new(N_UNARY, s->decl->loc);

	*decl = *s->decl;
	if (s->kind->is_return) { /* tested when it is called */
		struct node *entry = node_new(N_ENTRY, s->decl->loc);

		entry->entry.e = cond;
		cond = entry;
	}
	no->un.op = OP_NOT;
	no->un.e = cond;
	leave->cond.c = no;
	leave->cond.t = node_new(N_NEXT, s->decl->loc);
	leave->next = node_clone(s->decl->body, NULL, 0);
	block->block.body = leave;
	decl->body = block;
	return decl;
}

/* -------------------------------------------------------------------- the sites */

static const char *place_text(const struct function *f)
{
	return f->file ? xprintf("%s@%s:%d", f->name, f->file, f->line) : f->name;
}

static void add_site(struct search *s, const struct chain *c)
{
	const struct function *f = c->callee;
	bool all = session_defines(s->s, "STAP_CALLEE_MATCHALL");
	struct probe_decl *decl = all || !c->n ? s->decl : conditional(s, c);
	const char *last = s->pt->comps.v[s->pt->comps.n - 1].name;
	bool plain = strcmp(last, "call") != 0 && strcmp(last, "return") != 0;
	struct spot spot = {.f = f,
			    .addr = f->outer ? f->entry : function_site(f),
			    .why = f->outer ? "where this instance begins"
					    : "the first of the function that is called"};

	if (f->outer && !plain)
		return;
	if (++s->added > MAX_CALLEES) {
		s->too_many = true;
		return;
	}
	spot.pp = xprintf("%s.function(\"%s\").callee(\"%s\")%s%s", point_of_module(f->mod),
			  place_text(c->caller), place_text(f), plain ? "" : ".",
			  plain ? "" : last);
	s->any |= target_add_spot(s->s, s->kind, decl, s->pt, &spot, s->quiet);
}

/* C with one call more, from its callee to TO. */
static struct chain longer(const struct chain *c, const struct callee *to)
{
	struct chain out = {.caller = c->callee, .callee = to->f};

	if (!to->f->outer) {
		out.returns[out.n++] = &to->returns;
	}
	for (size_t i = 0; i < c->n && out.n < MAX_DEPTH; i++)
		out.returns[out.n++] = c->returns[i];
	return out;
}

static void add_callees(struct search *s, const struct chain *c, int depth)
{
	callee_vec *found = xalloc(sizeof *found);

	function_callees(c->callee, found, &s->tails);
	for (size_t i = 0; i < found->n && !s->too_many; i++) {
		struct chain next = longer(c, &found->v[i]);

		vec_push(&s->seen, found->v[i].f->name);
		if (glob_match(s->pattern, found->v[i].f->name))
			add_site(s, &next);
		if (depth < s->depth)
			add_callees(s, &next, depth + 1);
	}
}

/* -------------------------------------------------------------------- the kinds */

static void no_callee(const struct search *s, const struct point_comp *c, const struct function *f)
{
	struct strbuf list = {0};
	size_t told = 0;

	diag_error(E_NO_FUNCTION, c->loc,
		   "function \"%s\" has no call of \"%s\" in its debug information", f->name,
		   s->pattern);
	for (size_t i = 0; i < s->seen.n && told < 8; i++) {
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = !strcmp(s->seen.v[k], s->seen.v[i]);
		if (!known)
			sb_printf(&list, "%s%s", told++ ? ", " : "", s->seen.v[i]);
	}
	if (told)
		diag_hint("it calls %s", list.s);
	else if (!f->die)
		diag_hint("it has no debug information");
	else if (s->tails)
		diag_hint("it ends with tail calls, which leave no return address");
	else
		diag_hint("calls through pointers, calls of library functions and calls in "
			  "unoptimised code are not known");
}

bool points_of_callees(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		       const struct point *pt, bool quiet)
{
	const struct point_comp *one = point_comp(pt, "callee"),
				*c = one ? one : point_comp(pt, "callees");
	struct search search = {.s = s,
				.kind = k,
				.decl = decl,
				.pt = pt,
				.quiet = quiet,
				.pattern = one ? one->arg->str.s : "*",
				.depth = one || !c->arg ? 1 : (int)c->arg->num};
	int errors = diag_errors();
	function_vec found = {0};

	if (!one && c->arg && (c->arg->num < 1 || c->arg->num > MAX_DEPTH)) {
		diag_error(E_PROBE_POINT, c->arg->loc, "callees can be searched 1 to %d calls deep",
			   MAX_DEPTH);
		return false;
	}
	if (!point_functions(s, pt, quiet, &found))
		return false;
	for (size_t i = 0; i < found.n; i++)
		add_callees(&search, &(struct chain){.callee = found.v[i]}, 1);
	if (search.too_many)
		diag_error(E_LIMIT, c->loc,
			   "more than %d callees, each of which needs its own handler",
			   MAX_CALLEES);
	else if (!search.any && !quiet && errors == diag_errors())
		no_callee(&search, c, found.v[0]);
	return search.any && errors == diag_errors();
}

#define KIND(text, ret)                                                                  \
	{                                                                                \
		.pattern = "process(p).library(l).function(s)." text, .has_sites = true, \
		.is_return = ret, .resolve = points_of_callees                           \
	}
const struct probe_kind probe_callees[] = {
	KIND("callee(s)", false),
	KIND("callee(s).call", false),
	KIND("callee(s).return", true),
	KIND("callees(n?)", false),
	{0},
};

/* ustap-probes.7, FUNCTIONS
.TP
.BI .function(\(dqNAME\(dq).callee(\(dqNAME\(dq)
The entry of the second function when the first function called it, and its instances that were
inlined into the first. The debug information must describe the call; it does so for optimized
code,
but not for calls through pointers.
.BR .call " and " .return
may follow, as in
.BI .function(\(dqNAME\(dq).callee(\(dqNAME\(dq).call
and
.BI .function(\(dqNAME\(dq).callee(\(dqNAME\(dq).return\fR.
.TP
.BI .function(\(dqNAME\(dq).callees "\fR, " .function(\(dqNAME\(dq).callees( N )
All functions that it calls, and the functions that these call, up to
.I N
levels.
*/
