/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Export of globals as metrics (--prometheus): which numbers are counters, and the names of labels
 * for the keys of arrays.
 *
 * Takes the typed program, before the display probes are added. Sets symbol.is_counter and
 * symbol.labels. A number is a counter if the script only adds to it by `++' and `+=': collectors
 * compute rates of counters, and take a decrease for a restart. The label of a key has the name of
 * the first expression that the script uses as that key.
 */
#include "sema.h"
#include "session.h"

#include <ctype.h>
#include <string.h>

enum { LABEL_MAX = 64 };

/* ------------------------------------------------------------------- counters */

static void set_gauge(const struct node *target)
{
	if (target && (target->kind == N_VAR || target->kind == N_INDEX) && target->sym)
		target->sym->is_counter = false;
}

static bool is_negative(const struct node *n)
{
	return n->kind == N_UNARY || (n->kind == N_NUM && n->num < 0);
}

/* Clear is_counter of what N changes in another way than by adding to it. */
static bool note_change(struct node *n, void *arg)
{
	(void)arg;
	switch (n->kind) {
	case N_INCDEC:
		if (n->inc.delta < 0)
			set_gauge(n->inc.e);
		break;
	case N_ASSIGN:
		if (n->bin.op != OP_ADD || is_negative(n->bin.r))
			set_gauge(n->bin.l);
		break;
	case N_DELETE:
		set_gauge(n->expr.e);
		break;
	case N_FOREACH:
		for (const struct node *k = n->each.keys; k; k = k->next)
			set_gauge(k);
		set_gauge(n->each.value);
		break;
	case N_TRY:
		set_gauge(n->try_.var);
		break;
	default:
		break;
	}
	return true;
}

/* --------------------------------------------------------------------- labels */

/* The arguments of the call whose text begins at S; NULL: S is not a call. */
static const char *call_arguments(const char *s, const char *end)
{
	while (s < end && (isalnum((unsigned char)*s) || *s == '_'))
		s++;
	return s < end && *s == '(' ? s + 1 : NULL;
}

/* "execname()" is execname, "user_string($path, 10)" is path, "$file->f_flags" is f_flags. The name
 * is copied to NAME; false: the text has no name. */
static bool name_of_text(const char *s, const char *end, char name[LABEL_MAX])
{
	const char *inner, *from;
	size_t n = 0;

	s += strspn(s, "$@ \t\n");
	inner = call_arguments(s, end);
	if (inner && inner < end && *inner != ')' && name_of_text(inner, end, name))
		return true;
	for (from = s; s < end && (isalnum((unsigned char)*s) || *s == '_'); s++)
		if (s + 3 < end && s[1] == '-' && s[2] == '>')
			from = s += 3;
	if (isdigit((unsigned char)*from) || !strncmp(from, "__", 2))
		return false;
	while (from + n < s && n < LABEL_MAX - 1)
		n++;
	memcpy(name, from, n);
	name[n] = 0;
	return n;
}

/* The labels of the array G that are known so far. */
struct labels {
	const struct symbol *g;
	const char **names; /* of each key, or NULL */
};

static bool note_keys(struct node *n, void *arg)
{
	struct labels *l = arg;
	char name[LABEL_MAX];
	int i = 0;

	if (n->kind != N_INDEX || n->sym != l->g)
		return true;
	for (const struct node *k = n->index.keys; k && i < l->g->nkeys; k = k->next, i++)
		if (!l->names[i] && k->loc.src &&
		    name_of_text(k->loc.src->text + k->loc.beg, k->loc.src->text + k->loc.end,
				 name))
			l->names[i] = xstrdup(name);
	return true;
}

/* Labels that the exported text itself has. */
static bool is_reserved(const char *name)
{
	static const char *const words[] = {"le", "quantile", "script"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

static const char *label_of(const struct labels *l, int i)
{
	const char *name = l->names[i] ? l->names[i] : xprintf("key%d", i + 1);

	if (is_reserved(name))
		return xprintf("%s_%d", name, i + 1);
	for (int k = 0; k < i; k++)
		if (!strcmp(name, label_of(l, k)))
			return xprintf("%s_%d", name, i + 1);
	return name;
}

static void walk(const struct program *p, bool (*see)(struct node *, void *), void *arg)
{
	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, see, NULL, arg);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, see, NULL, arg);
}

static void set_labels(const struct program *p, struct symbol *g)
{
	struct labels l = {.g = g, .names = xalloc((size_t)g->nkeys * sizeof *l.names)};
	struct strbuf lines = {0};

	walk(p, note_keys, &l);
	for (int i = 0; i < g->nkeys; i++)
		sb_printf(&lines, "%s\n", label_of(&l, i));
	g->labels = lines.s;
}

void export_find(struct session *s)
{
	struct program *p = &s->program;

	if (!session_exports(s))
		return;
	for (size_t i = 0; i < p->globals.n; i++)
		p->globals.v[i]->is_counter = p->globals.v[i]->type == T_LONG &&
					      p->globals.v[i]->written;
	walk(p, note_change, NULL);
	for (size_t i = 0; i < p->globals.n; i++)
		if (p->globals.v[i]->nkeys > 0)
			set_labels(p, p->globals.v[i]);
}
