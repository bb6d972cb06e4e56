/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points: probe points to program.probes.
 *
 * Each point of each declaration is matched against the patterns of
 * probe/table.c, component by component and exactly; the kind that matches
 * adds its probes.  A point marked `?` may match nothing; after one marked `!`
 * that matched, the rest of its declaration's points are not tried.
 */
#include <inttypes.h>
#include <string.h>
#include "base/kernel_target.h"
#include "parse/library.h"
#include "parse/summary_decl.h"
#include "passes.h"
#include "point.h"
#include "sema/sema.h"

/* ------------------------------------------------------------ patterns */

/* Reads the component at *P and moves past it; false at the end. */
bool point_want_next(const char **p, struct point_want *w)
{
	if (**p == '.')
		++*p;
	if (!**p)
		return false;
	*w = (struct point_want){.name = *p, .len = strcspn(*p, ".(")};
	*p += w->len;
	if (**p == '(') {
		w->arg = (*p)[1];
		w->arg_optional = (*p)[2] == '?';
		*p = strchr(*p, ')') + 1;
	}
	return true;
}

static bool name_matches(const struct point_want *w, const struct point_comp *c)
{
	return strlen(c->name) == w->len && !strncmp(c->name, w->name, w->len);
}

bool point_want_takes(const struct point_want *w, const struct node *arg)
{
	if (w->arg == 'p')
		return true;
	if (!arg)
		return !w->arg || w->arg_optional;
	return ((w->arg == 's' || w->arg == 'l') && arg->kind == N_STR) ||
	       (w->arg == 'n' && arg->kind == N_NUM);
}

bool point_want_fits(const struct point_want *w, const struct point_comp *c)
{
	return name_matches(w, c) && point_want_takes(w, c->arg);
}

void point_patterns(const struct session *s, text_vec *out)
{
	for_each_probe_kind(k) if (!name_is_internal(k->pattern)) vec_push(out, k->pattern);
	for (size_t i = 0; i < s->script.aliases.n; i++)
		vec_push(out, point_text(s->script.aliases.v[i]->name));
}

/* Part of a probe point that a pattern has matched, from the left. */
struct matched {
	size_t n;         /* components */
	const char *rest; /* of the pattern */
	bool whole;       /* all of both */
};

static struct matched match(const char *pattern, const struct point *pt)
{
	struct matched m = {.rest = pattern};
	struct point_want w;

	while (point_want_next(&pattern, &w)) {
		bool here = m.n < pt->comps.n && point_want_fits(&w, &pt->comps.v[m.n]);

		if (!here &&
		    (w.arg != 'l' || m.n == pt->comps.n || name_matches(&w, &pt->comps.v[m.n])))
			return m;
		m.n += here;
		if (here)
			m.rest = pattern;
	}
	m.whole = m.n == pt->comps.n;
	return m;
}

/* ----------------------------------------------- points that do not match */

enum { MAX_FORMS = 24, MAX_PARENTS = 8 };

static size_t best_prefix(const struct point *pt, const text_vec *patterns)
{
	size_t best = 0;

	for (size_t i = 0; i < patterns->n; i++) {
		size_t n = match(patterns->v[i], pt).n;
		best = n > best ? n : best;
	}
	return best;
}

static void add_continuation(const struct point_want *w, const char *form, size_t len,
			     name_vec *names, name_vec *forms)
{
	const char *name = xstrndup(w->name, w->len);

	for (size_t k = 0; k < names->n; k++)
		if (!strcmp(names->v[k], name))
			return;
	vec_push(names, name);
	vec_push(forms, xstrndup(form, len));
}

/* Add the texts that component AT of PT may have, each once. */
static void continuations(const struct point *pt, size_t at, const text_vec *patterns,
			  name_vec *names, name_vec *forms)
{
	for (size_t i = 0; i < patterns->n; i++) {
		struct matched m = match(patterns->v[i], pt);
		struct point_want w = {.arg = 'l'};

		/* optional components, and those that can follow them */
		while (m.n == at && w.arg == 'l') {
			const char *form = *m.rest == '.' ? m.rest + 1 : m.rest;

			if (!point_want_next(&m.rest, &w))
				break;
			add_continuation(&w, form, (size_t)(m.rest - form), names, forms);
		}
	}
}

void point_continuations(const struct session *s, const struct point *pt, name_vec *out)
{
	text_vec patterns = {0};
	name_vec names = {0};

	point_patterns(s, &patterns);
	library_aliases(s, &patterns);
	continuations(pt, pt->comps.n, &patterns, &names, out);
}

static const char *form_text(const char *form)
{
	struct point_want w;
	const char *p = form;

	point_want_next(&p, &w);
	return xprintf("%.*s%s", (int)w.len, w.name,
		       strchr("spl", w.arg) && w.arg     ? "(\"...\")"
		       : w.arg == 'n' && !w.arg_optional ? "(N)"
							 : "");
}

/* Forms, up to a number that one can read. */
static const char *forms_text(const name_vec *forms, const char *more)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < forms->n && i < MAX_FORMS; i++)
		sb_printf(&sb, "%s%s", i ? ", " : "", form_text(forms->v[i]));
	if (forms->n > MAX_FORMS)
		sb_printf(&sb, " and %zu more: %s", forms->n - MAX_FORMS, more);
	return sb.s;
}

/* PATTERN has the component NAME behind its first one: that is added to OUT, as text. */
static void add_parent(const char *pattern, const char *name, name_vec *out)
{
	struct point_want first, w;
	const char *p = pattern;

	if (!point_want_next(&p, &first))
		return;
	do
		if (!point_want_next(&p, &w))
			return;
	while (w.arg == 'l');
	if (strlen(name) != w.len || strncmp(w.name, name, w.len))
		return;
	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(form_text(pattern), out->v[i]))
			return;
	vec_push(out, form_text(pattern));
}

/* Beginnings of probe points that have a component NAME; NULL if none has one. */
static const char *parents(const char *name, const text_vec *patterns)
{
	struct strbuf sb = {0};
	name_vec found = {0};

	for (size_t i = 0; i < patterns->n; i++)
		add_parent(patterns->v[i], name, &found);
	for (size_t i = 0; i < found.n && i < MAX_PARENTS; i++)
		sb_printf(&sb, "%s%s.%s", i ? ", " : "", found.v[i], name);
	return sb.s;
}

/* The form in which C could stand here; NULL: no form has its name. */
static const char *other_form(const struct point_comp *c, const name_vec *names,
			      const name_vec *forms)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], c->name))
			return form_text(forms->v[i]);
	return NULL;
}

static const char *words_before(const struct point *pt, size_t n)
{
	struct point head = {0};

	for (size_t i = 0; i < n; i++)
		vec_push(&head.comps, pt->comps.v[i]);
	return point_text(&head);
}

/* Those of FORMS whose name, in NAMES, begins with NAME, which is not empty. */
static name_vec beginning_with(const char *name, const name_vec *names, const name_vec *forms)
{
	name_vec found = {0};

	for (size_t i = 0; *name && i < names->n; i++)
		if (!strncmp(names->v[i], name, strlen(name)))
			vec_push(&found, forms->v[i]);
	return found;
}

/* Hint: alternatives to component AT of PT, or components that can follow the last. */
static void hint_point(const struct point *pt, size_t at, const text_vec *patterns)
{
	const struct point_comp *c = at < pt->comps.n ? &pt->comps.v[at] : NULL;
	name_vec names = {0}, forms = {0}, longer = {0};
	const char *near, *form;

	continuations(pt, at, patterns, &names, &forms);
	if (c)
		longer = beginning_with(c->name, &names, &forms);
	near = c ? nearest(c->name, names.v, names.n) : NULL;
	form = c ? other_form(c, &names, &forms) : NULL;
	if (form)
		diag_hint("write %s", form);
	else if (near)
		diag_hint("did you mean \"%s\"?", near);
	else if (c && !at && parents(c->name, patterns))
		diag_hint("it can be part of %s", parents(c->name, patterns));
	else if (at && longer.n)
		diag_hint("possible here: %s",
			  forms_text(&longer,
				     xprintf("ustap -l '%s.%s*'", words_before(pt, at), c->name)));
	else if (forms.n)
		diag_hint("possible here: %s",
			  forms_text(&forms,
				     at ? xprintf("ustap -l '%s.*'", words_before(pt, at))
					: "ustap --dump-probe-types, ustap --dump-probe-aliases"));
	else if (at)
		diag_hint("nothing can follow %s", words_before(pt, at));
}

static void no_such_point(struct session *s, const struct point *pt)
{
	text_vec patterns = {0};
	size_t at;
	const struct point_comp *c;
	const char *instead, *why = kernel_point(point_text(pt), &instead);

	if (why) {
		diag_error(E_UNSUPPORTED, pt->comps.v[0].loc, "%s is not supported: %s",
			   point_text(pt), why);
		diag_hint("%s", instead);
		return;
	}
	point_patterns(s, &patterns);
	library_aliases(s, &patterns);
	at = best_prefix(pt, &patterns);
	c = &pt->comps.v[at < pt->comps.n ? at : pt->comps.n - 1];
	if (at == pt->comps.n)
		diag_error(E_PROBE_POINT, c->loc, "probe point is incomplete after \"%s\"",
			   c->name);
	else
		diag_error(E_PROBE_POINT, c->loc, "unknown probe point component \"%s\"%s here",
			   c->name,
			   c->arg ? c->arg->kind == N_STR ? " with a string" : " with a number"
				  : "");
	hint_point(pt, at, &patterns);
}

/* ------------------------------------------------------------- the pass */

const struct probe_kind *point_kind(const struct point *pt)
{
	for_each_probe_kind(k) if (match(k->pattern, pt).whole) return k;
	return NULL;
}

const struct probe_kind *point_kind_of(const char *pattern)
{
	for_each_probe_kind(k) if (!strcmp(k->pattern, pattern)) return k;
	return NULL;
}

static bool add_decl(struct session *s, struct probe_decl *decl, bool quiet);

static bool lacks_user(const struct probe_kind *k) { return k && k->lacking & 1u << RT_USER; }

/* True if an optional point of type K is missing because the user runtime, which will be chosen,
 * does not support K. */
static bool is_missing(const struct session *s, const struct probe_kind *k, bool quiet)
{
	return quiet && lacks_user(k) && !s->opt.list &&
	       (s->opt.runtime != RT_AUTO || s->opt.stop_after >= 4) && early_runtime(s) == RT_USER;
}

/* The first point that PT stands for and that is a kind of probe. */
static const struct point *first_kind(const struct point *pt)
{
	const struct point *found = point_kind(pt) && !pt->elsewhere ? pt : NULL;

	for (size_t i = 0; i < pt->subs.n && !found; i++)
		for (size_t j = 0; j < pt->subs.v[i]->points.n && !found; j++)
			found = first_kind(pt->subs.v[i]->points.v[j]);
	return found;
}

static void nothing_there(const struct session *s, const struct point *pt)
{
	const struct point *first = first_kind(pt);

	if (first && is_missing(s, point_kind(first), true))
		report_needs_kernel(s, pt->loc, point_text(pt));
	else
		diag_error(E_PROBE_POINT, pt->loc, "no probe point of this alias was found");
}

/* A point itself, if it is one, and what it stands for. */
static bool add_point(struct session *s, struct probe_decl *decl, const struct point *pt,
		      bool quiet)
{
	const struct probe_kind *k = point_kind(pt);
	int errors = diag_errors();
	bool any = false;

	for (size_t i = 0; i < pt->subs.n; i++)
		any |= add_decl(s, pt->subs.v[i], quiet);
	if (k && !pt->elsewhere && is_missing(s, k, quiet))
		return any;
	if (k && !pt->elsewhere && !targets_readable(s, pt))
		return any;
	if (k && !pt->elsewhere)
		any |= k->resolve(s, k, decl, pt, quiet);
	else if (!pt->subs.n && !quiet)
		no_such_point(s, pt);
	if (!any && !quiet && errors == diag_errors())
		nothing_there(s, pt);
	return any;
}

/* True if some point of DECL was found. */
static bool add_decl(struct session *s, struct probe_decl *decl, bool quiet)
{
	bool any = false, found;

	for (size_t i = 0; i < decl->points.n; i++) {
		const struct point *pt = decl->points.v[i];

		found = add_point(s, decl, pt, quiet || pt->optional || pt->sufficient);
		any |= found;
		if (found && pt->sufficient)
			break;
	}
	return any;
}

void pass_points(struct session *s)
{
	struct kernel_target kernel = kernel_target(s->opt.release);

	summaries_begin(s);
	summaries_set(summary_at);
	kernel_select(kernel.release, kernel.build);
	functions_mark(&s->script);
	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (!s->script.funcs.v[i]->needs_probe)
			target_fold_function(s->script.funcs.v[i]);
	for (size_t i = 0; i < s->script.probes.n; i++)
		add_decl(s, s->script.probes.v[i], false);
	if (!diag_errors())
		choose_sites(s);
	if (!diag_errors() && !s->program.probes.n) {
		diag_error(E_NO_PROBES, s->script.probes.v[0]->loc,
			   "no probe point of the script was found");
		diag_hint("probe points marked ? or ! are optional, but at least one must be "
			  "found; \"never\" always is");
	}
	for_each_probe_kind(k) if (k->check) k->check(s);
	check_builtins(&s->program);
}

/* --------------------------------------------------------- for families */

const char *point_of_module(struct module *m)
{
	const char *kmodule = module_kmodule_name(m);

	return kmodule               ? xprintf("module(\"%s\")", kmodule)
	       : module_is_kernel(m) ? "kernel"
				     : xprintf("process(\"%s\")", module_name(m));
}

struct probe *probe_new(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt)
{
	struct symmap *map = xalloc(decl->locals.n * sizeof *map);
	struct probe *p = xalloc(sizeof *p);

	(void)s;
	p->kind = k;
	p->decl = decl;
	p->loc = decl->loc;
	p->point = pt->loc;
	p->pp = point_text(pt);
	for (size_t i = 0; i < decl->locals.n; i++) {
		struct symbol *copy = xalloc(sizeof *copy);

		*copy = *decl->locals.v[i];
		map[i] = (struct symmap){decl->locals.v[i], copy};
		vec_push(&p->locals, copy);
	}
	p->body = node_clone(decl->body, map, decl->locals.n);
	return p;
}
