/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hit counts of handlers, from records that the script writes at its end: one line for each handler
 * that ran, in the script's output with -t, and in the file of --counts for programs:
 *
 *   INDEX HITS SUM MIN MAX INDEX among the sites, then the other probes; the rest in cycles,
 *                               0: not measured
 */
#include "output/output_format.h"
#include "base/message.h"
#include "output/hits.h"
#include "output/metrics.h"
#include "output/output.h"
#include "report/report.h"
#include "wire_records.h"

#include <stdbool.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

bool counts_open(struct output *o, const char *path)
{
	if (path)
		o->counts = output_further_file("--counts", path);
	return !path || o->counts;
}

bool counts_close(struct output *o)
{
	FILE *f = o->counts;
	bool ok = !f || (!ferror(f) & !fclose(f));

	o->counts = NULL;
	return ok || fail("--counts: %s", strerror(errno));
}

/* Shared memory of the user runtime may contain any bytes. */
static bool texts_of(const char *text, size_t len, const char **pp, const char **origin)
{
	size_t n = strnlen(text, len);

	if (n == len || text[len - 1])
		return false;
	*pp = text;
	*origin = n + 1 < len ? text + n + 1 : "";
	return true;
}

static void print_line(struct output *o, const struct ust_count *c, const char *pp,
		       const char *origin)
{
	size_t place = strcspn(origin, ","), size = strlen(pp) + strlen(origin) + 256;
	char *line = xrealloc(NULL, size);

	if (!o->reported)
		output_text(o, "----- probe hit report:\n");
	o->reported = true;
	snprintf(line, size,
		 "%s, (%.*s), hits: %llu, cycles: %llumin/%lluavg/%llumax%s, index: %u\n", pp,
		 (int)place, origin, (ull)c->hits, (ull)c->min, (ull)(c->sum / c->hits),
		 (ull)c->max, origin + place, c->index);
	output_text(o, line);
	free(line);
}

void counts_record(struct output *o, const struct ust_rec *rec)
{
	const char *text = (const char *)(rec + 1), *pp, *origin;
	struct ust_count c;

	if (rec->len <= sizeof c || !texts_of(text + sizeof c, rec->len - sizeof c, &pp, &origin))
		return;
	memcpy(&c, text, sizeof c);
	if (c.flags & UST_COUNT_VIEW && o->metrics) {
		metrics_count(o->metrics, &c, pp, origin);
		return;
	}
	if (c.flags & UST_COUNT_VIEW && o->format->count) {
		o->format->count(o, &c, pp, origin);
		return;
	}
	if (c.flags & UST_COUNT_VIEW) {
		if (o->view)
			monitor_count(o->view, &c, pp);
		return;
	}
	if (o->told)
		hits_add(o->told, &c, pp, origin);
	if (o->counts && c.hits)
		fprintf(o->counts, "%u %llu %llu %llu %llu\n", c.index, (ull)c.hits, (ull)c.sum,
			(ull)c.min, (ull)c.max);
	if (o->format->count)
		o->format->count(o, &c, pp, origin);
	else if (c.flags & UST_COUNT_TIMES && c.hits && !o->view && format_is_text(o->format))
		print_line(o, &c, pp, origin);
}
