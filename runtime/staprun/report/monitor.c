/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --monitor: shows the script's globals and hit counts every few seconds. A command requests them
 * from the script; the reply comes with the other records and is shown when it is complete: on a
 * terminal in place of the previous one, else as a block of text.
 */
#include "base/message.h"
#include "report/report.h"
#include "session/session_ops.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
	struct ust_count count;
	char *pp;
};

struct view {
	const struct session *session;
	const char *name; /* of the script; NULL: that of the session */
	uint64_t begun;   /* ns */
	bool terminal;
	char *text; /* text about globals */
	size_t len;
	struct row *rows;
	size_t nrows;
};

struct view *monitor_new(const struct session *s, const char *name)
{
	struct view *v = xrealloc(NULL, sizeof *v);

	*v = (struct view){
		.session = s, .name = name, .begun = clock_ns(), .terminal = isatty(STDOUT_FILENO)};
	return v;
}

static void forget(struct view *v)
{
	for (size_t i = 0; i < v->nrows; i++)
		free(v->rows[i].pp);
	v->nrows = v->len = 0;
}

void monitor_free(struct view *v)
{
	if (!v)
		return;
	forget(v);
	free(v->rows);
	free(v->text);
	free(v);
}

void monitor_count(struct view *v, const struct ust_count *c, const char *pp)
{
	v->rows = xrealloc(v->rows, (v->nrows + 1) * sizeof *v->rows);
	v->rows[v->nrows++] = (struct row){*c, xstrndup(pp, strlen(pp))};
}

/* Most hits first. */
static int by_hits(const void *a, const void *b)
{
	const struct ust_count *c = &((const struct row *)a)->count,
			       *d = &((const struct row *)b)->count;

	if (c->hits != d->hits)
		return c->hits > d->hits ? -1 : 1;
	return c->index < d->index ? -1 : c->index > d->index;
}

static void print_rows(FILE *to, struct view *v)
{
	typedef unsigned long long ull;

	qsort(v->rows, v->nrows, sizeof *v->rows, by_hits);
	fprintf(to, "%8s %12s %10s %10s %10s  probe\n", "index", "hits", "min", "avg", "max");
	for (size_t i = 0; i < v->nrows; i++) {
		const struct ust_count *c = &v->rows[i].count;

		fprintf(to, "%8u %12llu %10llu %10llu %10llu  %s\n", c->index, (ull)c->hits,
			(ull)c->min, (ull)(c->hits ? c->sum / c->hits : 0), (ull)c->max,
			v->rows[i].pp);
	}
}

static void print_head(FILE *to, const struct view *v)
{
	unsigned long long up = (clock_ns() - v->begun + 500000000) / 1000000000;

	fprintf(to, "%s----- %s, uptime %02llu:%02llu:%02llu, user %u\n",
		v->terminal ? "\033[H\033[2J" : "", v->name ? v->name : v->session->name, up / 3600,
		up / 60 % 60, up % 60, (unsigned)getuid());
}

static void show(struct view *v)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	print_head(to, v);
	if (v->len)
		fprintf(to, "globals\n%.*s", (int)v->len, v->text);
	if (v->nrows)
		print_rows(to, v);
	fputs("-----\n", to);
	if (!fclose(to) && size && write(STDOUT_FILENO, text, size) < 0)
		say("--monitor: cannot write to standard output");
	free(text);
}

void monitor_text(struct view *v, const char *text, size_t len)
{
	if (!len) {
		show(v);
		forget(v);
		return;
	}
	if (v->len + len > UST_REC_MAX)
		return;
	v->text = xrealloc(v->text, v->len + len);
	memcpy(v->text + v->len, text, len);
	v->len += len;
}
