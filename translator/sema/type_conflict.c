/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Type conflicts: errors about two uses whose types disagree; both locations are shown. */
#include "sema.h"

static bool same_loc(struct loc a, struct loc b)
{
	return a.src == b.src && a.beg == b.beg && a.end == b.end;
}

bool first_report(loc_vec *reported, struct loc loc)
{
	for (size_t i = 0; i < reported->n; i++)
		if (same_loc(reported->v[i], loc))
			return false;
	vec_push(reported, loc);
	return true;
}

static const char *place(struct loc loc)
{
	unsigned line, col;

	loc_linecol(loc, &line, &col);
	return xprintf("%s:%u:%u", loc.src->name, line, col);
}

static const char *article(enum type t)
{
	return t == T_STAT ? "a statistic" : t == T_STRING ? "a string" : "a long";
}

struct type_source type_source_symbol(const struct symbol *sym)
{
	return (struct type_source){xprintf("\"%s\"", sym->name), sym->type, sym->type_loc};
}

struct type_source type_source_key(const struct symbol *sym, int i)
{
	const char *what = sym->nkeys == 1 ? xprintf("the key of \"%s\"", sym->name)
					   : xprintf("key %d of \"%s\"", i + 1, sym->name);

	return (struct type_source){what, sym->keys[i], sym->key_locs[i]};
}

struct type_source type_source_result(const struct func *f)
{
	return (struct type_source){xprintf("the result of \"%s\"", f->name), f->type, f->type_loc};
}

/* The origin of the type HAVE of N; .what is NULL if N itself shows it. */
static struct type_source known_node(const struct node *n, enum type have)
{
	struct type_source k = {0};

	if (n->kind == N_VAR || n->kind == N_INDEX)
		k = type_source_symbol(n->sym);
	else if (n->kind == N_CALL && n->call.func)
		k = type_source_result(n->call.func);
	return k.loc.src && k.type == have ? k : (struct type_source){0};
}

void report_conflict(const struct node *n, enum type want, enum type have,
		     const struct type_source *against)
{
	struct type_source own = known_node(n, have);

	if (own.what) {
		diag_error(E_TYPE_MISMATCH, n->loc, "%s is %s here, but %s at %s", own.what,
			   article(want), article(have), place(own.loc));
		diag_also(own.loc);
		if (against && against->loc.src && against->type == want) {
			diag_hint("%s is %s at %s", against->what, article(want),
				  place(against->loc));
			diag_also(against->loc);
		}
	} else if (against && against->loc.src && against->type == want) {
		diag_error(E_TYPE_MISMATCH, n->loc, "%s is %s here, but %s at %s", against->what,
			   article(have), article(want), place(against->loc));
		diag_also(against->loc);
	} else {
		diag_error(E_TYPE_MISMATCH, n->loc, "type mismatch: expected %s but found %s",
			   type_name(want), type_name(have));
	}
}
