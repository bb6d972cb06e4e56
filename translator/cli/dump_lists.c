/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of probe types, functions and aliases: --dump-probe-types and similar options. */
#include <stdlib.h>
#include <string.h>
#include "parse/library.h"
#include "passes.h"
#include "sema/sema.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Placeholders for arguments in printed probe types; alternatives as in point.c. */
static const struct {
	const char *in_pattern;
	const char *shown[3];
} arguments[] = {
	{"(s)", {"(string)"}},
	{"(n)", {"(number)"}},
	{"(n?)", {"(number)", ""}},
	{"(p)", {"(string)", "(number)", ""}},
};

/* Add to OUT all that PATTERN stands for, after the text BEFORE. */
static void expand(const char *before, const char *pattern, name_vec *out)
{
	static const char library[] = ".library(l)";
	const char *p = strchr(pattern, '(');
	size_t n;

	if (!p) {
		vec_push(out, xprintf("%s%s", before, pattern));
		return;
	}
	n = (size_t)(p - pattern);
	if (n + 3 >= strlen(library) && !strncmp(p - 8, library, strlen(library))) {
		expand(xprintf("%s%.*s", before, (int)n - 8, pattern), p + 3, out);
		expand(xprintf("%s%.*s(string)", before, (int)n, pattern), p + 3, out);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
		size_t len = strlen(arguments[i].in_pattern);

		if (strncmp(p, arguments[i].in_pattern, len))
			continue;
		for (size_t j = 0; j < ARRAY_LEN(arguments[i].shown) && arguments[i].shown[j]; j++)
			expand(xprintf("%s%.*s%s", before, (int)n, pattern, arguments[i].shown[j]),
			       p + len, out);
	}
}

static void print_sorted(name_vec *names)
{
	qsort(names->v, names->n, sizeof *names->v, by_text);
	for (size_t i = 0; i < names->n; i++)
		if (!i || strcmp(names->v[i - 1], names->v[i]))
			puts(names->v[i]);
}

static void list_probe_types(const struct session *s)
{
	name_vec names = {0};

	for_each_probe_kind(k)
	{
		if (name_is_internal(k->pattern))
			continue;
		if (s->opt.runtime != RT_AUTO && k->lacking & 1u << s->opt.runtime)
			continue;
		expand("", k->pattern, &names);
	}
	print_sorted(&names);
}

/* ---------------------------------------------------------- tapset library */

static void list_aliases(struct session *s)
{
	name_vec lines = {0};

	load_library_all(s);
	for (size_t i = 0; i < s->script.aliases.n; i++) {
		const struct alias *a = s->script.aliases.v[i];
		struct strbuf sb = {0};

		sb_printf(&sb, "%s = ", point_text(a->name));
		for (size_t j = 0; j < a->points.n; j++)
			sb_printf(&sb, "%s%s", j ? ", " : "", point_text(a->points.v[j]));
		vec_push(&lines, sb.s);
	}
	print_sorted(&lines);
}

static const char *shown_type(enum type t) { return t == T_UNKNOWN ? "unknown" : type_name(t); }

static const char *function_line(const struct func *f)
{
	struct strbuf sb = {0};

	sb_printf(&sb, "%s:%s (", f->name, shown_type(f->type));
	for (size_t i = 0; i < f->params.n; i++)
		sb_printf(&sb, "%s%s:%s", i ? ", " : "", f->params.v[i]->name,
			  shown_type(f->params.v[i]->type));
	sb_add(&sb, ")");
	return sb.s;
}

/* The runtime's own have no names for their arguments. */
static const char *builtin_line(const struct builtin *b)
{
	struct strbuf sb = {0};

	sb_printf(&sb, "%s:%s (", b->name, shown_type(b->ret));
	for (int i = 0; i < b->nargs; i++)
		sb_printf(&sb, "%sarg%d:%s", i ? ", " : "", i + 1, shown_type(b->args[i]));
	sb_add(&sb, ")");
	return sb.s;
}

/* Names that begin with __ are the library's own. */
static void list_functions(struct session *s)
{
	name_vec lines = {0}, names = {0};

	load_library_all(s);
	for (size_t i = 0; i < s->script.funcs.n; i++)
		s->script.funcs.v[i]->mentioned = true;
	pass_resolve(s);
	infer_types(s);
	builtin_names(&names);
	for (size_t i = 0; i < names.n; i++)
		vec_push(&lines, builtin_line(builtin_find(names.v[i])));
	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (strncmp(s->script.funcs.v[i]->name, "__", 2))
			vec_push(&lines, function_line(s->script.funcs.v[i]));
	print_sorted(&lines);
}

void print_list(struct session *s)
{
	if (s->opt.list == LIST_PROBE_TYPES)
		list_probe_types(s);
	else if (s->opt.list == LIST_ALIASES)
		list_aliases(s);
	else
		list_functions(s);
}
