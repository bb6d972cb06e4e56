/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diag: errors and warnings on standard error.
 *
 *     FILE:LINE:COL: error: TEXT [TAG]
 *       the source line
 *           ^~~~~
 *       hint
 *
 * Locations are byte ranges; line and column are computed here, when printed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diag.h"

int verbose;
static int errors;
static bool quiet_warnings, strict;
static bool last_shown; /* a hint follows only what was printed */

static const char *const tag_text[] = {
#define ERRTAG(id, name) name,
#include "errtags.def"
#include "bisect.h"
#undef ERRTAG
};

/* ------------------------------------------------------------- colours */

/* SGR parameters as in SYSTEMTAP_COLORS; NULL: not coloured. */
static struct colour {
	const char *key, *sgr;
} colours[] = {
	{"error", "01;31"},
	{"warning", "00;33"},
	{"source", "00;34"},
	{"caret", "01"},
};
static bool coloured;

/* error=01;31:caret=01 ...; a variable that says nothing sensible turns colours off. */
static bool read_colours(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == ':')) {
		size_t key = strcspn(text, "="), i = 0;

		n = strcspn(text, ":");
		while (i < ARRAY_LEN(colours) &&
		       (strncmp(colours[i].key, text, key) || colours[i].key[key]))
			i++;
		if (i < ARRAY_LEN(colours) && key < n)
			colours[i].sgr = xstrndup(text + key + 1, n - key - 1);
		else if (key >= n || strncmp(text, "token", key))
			return false;
	}
	return true;
}

bool diag_set_color(const char *when)
{
	const char *spec = getenv("SYSTEMTAP_COLORS");

	if (!strcmp(when, "auto"))
		coloured = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
	else if (!strcmp(when, "always") || !strcmp(when, "never"))
		coloured = when[0] == 'a';
	else
		return false;
	if (coloured && spec && (!*spec || !read_colours(spec)))
		coloured = false;
	return true;
}

static const char *colour(const char *key)
{
	for (size_t i = 0; coloured && i < ARRAY_LEN(colours); i++)
		if (!strcmp(colours[i].key, key))
			return xprintf("\033[%sm\033[K", colours[i].sgr);
	return "";
}

static const char *plain(void) { return coloured ? "\033[m\033[K" : ""; }

/* ------------------------------------------------------------- places */

/* Where the lines of the text that was asked for last begin, up to what was asked. */
static ARENA_STATE struct {
	const char *text;
	size_t len;
	VEC(uint32_t) lines;
	uint32_t upto;
} index_;

static void index_lines(const struct source *src, uint32_t upto)
{
	if (index_.text != src->text || index_.len != src->len) {
		index_.text = src->text;
		index_.len = src->len;
		index_.lines.v = NULL;
		index_.lines.n = index_.lines.cap = index_.upto = 0;
		vec_push(&index_.lines, 0);
	}
	for (; index_.upto < upto; index_.upto++)
		if (src->text[index_.upto] == '\n')
			vec_push(&index_.lines, index_.upto + 1);
}

void loc_linecol(struct loc loc, unsigned *line, unsigned *col)
{
	uint32_t at = loc.beg < loc.src->len ? loc.beg : (uint32_t)loc.src->len;
	size_t lo;

	index_lines(loc.src, at);
	lo = BISECT(mid, index_.lines.n, index_.lines.v[mid] <= at) - 1; /* the first is 0 */
	*line = (unsigned)lo + 1;
	*col = at - index_.lines.v[lo] + 1;
}

static unsigned expansions(const struct source *src)
{
	unsigned n = 0;

	for (; src && src->macro; src = src->used.src)
		n++;
	return n;
}

/* Locations in different macro expansions are replaced by those in their common expansion. */
struct loc loc_join(struct loc a, struct loc b)
{
	struct loc from = a;

	if (a.src != b.src) {
		unsigned na = expansions(a.src), nb = expansions(b.src);

		for (; na > nb; na--)
			a = a.src->used;
		for (; nb > na; nb--)
			b = b.src->used;
		for (; na && a.src != b.src; na--)
			a = a.src->used, b = b.src->used;
	}
	if (a.src != b.src || b.end < a.beg)
		return from;
	a.end = b.end;
	return a;
}

#define MAX_SHOWN 200 /* bytes of a line */

/* The line that holds LOC, or the part of it around LOC, and below it a caret
 * under each byte of LOC. */
static void show_source(struct loc loc)
{
	const char *text = loc.src->text;
	struct strbuf line = {0}, mark = {0};
	uint32_t beg = loc.beg < loc.src->len ? loc.beg : (uint32_t)loc.src->len;
	uint32_t start = beg, end = beg, i;

	while (start > 0 && text[start - 1] != '\n' && beg - start < MAX_SHOWN / 2)
		start--;
	while (end < loc.src->len && text[end] != '\n' && end - start < MAX_SHOWN)
		end++;
	for (i = start; i < end; i++)
		sb_addn(&line,
			((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f
				? " "
				: text + i,
			1);
	for (i = start; i < beg; i++)
		sb_add(&mark, text[i] == '\t' ? "\t" : " ");
	sb_printf(&mark, "%s^", colour("caret"));
	for (i = beg + 1; i < loc.end && i < end; i++)
		sb_add(&mark, "~");
	fprintf(stderr, "  %s%s%s\n  %s%s\n", colour("source"), line.n ? line.s : "", plain(),
		mark.s, plain());
}

#define MAX_EXPANSIONS 5

static void show_expansions(struct loc loc)
{
	unsigned line, col, n = 0;

	for (; loc.src && loc.src->macro && n < MAX_EXPANSIONS; loc = loc.src->used, n++) {
		loc_linecol(loc.src->used, &line, &col);
		fprintf(stderr, "  in macro %s, used at %s:%u:%u\n", loc.src->macro,
			printable(loc.src->used.src->name), line, col);
	}
}

/* The handlers that aliases and wildcards make of one probe repeat its mistakes. */
static bool said_before(enum errtag tag, struct loc loc, const char *fmt, va_list ap)
{
	static ARENA_STATE struct smap said;
	char text[300];
	const char *key;
	va_list copy;

	if (!loc.src)
		return false;
	va_copy(copy, ap);
	vsnprintf(text, sizeof text, fmt, copy);
	va_end(copy);
	key = xprintf("%p %u %u %d %s", (const void *)loc.src, loc.beg, loc.end, (int)tag, text);
	if (smap_get(&said, key))
		return true;
	smap_put(&said, key, (void *)key);
	return false;
}

/* ------------------------------------------------------- what is kept */

static ARENA_STATE message_vec *kept; /* instead of being printed; NULL: nothing is */

void diag_keep(message_vec *to) { kept = to; }

const char *tag_name(enum errtag tag) { return tag_text[tag]; }

static void keep(bool error, enum errtag tag, struct loc loc, const char *text)
{
	vec_push(kept, ((struct message){.error = error, .tag = tag, .loc = loc, .text = text}));
}

/* The first errors, a line each, for --report. */
static char first[2048];

static void remember(struct loc loc, const char *fmt, va_list ap)
{
	size_t n = strlen(first);
	unsigned line, col;

	if (loc.src && n < sizeof first) {
		loc_linecol(loc, &line, &col);
		n += (size_t)snprintf(first + n, sizeof first - n, "%s:%u:%u: ", loc.src->name,
				      line, col);
	}
	if (n < sizeof first)
		n += (size_t)vsnprintf(first + n, sizeof first - n, fmt, ap);
	if (n + 1 < sizeof first)
		strcpy(first + n, "\n");
}

const char *diag_first(void) { return first; }

static void report(const char *what, enum errtag tag, struct loc loc, const char *fmt, va_list ap)
{
	unsigned line, col;

	if (said_before(tag, loc, fmt, ap)) {
		last_shown = false;
		return;
	}
	if (kept) {
		keep(*what == 'e', tag, loc, xvprintf(fmt, ap));
		return;
	}

	fflush(stdout);
	if (loc.src) {
		loc_linecol(loc, &line, &col);
		fprintf(stderr, "%s:%u:%u: %s%s:%s ", printable(loc.src->name), line, col,
			colour(what), what, plain());
	} else {
		fprintf(stderr, "ustap: %s%s:%s ", colour(what), what, plain());
	}
	fputs(printable(xvprintf(fmt, ap)), stderr);
	fprintf(stderr, " [%s]\n", tag_text[tag]);
	if (loc.src)
		show_source(loc);
	show_expansions(loc);
}

void diag_error(enum errtag tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	errors++;
	last_shown = true;
	va_start(ap, fmt);
	report("error", tag, loc, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	remember(loc, fmt, ap);
	va_end(ap);
}

void diag_warn(enum errtag tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	last_shown = !quiet_warnings;
	if (quiet_warnings)
		return;
	errors += strict;
	va_start(ap, fmt);
	report(strict ? "error" : "warning", tag, loc, fmt, ap);
	va_end(ap);
}

void diag_hint(const char *fmt, ...)
{
	va_list ap;

	if (!last_shown)
		return;
	va_start(ap, fmt);
	if (kept && kept->n) {
		vec_push(&kept->v[kept->n - 1].hints, xvprintf(fmt, ap));
		va_end(ap);
		return;
	}
	fprintf(stderr, "  %s", printable(xvprintf(fmt, ap)));
	va_end(ap);
	fputc('\n', stderr);
}

void diag_also(struct loc loc)
{
	if (last_shown && loc.src && kept && kept->n)
		vec_push(&kept->v[kept->n - 1].also, loc);
	else if (last_shown && loc.src)
		show_source(loc);
}

int diag_errors(void) { return errors; }

void diag_forget(void) { errors = 0; }

void diag_set_quiet_warnings(bool on) { quiet_warnings = on; }

void diag_set_strict(bool on) { strict = on; }

void vlog(int level, const char *fmt, ...)
{
	va_list ap;

	if (verbose < level)
		return;
	va_start(ap, fmt);
	fprintf(stderr, "%s\n", printable(xvprintf(fmt, ap)));
	va_end(ap);
}
