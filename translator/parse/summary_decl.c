/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summaries: declarations that say how values of a type are shown and indexed, as text, sequence,
 * map and so on.
 *
 * They are data of the tapset library and of scripts.  Their expressions are kept as the parser
 * made them: what $self is differs from type to type, so dwarf/type_summary.c resolves them for
 * each type that a script shows.
 */
#include <string.h>

#include "parse/summary_decl.h"

/* ------------------------------------------------------------------ forms */

/* Forms that a summary's body may call, and their numbers of arguments. */
static const struct {
	const char *name;
	enum summary_form form;
	size_t least, most;
} forms[] = {
	{"text", FORM_TEXT, 2, 3},       {"sequence", FORM_SEQUENCE, 2, 2},
	{"range", FORM_RANGE, 2, 2},     {"indexed", FORM_INDEXED, 2, 3},
	{"slots", FORM_SLOTS, 3, 4},     {"list", FORM_LIST, 4, 5},
	{"tree", FORM_TREE, 6, 7},       {"buckets", FORM_BUCKETS, 6, 7},
	{"btree", FORM_BTREE, 6, 7},     {"optional", FORM_OPTIONAL, 4, 4},
	{"variant", FORM_VARIANT, 2, 2}, {"pointer", FORM_POINTER, 1, 1},
	{"value", FORM_VALUE, 1, 1},     {"length", FORM_LENGTH, 1, 1},
	{"dynamic", FORM_DYNAMIC, 2, 2},
};

static void report_form(const struct node *body)
{
	struct strbuf names = {0};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		sb_printf(&names, "%s%s()", i ? ", " : "", forms[i].name);
	diag_error(E_SYNTAX, body->loc, "the body of a summary is one call of a summary form");
	diag_hint("forms: %s", names.s);
}

/* The one call in BLOCK; NULL after an error. */
static struct node *call_of(struct node *block, enum summary_form *form)
{
	struct node *n = block->block.body;
	struct node *call = n && !n->next && n->kind == N_EXPR && n->expr.e->kind == N_CALL
				    ? n->expr.e
				    : NULL;

	for (size_t i = 0; call && i < ARRAY_LEN(forms); i++) {
		if (strcmp(forms[i].name, call->call.name))
			continue;
		*form = forms[i].form;
		if (call->call.nargs >= forms[i].least && call->call.nargs <= forms[i].most)
			return call;
		diag_error(E_ARITY, call->loc, "%s() takes %zu%s arguments, not %zu", forms[i].name,
			   forms[i].least,
			   forms[i].most > forms[i].least ? xprintf(" to %zu", forms[i].most) : "",
			   call->call.nargs);
		return NULL;
	}
	report_form(n ? n : block);
	return NULL;
}

void summary_new(struct script *script, struct node *patterns, struct node *block, struct loc loc)
{
	struct summary *sum = xalloc(sizeof *sum);
	struct node *call = call_of(block, &sum->form);

	if (!call)
		return;
	sum->loc = loc;
	sum->args = call->call.args;
	sum->ours = loc.src->ours;
	for (struct node *n = patterns; n; n = n->next) {
		if (n->kind == N_STR)
			vec_push(&sum->patterns, n->str.s);
		else
			diag_error(E_SYNTAX, n->loc, "the name of a type is a string");
	}
	vec_push(&script->summaries, sum);
}

/* -------------------------------------------------------------- functions */

enum summary_use summary_function(const struct node *call)
{
	static const struct {
		const char *name;
		enum summary_use use;
	} functions[] = {
		{"std_string", USE_TEXT},
		{"rust_str", USE_TEXT},
		{"go_string", USE_TEXT},
		{"len", USE_LENGTH},
	};
	const struct func *f = call->kind == N_CALL ? call->call.func : NULL;

	for (size_t i = 0;
	     f && f->loc.src->ours && call->call.nargs == 1 && i < ARRAY_LEN(functions); i++)
		if (!strcmp(functions[i].name, f->name))
			return functions[i].use;
	return USE_NONE;
}
