/* SPDX-License-Identifier: GPL-2.0-or-later */
/* List: what there is to write scripts with: --dump-probe-types and its like. */
#include <stdlib.h>
#include <string.h>
#include "ustap.h"

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* What may stand for an argument of a pattern; alternatives as in point.c. */
static const struct { const char *in_pattern; const char *shown[3]; } arguments[] = {
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
			expand(xprintf("%s%.*s%s", before, (int)n, pattern, arguments[i].shown[j]), p + len, out);
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

	for (size_t i = 0; probe_kinds[i]; i++) {
		const struct probe_kind *k = probe_kinds[i];

		if (s->opt.runtime != RT_AUTO && k->lacking & 1u << s->opt.runtime)
			continue;
		expand("", k->pattern, &names);
	}
	print_sorted(&names);
}

void print_list(struct session *s)
{
	list_probe_types(s);
}
