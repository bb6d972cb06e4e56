/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of --globals: records of the script's globals between a line with the time and one with
 * the number of records, which a file that is not complete lacks. doc/outputs.md describes it.
 * For --reload it is in memory.
 *
 * A set of records is collected until the script says that it is complete. With --interval there
 * are sets while the script runs: each replaces the file as a whole, or, with --globals-mark, goes
 * to standard error.
 */
#include "base/message.h"
#include "base/json_text.h"
#include "base/privilege.h"
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

/* Traced processes of the user runtime can write any number of records. */
enum { MOST_BYTES = 256 << 20, MARKED_BYTES = 2048 };

struct globals_file {
	FILE *f;          /* NULL: sets replace the file */
	const char *path; /* NULL: it is in memory */
	char *next;       /* the name of a set that will replace the file */
	const char *mark; /* begins lines on standard error; NULL */
	struct text set;
	uint64_t lines;
	bool complete; /* the script has written all records of its end */
};

static FILE *open_memory(void)
{
	int fd = memfd_create("ustap-globals", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+e");

	if (!f)
		fail("--reload: %s", strerror(errno));
	return f;
}

static char *next_name(const char *path)
{
	size_t size = strlen(path) + 5;
	char *name = xrealloc(NULL, size);

	snprintf(name, size, "%s.new", path);
	return name;
}

bool globals_open(struct output *o, const struct globals_options *how)
{
	bool replaces = how->interval && !how->mark;
	FILE *f;

	if (!how->path && !how->in_memory)
		return true;
	f = how->in_memory ? open_memory() : output_further_file("--globals", how->path);
	if (!f)
		return false;
	if (replaces) {
		fclose(f);
		f = NULL;
	}
	o->globals = xrealloc(NULL, sizeof *o->globals);
	*o->globals = (struct globals_file){.f = f,
					    .path = how->path,
					    .next = replaces ? next_name(how->path) : NULL,
					    .mark = how->mark};
	return true;
}

/* ------------------------------------------------------------------- one set */

static void begin_set(const struct output *o, struct globals_file *g)
{
	struct timespec now;
	uint64_t time = o->globals_time;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!time)
		time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	g->set.n = 0;
	g->lines = 0;
	text_print(&g->set, "ustap-globals 1 %" PRIu64 "\n", time);
}

void globals_record(struct output *o, const struct ust_rec *rec)
{
	struct globals_file *g = o->globals;
	const char *text = (const char *)(rec + 1);

	if (!g || g->complete)
		return;
	if (!g->set.n)
		begin_set(o, g);
	for (size_t i = 0; i < rec->len; i++)
		g->lines += text[i] == '\n';
	if (g->set.n <= MOST_BYTES)
		text_add(&g->set, text, rec->len);
}

static void end_set(struct globals_file *g) { text_print(&g->set, "end %" PRIu64 "\n", g->lines); }

/* One write for each line, so that other lines on standard error stay whole. */
static void write_marked(const struct globals_file *g, const char *text, size_t n, bool ends)
{
	char line[LONGEST_MARK + MARKED_BYTES + 3];
	int size = snprintf(line, sizeof line, "%s%c%.*s\n", g->mark, ends ? ':' : '+', (int)n,
			    text);

	for (int i = 0; i + 1 < size; i++) /* only forged records contain other characters */
		if (line[i] < ' ' || line[i] > '~')
			line[i] = '?';
	for (int at = 0; at < size;) {
		ssize_t written = write(STDERR_FILENO, line + at, (size_t)(size - at));

		if (written < 0 && errno != EINTR)
			return;
		at += written > 0 ? (int)written : 0;
	}
}

static void mark_set(const struct globals_file *g)
{
	const char *at = g->set.s, *end = at + g->set.n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((newline ? newline : end) - at);
		bool ends = n <= MARKED_BYTES;

		n = ends ? n : MARKED_BYTES;
		write_marked(g, at, n, ends);
		at += n + ends;
	}
}

/* The file is always one whole set. False after a message. */
static bool replace_file(const struct globals_file *g)
{
	FILE *f = output_further_file("--globals", g->next);
	bool ok;

	if (!f)
		return false;
	ok = fwrite(g->set.s, 1, g->set.n, f) == g->set.n;
	if (fclose(f))
		ok = false;
	privilege_suspend();
	ok = ok && !rename(g->next, g->path);
	if (!ok)
		fail("--globals %s: %s", g->path, strerror(errno));
	if (!ok)
		unlink(g->next);
	privilege_resume();
	return ok;
}

/* A set of an interval, if it is WHOLE. */
static void use_set(struct globals_file *g, bool whole)
{
	if (!whole)
		say("--interval: a part of the globals was lost; larger buffers (-s) may help, or "
		    "a longer interval");
	else if (g->mark)
		mark_set(g);
	else if (g->next)
		replace_file(g);
}

void globals_end_record(struct output *o, const struct ust_rec *rec)
{
	struct globals_file *g = o->globals;
	struct ust_globals_end end;
	bool whole;

	if (!g || g->complete || rec->len != sizeof end)
		return;
	memcpy(&end, rec + 1, sizeof end);
	if (!g->set.n)
		begin_set(o, g);
	whole = end.complete && end.lines == g->lines && g->set.n <= MOST_BYTES;
	if (!end.running) {
		g->complete = whole;
		return;
	}
	end_set(g);
	use_set(g, whole);
	g->set.n = 0;
}

/* -------------------------------------------------------------------- the end */

static void free_globals(struct output *o)
{
	struct globals_file *g = o->globals;

	free(g->set.s);
	free(g->next);
	free(g);
	o->globals = NULL;
}

int globals_hand_over(struct output *o)
{
	struct globals_file *g = o->globals;
	int fd = -1;

	if (!g->complete)
		say("--reload: the script did not write all of its globals");
	if (!g->set.n)
		begin_set(o, g);
	end_set(g);
	fwrite(g->set.s, 1, g->set.n, g->f);
	if (!fflush(g->f) && !ferror(g->f))
		fd = fcntl(fileno(g->f), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		fail("--reload: the globals cannot be kept: %s", strerror(errno));
	return fd;
}

static bool close_file(struct globals_file *g)
{
	bool ok;

	if (g->path && g->complete)
		end_set(g);
	if (!g->f)
		return !g->complete || replace_file(g);
	ok = !g->path || fwrite(g->set.s, 1, g->set.n, g->f) == g->set.n;
	if (fclose(g->f))
		ok = false;
	return ok || !g->path || fail("--globals %s: %s", g->path, strerror(errno));
}

bool globals_close(struct output *o)
{
	struct globals_file *g = o->globals;
	bool ok;

	if (!g)
		return true;
	ok = close_file(g);
	if (ok && g->path && !g->complete)
		ok = fail("--globals %s: the script did not write all of its globals", g->path);
	free_globals(o);
	return ok;
}
