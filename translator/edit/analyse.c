/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Analyse: the compiler's passes on a text that need not be right.
 *
 * Declarations that do not parse are left out, and a probe that a pass has found a mistake in is
 * set aside, so that the next passes find those of the others.  Script arguments are not known: "1"
 * stands for each.
 */
#include <string.h>
#include "cli/options.h"
#include "edit.h"
#include "parse/library.h"
#include "sema/sema.h"

/* ------------------------------------------------------------- parse */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static void parse(struct analysis *a, const struct view *v, unsigned flags)
{
	struct session *s = &a->s;

	if (ends_with(v->src->name, ".stpm"))
		a->broken = !parse_macros(s, a->src, &s->macros);
	else
		a->broken = !parse_source(s, a->src);
	a->parsed = a->messages.n;
	for (size_t i = 0; i < s->script.funcs.n; i++)
		s->script.funcs.v[i]->mentioned = flags & ANALYSE_ALL_FUNCTIONS ||
						  !s->script.probes.n;
}

/* Does the first line ask for guru mode, as in `#!/usr/bin/ustap -g'? */
static bool wants_guru(const char *text)
{
	const char *end = text + strcspn(text, "\n");

	for (const char *p = text;
	     text[0] == '#' && text[1] == '!' && (p = strstr(p, " -")) && p < end; p++) {
		size_t n = strcspn(p + 2, " \t\n");

		if (memchr(p + 2, 'g', n) && p[2] != '-')
			return true;
	}
	return false;
}

static void prepare_session(struct analysis *a, const struct view *v, unsigned flags)
{
	static char one[] = "1";
	static char *arguments[] = {one, one, one, one, one, one, one, one, one, one, one, one};
	struct session *s = &a->s;

	*s = *v->base;
	s->opt.argc = (int)ARRAY_LEN(arguments);
	s->opt.argv = arguments;
	s->opt.stop_after = 2;
	s->opt.guru |= wants_guru(a->src->text);
	if (flags & ANALYSE_LIST) {
		s->opt.list = (flags & ANALYSE_VARIABLES) == ANALYSE_VARIABLES ? LIST_VARIABLES
									       : LIST_POINTS;
		s->opt.unoptimized = s->opt.skip_badvars = true;
		diag_set_quiet_warnings(true);
	}
}

/* ------------------------------------------------------- what is set aside */

static bool has_error(const struct analysis *a, size_t from, const struct probe_decl *d)
{
	for (size_t i = from; i < a->messages.n; i++) {
		struct loc at = loc_of_use(a->messages.v[i].loc);

		if (a->messages.v[i].error && at.src == d->loc.src && at.beg >= d->loc.beg &&
		    at.beg <= d->body->loc.end)
			return true;
	}
	return false;
}

static const struct probe_decl *root_of(const struct probe_decl *d)
{
	while (d->from)
		d = d->from;
	return d;
}

/* Leave out probes with errors from number FROM on; how many there were. */
static size_t leave_out(struct analysis *a, size_t from)
{
	struct script *script = &a->s.script;
	struct program *program = &a->s.program;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < program->probes.n; i++)
		if (!program->probes.v[i]->decl ||
		    !has_error(a, from, root_of(program->probes.v[i]->decl)))
			program->probes.v[n++] = program->probes.v[i];
	program->probes.n = n;
	for (size_t i = 0; i < script->probes.n; i++)
		if (!has_error(a, from, script->probes.v[i]))
			script->probes.v[kept++] = script->probes.v[i];
	n = script->probes.n - kept;
	script->probes.n = kept;
	return n;
}

static bool any_error(const struct analysis *a, size_t from)
{
	for (size_t i = from; i < a->messages.n; i++)
		if (a->messages.v[i].error)
			return true;
	return false;
}

/* ------------------------------------------------------------- the passes */

/* Analyse only the functions of a text that has no probes, or none that could be resolved. Messages
 * of the pass "resolve" begin with number FROM: names that it did not find have no symbol. */
static void analyse_functions(struct analysis *a, bool resolved, size_t from)
{
	if (!resolved)
		pass_resolve(&a->s);
	if (!any_error(a, from))
		infer_types(&a->s);
}

/* After a pass whose messages begin with number BEFORE: false if there is an error that is of no
 * probe. */
static bool mend(struct analysis *a, const struct pass *p, size_t before)
{
	if (p->run == pass_parse || !any_error(a, before))
		return true;
	if (!a->broken)
		a->parsed = a->messages.n;
	a->broken = true;
	return leave_out(a, before);
}

void view_analyse(const struct view *v, const char *text, unsigned flags, const char *last,
		  struct analysis *a)
{
	bool resolved = false;
	size_t from = 0;

	*a = (struct analysis){.src = text ? source_new(v->src->name, text, strlen(text)) : v->src};
	((struct source *)a->src)->library = v->src->library;
	prepare_session(a, v, flags);
	library_again();
	diag_keep(&a->messages);
	for (const struct pass *p = passes; p->name && p->number <= 2; p++) {
		size_t before = a->messages.n;

		/* a body of an alias stays when a probe that uses it is set aside */
		if (p->run == pass_types && !names_are_resolved(&a->s))
			return;
		if (p->run == pass_parse)
			parse(a, v, flags);
		else if (!a->s.script.probes.n)
			break;
		else if (p->run != pass_prune || !(flags & ANALYSE_ALL_FUNCTIONS))
			p->run(&a->s);
		if (p->run == pass_resolve) {
			resolved = true;
			from = before;
		}
		if (!mend(a, p, before) || !strcmp(p->name, last))
			return;
	}
	if (!a->s.script.probes.n)
		analyse_functions(a, resolved, resolved ? from : a->messages.n);
}

/* ------------------------------------------------------------- other texts */

static void blank(char *text, size_t beg, size_t end)
{
	for (size_t i = beg; i < end; i++)
		if (text[i] != '\n')
			text[i] = ' ';
}

const char *text_with_probe(const struct view *v, const char *points, const char *body)
{
	char *text = xstrndup(v->src->text, v->src->len);

	for (size_t i = 0; i < v->parts.n; i++) {
		const struct part *p = &v->parts.v[i];

		if (p->last > p->first &&
		    (p->kind == PART_PROBE || (p->kind != PART_GLOBAL && !p->closed)))
			blank(text, v->words.v[p->first].loc.beg, v->words.v[p->last - 1].loc.end);
	}
	return xprintf("%s\nprobe %s { %s }\n", text, points, body);
}

const char *part_points(const struct view *v, const struct part *p)
{
	if (!p || (p->kind != PART_PROBE && p->kind != PART_ALIAS) || p->head >= p->head_end)
		return NULL;
	return words_text(v, p->head, p->head_end);
}
