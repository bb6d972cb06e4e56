/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of --globals: records of the script's globals between a line with the time and one with
 * the number of records, which a file that is not complete lacks. doc/outputs.md describes it.
 */
#include "base/message.h"
#include "output/output.h"
#include "wire_records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct globals_file {
	FILE *f;
	const char *path;
	uint64_t lines;
	bool complete; /* the script has written all records */
};

bool globals_open(struct output *o, const char *path)
{
	FILE *f;

	if (!path)
		return true;
	f = output_further_file("--globals", path);
	if (!f)
		return false;
	o->globals = xrealloc(NULL, sizeof *o->globals);
	*o->globals = (struct globals_file){.f = f, .path = path};
	return true;
}

static void write_head(const struct output *o, struct globals_file *g)
{
	struct timespec now;
	uint64_t time = o->globals_time;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!time)
		time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	fprintf(g->f, "ustap-globals 1 %" PRIu64 "\n", time);
}

void globals_record(struct output *o, const struct ust_rec *rec)
{
	struct globals_file *g = o->globals;
	const char *text = (const char *)(rec + 1);

	if (!g)
		return;
	if (!rec->len)
		g->complete = true;
	if (!g->lines)
		write_head(o, g);
	for (size_t i = 0; i < rec->len; i++)
		g->lines += text[i] == '\n';
	fwrite(text, 1, rec->len, g->f);
}

bool globals_close(struct output *o, bool lost)
{
	struct globals_file *g = o->globals;
	bool ok = true, failed;

	if (!g)
		return true;
	o->globals = NULL;
	if (g->complete && !lost)
		fprintf(g->f, "end %" PRIu64 "\n", g->lines);
	failed = ferror(g->f);
	if (fclose(g->f))
		failed = true;
	if (failed)
		ok = fail("--globals %s: %s", g->path, strerror(errno));
	else if (!g->complete || lost)
		ok = fail("--globals %s: the script did not write all of its globals", g->path);
	free(g);
	return ok;
}
