/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The display of --monitor: lines about globals, then a table of hits. In a file or a pipe it is a
 * block of text; on a terminal it has as many lines as fit, from the line to which keys have moved.
 */
#include "base/message.h"
#include "report/monitor.h"
#include "session/session_ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef unsigned long long ull;

static const char *const orders[] = {
	[BY_HITS] = "hits", [BY_RECENT] = "recent hits", [BY_AVG] = "avg",
	[BY_MAX] = "max",   [BY_INDEX] = "index",        [BY_NAME] = "probe",
};

/* ------------------------------------------------------------------------ rows */

static uint64_t average(const struct ust_count *c) { return c->hits ? c->sum / c->hits : 0; }

static uint64_t recent(const struct view *v, const struct ust_count *c)
{
	return c->index < v->nhistories ? v->histories[c->index].hits[INTERVALS - 1] : 0;
}

static uint64_t weight(const struct view *v, const struct ust_count *c)
{
	switch (v->order_by) {
	case BY_RECENT:
		return recent(v, c);
	case BY_AVG:
		return average(c);
	case BY_MAX:
		return c->max;
	default:
		return c->hits;
	}
}

/* Largest first; equal ones, and all if that is wanted, by index. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct row *x = a, *y = b;
	const struct view *v = arg;

	if (v->order_by == BY_NAME && strcmp(x->pp, y->pp))
		return strcmp(x->pp, y->pp);
	if (v->order_by != BY_INDEX && v->order_by != BY_NAME) {
		uint64_t m = weight(v, &x->count), n = weight(v, &y->count);

		if (m != n)
			return m > n ? -1 : 1;
	}
	return (x->count.index > y->count.index) - (x->count.index < y->count.index);
}

/* The hits of the last intervals, as bars of one line. */
static void print_bars(FILE *to, const struct view *v, const struct ust_count *c)
{
	static const uint64_t none[INTERVALS];
	const uint64_t *hits = c->index < v->nhistories ? v->histories[c->index].hits : none;
	uint64_t max = 0;

	for (int i = 0; i < INTERVALS; i++)
		max = hits[i] > max ? hits[i] : max;
	for (int i = 0; i < INTERVALS; i++)
		if (hits[i])
			fprintf(to, "\xe2\x96%c", (char)(0x81 + (int)(7.0 * hits[i] / max)));
		else
			putc(' ', to);
}

static void print_row(FILE *to, const struct view *v, const struct row *row)
{
	const struct ust_count *c = &row->count;

	fprintf(to, "%8u %12llu %10llu %10llu %10llu  ", c->index, (ull)c->hits, (ull)c->min,
		(ull)average(c), (ull)c->max);
	if (v->terminal) {
		print_bars(to, v, c);
		fputs("  ", to);
	}
	fprintf(to, "%s%s\n", c->flags & UST_COUNT_SWITCHED_OFF ? "(off) " : "", row->pp);
}

static bool passes_filter(const struct view *v, const char *text)
{
	return !*v->filter || strstr(text, v->filter);
}

static void print_rows(FILE *to, struct view *v)
{
	struct reply *r = &v->shown;

	qsort_r(r->rows, r->nrows, sizeof *r->rows, compare_rows, v);
	fprintf(to, "%8s %12s %10s %10s %10s  ", "index", "hits", "min", "avg", "max");
	if (v->terminal)
		fprintf(to, "%-*s  ", INTERVALS, "recent hits");
	fputs("probe\n", to);
	for (size_t i = 0; i < r->nrows; i++)
		if (passes_filter(v, r->rows[i].pp))
			print_row(to, v, &r->rows[i]);
}

/* --------------------------------------------------------------------- globals */

/* The lines about one global are one line and those after it that begin with a blank. */
static void print_globals(FILE *to, const struct view *v)
{
	const struct reply *r = &v->shown;
	const char *at = r->text, *end = r->text + r->len;
	bool wanted = true;

	fputs("globals\n", to);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
		char *line = xstrndup(at, n);

		if (*line != ' ')
			wanted = passes_filter(v, line);
		if (wanted)
			fwrite(at, 1, n, to);
		free(line);
		at += n;
	}
}

/* ---------------------------------------------------------------------- screen */

static void make_head(const struct view *v, char *text, size_t size)
{
	unsigned long long up = (clock_ns() - v->begun + 500000000) / 1000000000;

	snprintf(text, size, "----- %s, uptime %02llu:%02llu:%02llu, user %u%s",
		 v->name ? v->name : v->session->name, up / 3600, up / 60 % 60, up % 60,
		 (unsigned)getuid(), v->paused ? ", paused" : "");
}

/* The first byte of a character of UTF-8, or a byte alone. */
static bool begins_character(unsigned char c) { return (c & 0xc0) != 0x80; }

/*
 * Print one line, of N bytes, without what would act on the terminal: strings of traced programs
 * are among it. No more than COLUMNS characters. Bars become other characters if the terminal does
 * not show them.
 */
static void print_harmless(FILE *to, const struct view *v, const char *text, size_t n,
			   size_t columns)
{
	static const char plain[] = ".:-=+*#@";

	for (size_t i = 0; i < n && text[i] != '\n'; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned char next = i + 1 < n ? (unsigned char)text[i + 1] : 0;

		if (begins_character(c) && !columns--)
			break;
		if (!v->utf8 && c == 0xe2 && next == 0x96 && i + 2 < n &&
		    (unsigned char)text[i + 2] - 0x81u < 8) {
			putc(plain[(unsigned char)text[i + 2] - 0x81], to);
			i += 2;
		} else if (c == 0xc2 && next >= 0x80 && next < 0xa0) { /* control characters */
			putc('?', to);
			i++;
		} else {
			putc(c == '\t' ? ' ' : c < ' ' || c == 127 ? '?' : c, to);
		}
	}
}

/* The size of the terminal is unknown: no limit. */
static struct winsize screen_size(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		return (struct winsize){.ws_row = UINT16_MAX, .ws_col = UINT16_MAX};
	return w;
}

/* Lines that are left for globals and hits. */
static size_t page_lines(const struct view *v)
{
	size_t used = v->keys ? 4 : 3; /* the head, the last line, the keys, that of the cursor */
	size_t rows = screen_size().ws_row;

	return rows > used ? rows - used : 1;
}

static void print_line(FILE *to, const struct view *v, const char *text, size_t n)
{
	print_harmless(to, v, text, n, screen_size().ws_col);
	putc('\n', to);
}

/* Print the lines of BODY that are on the screen. */
static void print_page(FILE *to, struct view *v, const char *body, size_t size)
{
	const char *at = body, *end = body + size;

	v->page = page_lines(v);
	v->lines = 0;
	for (const char *p = body; p < end; p++)
		v->lines += *p == '\n';
	if (v->top + v->page > v->lines)
		v->top = v->lines > v->page ? v->lines - v->page : 0;
	for (size_t i = 0; at < end && i < v->top + v->page; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);

		if (i >= v->top)
			print_line(to, v, at, n);
		at += n;
	}
}

/* The line below the display: a prompt, an answer, or the keys. */
static void print_foot(FILE *to, const struct view *v)
{
	const char *filter = *v->filter ? ", with " : "";
	char *text;
	int n;

	if (v->prompt == PROMPT_FILTER)
		n = asprintf(&text, "show only lines with: %s", v->typed);
	else if (v->prompt == PROMPT_SWITCH)
		n = asprintf(&text, "index of the probe to switch on or off: %s", v->typed);
	else if (v->notice)
		n = asprintf(&text, "%s", v->notice);
	else
		n = asprintf(&text,
			     "by %s%s%s  s:sort f:filter t:switch p:pause r:resume c:reset x:hide "
			     "q:end",
			     orders[v->order_by], filter, v->filter);
	if (n < 0)
		return;
	print_harmless(to, v, text, (size_t)n, screen_size().ws_col);
	if (!v->prompt)
		putc('\n', to);
	free(text);
}

static void print_screen(FILE *to, struct view *v, const char *body, size_t size)
{
	char head[256];

	make_head(v, head, sizeof head);
	fputs("\033[H\033[2J", to);
	print_line(to, v, head, strlen(head));
	print_page(to, v, body, size);
	fputs("-----\n", to);
	if (v->keys)
		print_foot(to, v);
}

void monitor_show(struct view *v)
{
	char *body = NULL, *text = NULL;
	size_t body_size = 0, size = 0;
	FILE *lines = open_memstream(&body, &body_size), *to;

	if (!lines)
		return;
	if (v->shown.len)
		print_globals(lines, v);
	if (v->shown.nrows)
		print_rows(lines, v);
	to = fclose(lines) ? NULL : open_memstream(&text, &size);
	if (to && v->terminal) {
		print_screen(to, v, body, body_size);
	} else if (to) {
		char head[256];

		make_head(v, head, sizeof head);
		fprintf(to, "%s\n%.*s", head, (int)body_size, body);
		fputs("-----\n", to);
	}
	if (to && !fclose(to) && size && write(STDOUT_FILENO, text, size) < 0)
		say("--monitor: cannot write to standard output");
	free(body);
	free(text);
}
