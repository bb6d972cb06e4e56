/* SPDX-License-Identifier: GPL-2.0-or-later */
/* List: what there is to write scripts with: --dump-probe-types and its like. */
#include <stdlib.h>
#include <string.h>
#include "ustap.h"

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The pattern of a family as stap writes it: "process(string).function(number)". */
static const char *readable(const char *pattern)
{
	struct strbuf sb = {0};

	for (const char *p = pattern; *p; p++) {
		if (!strncmp(p, "(s)", 3))
			sb_add(&sb, "(string)"), p += 2;
		else if (!strncmp(p, "(n)", 3))
			sb_add(&sb, "(number)"), p += 2;
		else if (!strncmp(p, "(n?)", 4))
			sb_add(&sb, "(number)"), p += 3;
		else
			sb_addn(&sb, p, 1);
	}
	return sb.s;
}

/* A pattern with an optional number also stands without it. */
static const char *without_number(const char *pattern)
{
	const char *p = strstr(pattern, "(n?)");

	return p ? xprintf("%.*s%s", (int)(p - pattern), pattern, p + 4) : NULL;
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
		if (without_number(k->pattern))
			vec_push(&names, readable(without_number(k->pattern)));
		vec_push(&names, readable(k->pattern));
	}
	print_sorted(&names);
}

void print_list(struct session *s)
{
	list_probe_types(s);
}
