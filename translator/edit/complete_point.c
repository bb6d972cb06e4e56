/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete a probe point: its words by the patterns that the passes match it with, the strings in
 * it by what -l lists for them with a `*` behind.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "dwarf/code_locations.h"
#include "edit.h"
#include "base/kernel_target.h"
#include "base/subprocess.h"
#include "sema/points/point.h"

#define MAX_OFFERED 1000

/* Where the point that the cursor is in begins, and the word at the cursor: [first, here). */
struct spelled {
	size_t first, here;
	bool in_string;
};

/* ------------------------------------------------------------- the point so far */

/* The word that the cursor is in or behind; else the one after it. */
static size_t word_here(const struct completion *c)
{
	size_t i = view_word_at(c->v, c->at);

	if (i < c->v->words.n && c->v->words.v[i].loc.beg < c->at &&
	    c->v->words.v[i].kind != WORD_MARK)
		return i;
	return view_word_after(c->v, c->at);
}

static struct spelled spelled_at(const struct completion *c, const struct part *p)
{
	const struct view *v = c->v;
	struct spelled s = {.first = p->first + 1, .here = word_here(c)};
	int depth = 0;

	for (size_t i = p->first + 1; i < s.here; i++) {
		depth += view_word_is(v, i, "(");
		depth -= view_word_is(v, i, ")");
		if (!depth && (view_word_is(v, i, ",") || view_word_is(v, i, "=") ||
			       view_word_is(v, i, "+=") || view_word_is(v, i, "{") ||
			       view_word_is(v, i, "private")))
			s.first = i + 1;
	}
	if (s.here < v->words.n) {
		const struct lexeme *w = &v->words.v[s.here];

		s.in_string = *w->text == '"' && w->loc.beg < c->at &&
			      (w->kind == WORD_BROKEN || c->at < w->loc.end);
	}
	return s;
}

/* Is the cursor in the condition of a point? */
static bool in_condition(const struct view *v, const struct spelled *s)
{
	for (size_t i = s->first; i < s->here; i++)
		if (view_word_is(v, i, "if") && !(i && view_word_is(v, i - 1, ".")))
			return true;
	return false;
}

static struct node *argument(const struct view *v, size_t word)
{
	const struct lexeme *w = &v->words.v[word];
	struct node *n = node_new(w->kind == WORD_NUMBER ? N_NUM : N_STR, w->loc);

	if (w->kind == WORD_NUMBER) {
		n->num = strtoll(w->text, NULL, 0);
	} else {
		n->str.len = strlen(w->text) >= 2 ? strlen(w->text) - 2 : 0;
		n->str.s = xstrndup(w->text + 1, n->str.len);
	}
	return n;
}

/* The words [FIRST, LAST) as a point. */
static struct point *point_of(const struct view *v, size_t first, size_t last)
{
	struct point *pt = xalloc(sizeof *pt);

	for (size_t i = first; i < last; i++) {
		struct point_comp comp = {.name = v->words.v[i].text, .loc = v->words.v[i].loc};

		if (v->words.v[i].kind != WORD_NAME)
			continue;
		if (i + 2 < last && view_word_is(v, i + 1, "("))
			comp.arg = argument(v, i + 2);
		vec_push(&pt->comps, comp);
	}
	return pt;
}

/* ------------------------------------------------------------- words */

static const char *form_of(const char *form, bool snippets, const char **insert)
{
	const char *p = form;
	struct point_want w;
	const char *name;

	point_want_next(&p, &w);
	name = xstrndup(w.name, w.len);
	*insert = name;
	if (!w.arg || w.arg == 'p' || w.arg_optional)
		return name;
	*insert = w.arg == 'n' ? xprintf(snippets ? "%s($1)" : "%s(", name)
			       : xprintf(snippets ? "%s(\"$1\")" : "%s(\"", name);
	return xprintf(w.arg == 'n' ? "%s(N)" : "%s(\"...\")", name);
}

static void add_form(struct completion *c, const char *label, const char *insert)
{
	struct offer o = {.kind = OFFER_EVENT,
			  .label = label,
			  .insert = insert,
			  .detail = "probe point",
			  .snippet = c->v->snippets && strchr(insert, '(')};

	c->add(c, &o);
}

static void complete_word(struct completion *c, const struct spelled *s)
{
	const struct point *pt = point_of(c->v, s->first, s->here);
	bool snippets = c->v->snippets;
	name_vec forms = {0};
	struct analysis a;

	view_analyse(c->v, NULL, 0, "parse", &a);
	point_continuations(&a.s, pt, &forms);
	for (size_t i = 0; i < forms.n; i++) {
		const char *insert, *label = form_of(forms.v[i], snippets, &insert);

		add_form(c, label, insert);
		if (strstr(forms.v[i], "(p)"))
			add_form(c, xprintf("%s(\"...\")", label),
				 xprintf(snippets ? "%s(\"$1\")" : "%s(\"", label));
	}
}

/* ------------------------------------------------------------- files */

static void add_entry(struct completion *c, const char *dir, const char *name, const char *shown)
{
	struct stat st;
	const char *path = xprintf("%s/%s", dir, name);

	if (stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode))
		completion_add(c, OFFER_FOLDER, xprintf("%s/", shown), NULL, NULL);
	else if (S_ISREG(st.st_mode) && (!access(path, X_OK) || strstr(name, ".so")))
		completion_add(c, OFFER_FILE, shown, NULL, NULL);
}

static void add_directory(struct completion *c, const char *dir, const char *before,
			  const char *typed)
{
	DIR *d = opendir(*dir ? dir : "/");
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, typed, strlen(typed)) ||
		    (e->d_name[0] == '.' && *typed != '.'))
			continue;
		if (n++ == MAX_OFFERED) {
			c->more = true;
			break;
		}
		add_entry(c, dir, e->d_name, xprintf("%s%s", before, e->d_name));
	}
	if (d)
		closedir(d);
}

static void complete_file(struct completion *c, const char *typed)
{
	const char *slash = strrchr(typed, '/'), *path = getenv("PATH");

	c->more = true; /* the next letters may name another directory */
	if (slash) {
		add_directory(c, xstrndup(typed, (size_t)(slash - typed)),
			      xstrndup(typed, (size_t)(slash - typed) + 1), slash + 1);
		return;
	}
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		if (n)
			add_directory(c, xstrndup(path, n), "", typed);
	}
}

static void complete_library(struct completion *c, const struct point *pt, const char *typed)
{
	const struct point_comp *program = point_comp(pt, "process");
	const char *path = program && program->arg && program->arg->kind == N_STR
				   ? find_in_path(program->arg->str.s)
				   : NULL;
	struct module *m = path ? module_get(path, (struct loc){0}) : NULL;
	name_vec paths = {0};

	if (m)
		module_libraries(m, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		const char *slash = strrchr(paths.v[i], '/');

		completion_add(c, OFFER_MODULE, slash ? slash + 1 : paths.v[i], paths.v[i], NULL);
	}
	if (strchr(typed, '/'))
		complete_file(c, typed);
}

/* ------------------------------------------------------------- what is in a file */

/* The text in the probe point PP that corresponds to WORD, up to an `@`; NULL if nothing does. */
static const char *argument_in(const char *pp, const char *word)
{
	const char *at = strstr(pp, xprintf(".%s(\"", word));
	size_t n;

	if (!at)
		return NULL;
	at += strlen(word) + 3;
	n = strcspn(at, "\"@");
	return n ? xstrndup(at, n) : NULL;
}

static const char *place_text(const struct site *site)
{
	const struct function *f = site->f;
	const char *file = f->file ? strrchr(f->file, '/') : NULL;

	if (site->mark)
		return xprintf("%s.%s", site->mark->provider, site->mark->name);
	return f->file ? xprintf("%s, %s:%d", f->name, file ? file + 1 : f->file, f->line)
		       : f->name;
}

/* PREFIX is put in front of each name. */
static void add_sites(struct completion *c, const struct analysis *a, const char *word,
		      const char *prefix)
{
	struct smap seen = {0};

	for (size_t i = 0; i < a->s.program.probes.n; i++) {
		const struct probe *p = a->s.program.probes.v[i];

		for (size_t k = 0; k < p->sites.n && !c->more; k++) {
			const struct site *site = &p->sites.v[k];
			const char *name = argument_in(site->pp, word);

			if (!name && site->mark)
				name = strcmp(word, "provider") ? site->mark->name
								: site->mark->provider;
			if (!name || smap_get(&seen, name))
				continue;
			smap_put(&seen, name, (void *)name);
			completion_add(c, OFFER_FUNCTION,
				       strchr(name, ':') ? name : xprintf("%s%s", prefix, name),
				       place_text(site), NULL);
			c->more = seen.ents.n == MAX_OFFERED;
		}
	}
}

/* BEFORE is the point up to WORD, whose string begins with TYPED. */
static void complete_listed(struct completion *c, const char *before, const char *word,
			    const char *typed)
{
	bool statement = !strcmp(word, "statement"), provider = !strcmp(word, "provider");
	const char *asked = statement ? "function" : word,
		   *colon = strncmp(word, "trace", 5) ? NULL : strchr(typed, ':');
	struct analysis a;

	if (strpbrk(typed, "*?[@\\"))
		return;
	view_analyse(c->v,
		     text_with_probe(c->v,
				     xprintf("%s%s(\"%s*\")%s", before, asked, typed,
					     provider ? ".mark(\"*\")" : ""),
				     ""),
		     ANALYSE_LIST, "points", &a);
	add_sites(c, &a, asked, colon ? xstrndup(typed, (size_t)(colon - typed) + 1) : "");
}

/* ------------------------------------------------------------- what the kernel has */

static void complete_module(struct completion *c, const char *typed)
{
	struct kernel_target kernel = kernel_target(c->v->base->opt.release);
	name_vec names = {0};

	kernel_select(kernel.release, kernel.build);
	if (!is_glob(typed))
		kmodule_names(xprintf("%s*", typed), &names);
	for (size_t i = 0; i < names.n && i < MAX_OFFERED; i++)
		completion_add(c, OFFER_MODULE, names.v[i], "module", NULL);
	c->more = names.n > MAX_OFFERED;
}

static void complete_netfilter(struct completion *c, const char *word)
{
	name_vec names = {0};

	netfilter_names(word, &names);
	for (size_t i = 0; i < names.n; i++)
		completion_add(c, OFFER_MODULE, names.v[i], word, NULL);
}

/* kprobe.function() takes what kernel.function() takes, and more that cannot be listed. */
static const char *by_name(const char *before)
{
	if (strncmp(before, "kprobe.", 7))
		return before;
	return strncmp(before, "kprobe.module", 13) ? xprintf("kernel.%s", before + 7) : before + 7;
}

static void complete_string(struct completion *c, const struct spelled *s)
{
	const struct view *v = c->v;
	const char *word, *typed, *before;

	if (s->here < s->first + 2 || !view_word_is(v, s->here - 1, "("))
		return;
	word = v->words.v[s->here - 2].text;
	c->from = v->words.v[s->here].loc.beg + 1;
	typed = xstrndup(v->src->text + c->from, c->at - c->from);
	before = words_text(v, s->first, s->here - 2);
	if (!strcmp(word, "process"))
		complete_file(c, typed);
	else if (!strcmp(word, "library"))
		complete_library(c, point_of(v, s->first, s->here - 2), typed);
	else if (!strcmp(word, "module"))
		complete_module(c, typed);
	else if (!strncmp(before, "netfilter.", 10))
		complete_netfilter(c, word);
	else
		complete_listed(c, by_name(before), word, typed);
}

bool complete_point(struct completion *c, const struct part *p)
{
	struct spelled s = spelled_at(c, p);

	if (in_condition(c->v, &s))
		return false;
	if (s.in_string)
		complete_string(c, &s);
	else if (!s.here || !view_word_is(c->v, s.here - 1, "("))
		complete_word(c, &s);
	return true;
}
