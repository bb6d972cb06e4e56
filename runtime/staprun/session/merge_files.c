/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge: files of globals, which other runs of the script have written, are read into this one.
 * And --reload: the records of a script that another one replaces.
 *
 * The files come from other machines. Each is read twice: all of its lines are checked before the
 * first one has an effect, so a file with a bad record changes nothing. The oldest file is merged
 * first, so that the newest values are kept.
 */
#include "base/message.h"
#include "options.h"
#include "session/session_ops.h"
#include "wire_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE = 256 << 10 };

struct globals_input {
	const char *path, *name;
	uint64_t time; /* ns since 1970 at which the run ended */
};

struct merging {
	struct session *s;
	struct globals_input *inputs;
	size_t n;
	const char *full; /* the last message about a value that does not fit */
	char line[LONGEST_LINE];
};

static bool refuse(struct merging *m, const struct globals_input *in, uint64_t line,
		   const char *why)
{
	m->s->merge_incomplete = true;
	if (line)
		say("%s: line %" PRIu64 ": %s", in->name, line, why);
	else
		say("%s: %s", in->name, why);
	return hint("the globals of %s are not merged", in->name);
}

/* Read a line without its newline; false: it is missing, too long, incomplete or has a NUL. */
static bool read_line(struct merging *m, FILE *f)
{
	size_t n;

	if (!fgets(m->line, sizeof m->line, f))
		return false;
	n = strlen(m->line);
	if (!n || m->line[n - 1] != '\n')
		return false;
	m->line[n - 1] = 0;
	return true;
}

/* The number behind START, which is the rest of the line. */
static bool number_behind(const char *line, const char *start, uint64_t *n)
{
	size_t skip = strlen(start);
	char *end;

	if (strncmp(line, start, skip) != 0 || line[skip] < '0' || line[skip] > '9')
		return false;
	errno = 0;
	*n = strtoull(line + skip, &end, 10);
	return !*end && !errno;
}

static bool read_head(struct merging *m, struct globals_input *in, FILE *f)
{
	return (read_line(m, f) && number_behind(m->line, "ustap-globals 1 ", &in->time)) ||
	       refuse(m, in, 0, "this is not a file of --globals");
}

/* False after a message. */
static bool take_line(struct merging *m, const struct globals_input *in, uint64_t number,
		      enum ust_merge_op op)
{
	const char *why = "";

	switch (m->s->kind->merge(m->s, op, m->line, &why)) {
	case 0:
		return true;
	case UST_MERGE_FULL:
		m->s->merge_incomplete = true;
		if (why != m->full)
			say("%s: %s", in->name, why);
		m->full = why;
		return true;
	case UST_MERGE_REPLACED:
		warning("\"%s\" differs between hosts: the newest value is kept", why);
		return true;
	default:
		return refuse(m, in, number, why);
	}
}

static bool read_records(struct merging *m, const struct globals_input *in, FILE *f,
			 enum ust_merge_op op)
{
	uint64_t records = 0, said;

	for (;; records++) {
		if (!read_line(m, f))
			return refuse(m, in, records + 2,
				      "the file is incomplete, or the line is too long");
		if (number_behind(m->line, "end ", &said))
			break;
		if (!take_line(m, in, records + 2, op))
			return false;
	}
	return (said == records && fgetc(f) == EOF) ||
	       refuse(m, in, records + 2, "the number of records is wrong");
}

static bool read_file(struct merging *m, struct globals_input *in, enum ust_merge_op op)
{
	FILE *f = fopen(in->path, "re");
	const char *why;
	bool ok;

	if (!f)
		return refuse(m, in, 0, strerror(errno));
	m->s->kind->merge(m->s, UST_MERGE_OPEN, m->line, &why);
	ok = read_head(m, in, f) && read_records(m, in, f, op);
	fclose(f);
	return ok;
}

static int by_time(const void *a, const void *b)
{
	const struct globals_input *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void add_checked(struct merging *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct globals_input in = {.path = path, .name = slash ? slash + 1 : path};

	if (read_file(m, &in, UST_MERGE_CHECK))
		m->inputs[m->n++] = in;
}

/* ------------------------------------------------------------------ --reload */

/* The name in a line "global NAME ...", "" in others. */
static void global_name(const char *line, char *name, size_t size)
{
	*name = 0;
	if (!strncmp(line, "global ", 7))
		snprintf(name, size, "%.*s", (int)strcspn(line + 7, " "), line + 7);
}

/* Take a line about the global NAME; a global that is not taken over is reported once. */
static void reload_line(struct merging *m, const char *name, bool *reported)
{
	const char *why = "";

	switch (m->s->kind->merge(m->s, UST_MERGE_RELOAD, m->line, &why)) {
	case 0:
	case UST_MERGE_REPLACED:
		return;
	case UST_MERGE_ABSENT:
		why = "the new script does not declare it, or differently";
		break;
	case UST_MERGE_FULL:
		why = "it does not have room for all elements";
		m->s->merge_incomplete = true;
		break;
	default:
		m->s->merge_incomplete = true;
	}
	if (!*reported)
		say("--reload: \"%s\" does not keep its value: %s", name, why);
	*reported = true;
}

/* Behind the first line, which has the time, and up to the one with the number of records. */
static bool reload_lines(struct merging *m, FILE *f)
{
	char name[128] = "", next[sizeof name];
	bool reported = false;
	uint64_t number;

	while (read_line(m, f) && !number_behind(m->line, "end ", &number)) {
		global_name(m->line, next, sizeof next);
		if (*next) {
			memcpy(name, next, sizeof name);
			reported = false;
		}
		reload_line(m, name, &reported);
	}
	return number_behind(m->line, "end ", &number);
}

bool reload_set_up(struct session *s, const struct options *o)
{
	int fd = o->reloaded.globals ? fcntl(o->reloaded.globals, F_DUPFD_CLOEXEC, 3) : -1;
	FILE *f = fd >= 0 && !lseek(fd, 0, SEEK_SET) ? fdopen(fd, "re") : NULL;
	struct merging *m;
	const char *why;

	if (s->kind->merge(s, UST_MERGE_SEND, NULL, &why)) {
		say("%s: the script was built without --reload", o->module);
		return hint("build it with: ustap --reload -p4 SCRIPT");
	}
	if (!f)
		return true;
	m = xrealloc(NULL, sizeof *m);
	*m = (struct merging){.s = s};
	if (!read_line(m, f) || !reload_lines(m, f)) {
		say("--reload: the records of the globals are damaged");
		s->merge_incomplete = true;
	}
	fclose(f);
	free(m);
	return true;
}

bool merge_files(struct session *s, const struct options *o)
{
	struct merging *m = xrealloc(NULL, sizeof *m);

	*m = (struct merging){.s = s};
	m->inputs = xrealloc(NULL, (o->nmerge + 1) * sizeof *m->inputs);
	for (size_t i = 0; i < o->nmerge; i++)
		add_checked(m, o->merge[i]);
	qsort(m->inputs, m->n, sizeof *m->inputs, by_time);
	for (size_t i = 0; i < m->n; i++) {
		read_file(m, &m->inputs[i], UST_MERGE_TAKE);
		s->merge_time = m->inputs[i].time;
	}
	free(m->inputs);
	free(m);
	return true;
}
