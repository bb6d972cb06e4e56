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
#include "ustap.h"

int verbose;
static int errors;
static bool quiet_warnings;
static bool last_shown;         /* a hint follows only what was printed */

static const char *const tag_text[] = {
#define ERRTAG(id, name) name,
#include "errtags.def"
#undef ERRTAG
};

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
	fprintf(stderr, "  %.*s\n  ", (int)(end - start), text + start);
	for (i = start; i < beg; i++)
		fputc(text[i] == '\t' ? '\t' : ' ', stderr);
	fputc('^', stderr);
	for (i = beg + 1; i < loc.end && i < end; i++)
		fputc('~', stderr);
	fputc('\n', stderr);
}

static void report(const char *what, enum errtag tag, struct loc loc, const char *fmt, va_list ap)
{
	unsigned line, col;

	fflush(stdout);
	if (loc.src) {
		loc_linecol(loc, &line, &col);
		fprintf(stderr, "%s:%u:%u: %s: ", loc.src->name, line, col, what);
	} else {
		fprintf(stderr, "ustap: %s: ", what);
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
	va_start(ap, fmt);
	report("warning", tag, loc, fmt, ap);
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
