/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing: the probe points that a pattern stands for (-l), with the variables that can be read
 * there (-L). They are those of a script that does nothing at them, found by the same passes.
 * Sites with one name, such as inlined instances, are one line with the variables that all of
 * them have; -L -v has a line for each. Probe points of an alias have the name of the alias and,
 * with -L, the variables that the alias sets.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "dwarf/code_locations.h"
#include "passes.h"

static int by_text(const void *a, const void *b)
{
	const struct described *x = a, *y = b;
	int order = x->pp == y->pp ? 0 : strcmp(x->pp, y->pp);

	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void describe_mark(const struct mark *m, name_vec *out)
{
	for (unsigned i = 1; i <= m->nargs; i++)
		vec_push(out, xprintf("$arg%u:long", i));
}

/* Points without sites may have variables, too. */
static void describe_kind(const struct probe_kind *k, name_vec *out)
{
	static const char *const names[] = {"$syscall", "$arg1", "$arg2", "$arg3",
					    "$arg4",    "$arg5", "$arg6", "$return"};

	for (size_t i = 0; k->variable && i < ARRAY_LEN(names); i++) {
		struct node n = {.kind = N_TARGET, .target = {.name = names[i]}};
		struct var_error err;
		struct access acc;

		if (k->variable(&n, &acc, &err))
			vec_push(out, xprintf("%s:%s", names[i], acc.ctype));
	}
}

/*
 * True if P is a probe of the script: not of a tapset file that was read for an alias, and not a
 * probe that saves entry values for a return.
 */
static bool is_asked(const struct probe *p)
{
	const struct probe_decl *d = p->decl;

	while (d && d->from)
		d = d->from;
	return d && !d->src->library;
}

/* The alias that the script's own point names, or NULL. */
static const struct alias *alias_of(const struct probe *p)
{
	const struct alias *outer = NULL;

	for (const struct probe_decl *d = p->decl; d; d = d->from)
		if (d->alias)
			outer = d->alias;
	return outer;
}

/* Add the variables that aliases set in the body of P. */
static void describe_locals(const struct probe *p, name_vec *out)
{
	for (size_t i = 0; i < p->locals.n; i++) {
		const struct symbol *sym = p->locals.v[i];

		vec_push(out, xprintf("%s:%s", sym->name,
				      sym->type == T_UNKNOWN ? "unknown" : type_name(sym->type)));
	}
}

/* The entry for a site of P, or for P itself if it has no sites. */
static struct described make_entry(const struct session *s, const struct probe *p,
				   const struct site *site)
{
	const struct alias *alias = alias_of(p);
	struct described e = {.pp = alias  ? point_text(alias->name)
				    : site ? site->pp
					   : p->pp,
			      .addr = site && !site->symbol ? site->pc : 0};

	if (s->opt.list != LIST_VARIABLES)
		return e;
	describe_locals(p, &e.vars);
	if (!site)
		describe_kind(p->kind, &e.vars);
	if (!site)
		return e;
	if (p->kind->is_syscall)
		describe_kind(p->kind, &e.vars);
	else if (site->mark)
		describe_mark(site->mark, &e.vars);
	else
		var_describe(site->f, site->pc, site->is_return, &e.vars);
	return e;
}

static int by_pointer(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return x < y ? -1 : x > y;
}

/* The further names of SITE. */
static void collect_names(const struct site *site, text_vec *out)
{
	for (size_t i = 0; site->also && i < site->also->v.n; i++)
		vec_push_large(out, site->also->v.v[i].pp);
}

/* -l: the texts of all sites, each about once. */
static void collect_texts(const struct session *s, described_vec *out)
{
	text_vec texts = {0};

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];
		const char *of_all = alias_of(p) ? make_entry(s, p, NULL).pp : NULL;

		if (!is_asked(p))
			continue;
		for (size_t j = 0; j < p->sites.n && (!of_all || !j); j++) {
			vec_push_large(&texts, of_all ? of_all : p->sites.v[j].pp);
			if (!of_all)
				collect_names(&p->sites.v[j], &texts);
		}
		if (!p->kind->has_sites)
			vec_push_large(&texts, make_entry(s, p, NULL).pp);
	}
	if (texts.n)
		qsort(texts.v, texts.n, sizeof *texts.v, by_pointer);
	for (size_t i = 0; i < texts.n; i++)
		if (!i || texts.v[i] != texts.v[i - 1])
			vec_push(out, ((struct described){.pp = texts.v[i]}));
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_text);
}

/* SITE by each of its names, with the same variables. */
static void collect_site(const struct session *s, const struct probe *p, const struct site *site,
			 described_vec *out)
{
	struct described e = make_entry(s, p, site);
	text_vec names = {0};

	vec_push_large(out, e);
	if (!alias_of(p))
		collect_names(site, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct described other = {.pp = names.v[i], .addr = e.addr};

		for (size_t k = 0; k < e.vars.n; k++)
			vec_push(&other.vars, e.vars.v[k]);
		vec_push_large(out, other);
	}
}

static void collect(const struct session *s, described_vec *out)
{
	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		if (!is_asked(p))
			continue;
		for (size_t j = 0; j < p->sites.n; j++)
			collect_site(s, p, &p->sites.v[j], out);
		if (!p->kind->has_sites)
			vec_push(out, make_entry(s, p, NULL));
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_text);
}

/* Remove the names from A that B does not have. */
static void keep_common(name_vec *a, const name_vec *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (!strcmp(a->v[i], b->v[k])) {
				a->v[n++] = a->v[i];
				break;
			}
	a->n = n;
}

/* One for each text. */
static void merge(described_vec *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (n && (v->v[n - 1].pp == v->v[i].pp || !strcmp(v->v[n - 1].pp, v->v[i].pp)))
			keep_common(&v->v[n - 1].vars, &v->v[i].vars);
		else
			v->v[n++] = v->v[i];
	}
	v->n = n;
}

static void print_entry(const struct described *e, bool with_address)
{
	fputs(printable(e->pp), stdout);
	if (with_address && e->addr)
		printf(" /* pc=%#" PRIx64 " */", e->addr);
	for (size_t i = 0; i < e->vars.n; i++)
		printf(" %s", printable(e->vars.v[i]));
	puts("");
}

void describe_points(struct session *s, described_vec *out) { collect(s, out); }

void print_points(struct session *s)
{
	bool each = verbose && s->opt.list == LIST_VARIABLES;
	described_vec entries = {0};

	if (s->opt.list == LIST_VARIABLES)
		collect(s, &entries);
	else
		collect_texts(s, &entries);
	if (!each)
		merge(&entries);
	for (size_t i = 0; i < entries.n; i++)
		print_entry(&entries.v[i], each);
}
