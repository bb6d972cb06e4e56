/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alias: expand probe points that name aliases or have wildcards.
 *
 * A point whose words name an alias gets a sub for each such alias: a declaration with the
 * alias's points and, as one body with one scope, its prologue, the body of the declaration and
 * its epilogue. Components after the alias's name are appended to each of the alias's points. A
 * point with wildcards gets one sub whose points are all matches, each of them optional. Subs
 * are expanded the same way, so they form a tree, which point.c walks; names are resolved later,
 * in each body on its own.
 *
 * A condition stays with the point through all of this, and then becomes the beginning of the body.
 *
 * A point of a probe type keeps that meaning. Tapset files are read for components that belong
 * to no probe type.
 */
#include <string.h>
#include "parse/library.h"
#include "passes.h"
#include "sema/points/point.h"
#include "sema.h"

#define MAX_SUBS 50000

/* --------------------------------------------------------- making a sub */

/* A copy of BODY between copies of A's bodies. */
static struct node *block_of(const struct alias *a, struct node *body)
{
	struct node *const parts[] = {a ? a->prologue : NULL, body, a ? a->epilogue : NULL};
	struct node *block = node_new(N_BLOCK, body->loc), **end = &block->block.body;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i]) {
			*end = node_clone(parts[i], NULL, 0);
			if (parts[i] != body)
				probewrite_fold(*end, body);
			end = &(*end)->next;
		}
	return block;
}

static struct probe_decl *sub_new(struct probe_decl *from, struct point *pt, const struct alias *a)
{
	struct probe_decl *sub = xalloc(sizeof *sub);
	static size_t made;

	sub->loc = from->loc;
	sub->src = from->src;
	sub->from = from;
	sub->of = pt;
	sub->alias = a;
	sub->body = block_of(a, from->body);
	vec_push(&pt->subs, sub);
	if (made++ == MAX_SUBS)
		diag_error(E_LIMIT, pt->loc,
			   "the script's probe points expand to more than %d others", MAX_SUBS);
	return made > MAX_SUBS ? NULL : sub;
}

/* PT, or the copy of it that stands in a sub, with its first N words replaced by those of HEAD. */
static struct point *point_after(const struct point *head, const struct point *pt, size_t n)
{
	struct point *copy = xalloc(sizeof *copy);

	copy->loc = pt->loc;
	copy->optional = head->optional;
	copy->sufficient = head->sufficient;
	copy->cond = condition_and(head->cond, head != pt ? pt->cond : NULL);
	for (size_t i = 0; i < head->comps.n; i++)
		vec_push(&copy->comps, head->comps.v[i]);
	for (size_t i = n; i < pt->comps.n; i++)
		vec_push(&copy->comps, pt->comps.v[i]);
	return copy;
}

/* ------------------------------------------------------------- aliases */

/* Is the name of A the first words of PT? */
static bool begins_with(const struct point *pt, const struct alias *a)
{
	if (a->name->comps.n > pt->comps.n)
		return false;
	for (size_t i = 0; i < a->name->comps.n; i++)
		if (pt->comps.v[i].arg || strcmp(a->name->comps.v[i].name, pt->comps.v[i].name))
			return false;
	return true;
}

/* The number of words of the longest alias that PT begins with. */
static size_t longest(const struct script *script, const struct point *pt)
{
	size_t best = 0;

	for (size_t i = 0; i < script->aliases.n; i++) {
		const struct alias *a = script->aliases.v[i];

		if (a->name->comps.n > best && begins_with(pt, a))
			best = a->name->comps.n;
	}
	return best;
}

static bool in_use(const struct probe_decl *decl, const struct alias *a)
{
	for (; decl; decl = decl->from)
		if (decl->alias == a)
			return true;
	return false;
}

static void add_alias(struct probe_decl *decl, struct point *pt, const struct alias *a)
{
	struct probe_decl *sub;

	if (in_use(decl, a)) {
		diag_error(E_PROBE_POINT, pt->loc, "alias \"%s\" refers to itself",
			   point_text(a->name));
		return;
	}
	sub = sub_new(decl, pt, a);
	for (size_t i = 0; sub && i < a->points.n; i++)
		vec_push(&sub->points, point_after(a->points.v[i], pt, a->name->comps.n));
}

static void add_aliases(struct session *s, struct probe_decl *decl, struct point *pt)
{
	bool kind = point_kind(pt);
	size_t words, n;

	if (!kind)
		load_library_alias(s, pt);
	words = longest(&s->script, pt);
	if (!words || (kind && words < pt->comps.n))
		return;
	n = s->script.aliases.n;
	for (size_t i = 0; i < n; i++)
		if (s->script.aliases.v[i]->name->comps.n == words &&
		    begins_with(pt, s->script.aliases.v[i]))
			add_alias(decl, pt, s->script.aliases.v[i]);
}

/* ----------------------------------------------------------- wildcards */

static bool is_wild(const struct point_comp *c) { return strchr(c->name, '*'); }

/* `*` stands for all but a dot, `**` for dots as well. */
static bool wild_match(const char *glob, const char *text, const char *end)
{
	bool deep = glob[0] == '*' && glob[1] == '*';

	if (!*glob)
		return text == end;
	if (*glob != '*')
		return text < end && *glob == *text && wild_match(glob + 1, text + 1, end);
	while (*glob == '*')
		glob++;
	for (;; text++) {
		if (wild_match(glob, text, end))
			return true;
		if (text == end || (*text == '.' && !deep))
			return false;
	}
}

/* A copy of PT with WORDS in place of its wildcard. */
static void replace_word(const struct point *pt, size_t at, const char *words, point_vec *out)
{
	struct point *copy = xalloc(sizeof *copy);
	const struct point_comp *wild = &pt->comps.v[at];

	copy->loc = pt->loc;
	copy->cond = pt->cond;
	for (size_t i = 0; i < at; i++)
		vec_push(&copy->comps, pt->comps.v[i]);
	for (size_t n; *words; words += n + (words[n] == '.')) {
		n = strcspn(words, ".");
		vec_push(&copy->comps, ((struct point_comp){xstrndup(words, n), NULL, wild->loc}));
	}
	copy->comps.v[copy->comps.n - 1].arg = wild->arg;
	for (size_t i = at + 1; i < pt->comps.n; i++)
		vec_push(&copy->comps, pt->comps.v[i]);
	vec_push(out, copy);
}

/* Add the matches of the wildcard in component AT of PT, according to PATTERN. */
static void match_pattern(const struct point *pt, size_t at, const char *pattern, struct smap *seen,
			  point_vec *out)
{
	const struct point_comp *c = &pt->comps.v[at];
	struct strbuf text = {0};
	struct point_want w;

	for (size_t i = 0; i < at; i++) {
		do {
			if (!point_want_next(&pattern, &w))
				return;
		} while (w.arg == 'l' && !point_want_fits(&w, &pt->comps.v[i]));
		if (!point_want_fits(&w, &pt->comps.v[i]))
			return;
	}
	while (point_want_next(&pattern, &w)) {
		if (w.arg == 'l' && !point_want_takes(&w, c->arg))
			continue;
		sb_printf(&text, "%s%.*s", text.n ? "." : "", (int)w.len, w.name);
		if (point_want_takes(&w, c->arg) && wild_match(c->name, text.s, text.s + text.n) &&
		    !smap_get(seen, text.s)) {
			smap_put(seen, xstrdup(text.s), out);
			replace_word(pt, at, text.s, out);
		}
		if (w.arg && !w.arg_optional && w.arg != 'p')
			return;
	}
}

/* The points that PT, whose first wildcard is in word AT, may mean. */
static void expand_word(const struct point *pt, size_t at, const text_vec *patterns, point_vec *out)
{
	struct smap seen = {0};
	point_vec found = {0};

	while (at < pt->comps.n && !is_wild(&pt->comps.v[at]))
		at++;
	if (at == pt->comps.n) {
		vec_push(out, (struct point *)pt);
		return;
	}
	for (size_t i = 0; i < patterns->n; i++)
		match_pattern(pt, at, patterns->v[i], &seen, &found);
	for (size_t i = 0; i < found.n; i++)
		expand_word(found.v[i], at + 1, patterns, out);
}

static void add_wild(struct session *s, struct probe_decl *decl, struct point *pt)
{
	text_vec patterns = {0};
	point_vec found = {0};
	struct probe_decl *sub;

	load_library_alias(s, pt);
	point_patterns(s, &patterns);
	expand_word(pt, 0, &patterns, &found);
	sub = found.n ? sub_new(decl, pt, NULL) : NULL;
	for (size_t i = 0; sub && i < found.n; i++) {
		found.v[i]->optional = true;
		vec_push(&sub->points, found.v[i]);
	}
}

/* ---------------------------------------------------------- conditions */

/* PT has a condition and is a kind of probe: the sub is PT without it, the body begins `if
 * (!(cond)) next`. */
static void add_conditional(struct probe_decl *decl, struct point *pt)
{
	struct probe_decl *sub = sub_new(decl, pt, NULL);
	struct node *n = node_new(N_IF, pt->cond->loc);
	struct point *plain;

	if (!sub)
		return;
	plain = point_after(pt, pt, pt->comps.n);
	plain->cond = NULL;
	vec_push(&sub->points, plain);
	sub->expanded = true;
	sub->cond = node_clone(pt->cond, NULL, 0);
	n->cond.c = node_new(N_UNARY, pt->cond->loc);
	n->cond.c->un.op = OP_NOT;
	n->cond.c->un.e = sub->cond;
	n->cond.t = node_new(N_NEXT, pt->cond->loc);
	n->cond.t->next_stmt.refused = true;
	n->next = sub->body->block.body;
	sub->body->block.body = n;
}

/* ------------------------------------------------------------- the pass */

static bool any_wild(const struct point *pt)
{
	for (size_t i = 0; i < pt->comps.n; i++)
		if (is_wild(&pt->comps.v[i]))
			return true;
	return false;
}

static void expand_point(struct session *s, struct probe_decl *decl, struct point *pt)
{
	if (any_wild(pt))
		add_wild(s, decl, pt);
	/* a wildcard may follow an alias of an alias: the alias's points get it then */
	if (!pt->subs.n)
		add_aliases(s, decl, pt);
	pt->elsewhere = pt->subs.n && !point_kind(pt);
	if (pt->cond && !pt->elsewhere) {
		pt->elsewhere = true;
		add_conditional(decl, pt);
	}
	for (size_t i = 0; i < pt->subs.n; i++)
		aliases_expand(s, pt->subs.v[i]);
}

void aliases_expand(struct session *s, struct probe_decl *decl)
{
	if (decl->expanded)
		return;
	decl->expanded = true;
	for (size_t i = 0; i < decl->points.n; i++)
		expand_point(s, decl, decl->points.v[i]);
}

void pass_aliases(struct session *s)
{
	for (size_t i = 0; i < s->script.probes.n; i++)
		aliases_expand(s, s->script.probes.v[i]);
}
