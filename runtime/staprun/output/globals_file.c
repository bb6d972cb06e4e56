/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of --globals: records of the script's globals between a line with the time and one with
 * the number of records, which a file that is not complete lacks. doc/outputs.md describes it.
 * For --reload it is in memory.
 */
#include "base/message.h"
#include "output/output.h"
#include "wire_records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct globals_file {
	FILE *f;
	const char *path; /* NULL: it is in memory */
	uint64_t lines;
	bool complete; /* the script has written all records */
};

static FILE *open_memory(void)
{
	int fd = memfd_create("ustap-globals", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+e");

	if (!f)
		fail("--reload: %s", strerror(errno));
	return f;
}

bool globals_open(struct output *o, const char *path, bool in_memory)
{
	FILE *f;

	if (!path && !in_memory)
		return true;
	f = in_memory ? open_memory() : output_further_file("--globals", path);
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

static void write_end(const struct globals_file *g)
{
	fprintf(g->f, "end %" PRIu64 "\n", g->lines);
}

int globals_hand_over(struct output *o, bool lost)
{
	struct globals_file *g = o->globals;
	int fd = -1;

	if (!g->complete || lost)
		say("--reload: the script did not write all of its globals");
	write_end(g);
	if (!fflush(g->f) && !ferror(g->f))
		fd = fcntl(fileno(g->f), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		fail("--reload: the globals cannot be kept: %s", strerror(errno));
	return fd;
}

bool globals_close(struct output *o, bool lost)
{
	struct globals_file *g = o->globals;
	bool ok = true, failed;

	if (!g)
		return true;
	o->globals = NULL;
	if (!g->path) {
		fclose(g->f);
		free(g);
		return true;
	}
	if (g->complete && !lost)
		write_end(g);
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
