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
#include "ustap.h"

int verbose;
static int errors;
static bool quiet_warnings, strict;
static bool last_shown;         /* a hint follows only what was printed */

static const char *const tag_text[] = {
#define ERRTAG(id, name) name,
#include "errtags.def"
#undef ERRTAG
};

/* ------------------------------------------------------------- colours */

/* SGR parameters as in SYSTEMTAP_COLORS; NULL: not coloured. */
static struct colour { const char *key, *sgr; } colours[] = {
	{"error", "01;31"}, {"warning", "00;33"}, {"source", "00;34"}, {"caret", "01"},
};
static bool coloured;

/* error=01;31:caret=01 ...; a variable that says nothing sensible turns colours off. */
static bool read_colours(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == ':')) {
		size_t key = strcspn(text, "="), i = 0;

		n = strcspn(text, ":");
		while (i < ARRAY_LEN(colours) && (strncmp(colours[i].key, text, key) || colours[i].key[key]))
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

void loc_linecol(struct loc loc, unsigned *line, unsigned *col)
{
	*line = *col = 1;
	for (uint32_t i = 0; i < loc.beg && i < loc.src->len; i++) {
		++*col;
		if (loc.src->text[i] == '\n') {
			++*line;
			*col = 1;
		}
	}
}

/* The line that holds LOC, and below it a caret under each byte of LOC. */
static void show_source(struct loc loc)
{
	const char *text = loc.src->text;
	uint32_t beg = loc.beg < loc.src->len ? loc.beg : (uint32_t)loc.src->len;
	uint32_t start = beg, end = beg, i;

	while (start > 0 && text[start - 1] != '\n')
		start--;
	while (end < loc.src->len && text[end] != '\n')
		end++;
	fprintf(stderr, "  %s%.*s%s\n  ", colour("source"), (int)(end - start), text + start, plain());
	for (i = start; i < beg; i++)
		fputc(text[i] == '\t' ? '\t' : ' ', stderr);
	fprintf(stderr, "%s^", colour("caret"));
	for (i = beg + 1; i < loc.end && i < end; i++)
		fputc('~', stderr);
	fprintf(stderr, "%s\n", plain());
}

static void report(const char *what, enum errtag tag, struct loc loc, const char *fmt, va_list ap)
{
	unsigned line, col;

	fflush(stdout);
	if (loc.src) {
		loc_linecol(loc, &line, &col);
		fprintf(stderr, "%s:%u:%u: %s%s:%s ", loc.src->name, line, col, colour(what), what, plain());
	} else {
		fprintf(stderr, "ustap: %s%s:%s ", colour(what), what, plain());
	}
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, " [%s]\n", tag_text[tag]);
	if (loc.src)
		show_source(loc);
}

void diag_error(enum errtag tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	errors++;
	last_shown = true;
	va_start(ap, fmt);
	report("error", tag, loc, fmt, ap);
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
	fputs("  ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int diag_errors(void) { return errors; }

void diag_set_quiet_warnings(bool on) { quiet_warnings = on; }

void diag_set_strict(bool on) { strict = on; }

void vlog(int level, const char *fmt, ...)
{
	va_list ap;

	if (verbose < level)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
