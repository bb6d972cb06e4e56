/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to standard error: one write each, so that lines of the loader, the script and the
 * traced program do not mix.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/unblocked.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int verbose;
bool no_warnings, explain_mode;

/* Messages recorded for output formats that contain them. */
static struct said {
	struct said *next;
	const char *level;
	char text[];
} * first, **last = &first;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static bool keeping;

void messages_keep(void) { keeping = true; }

static void keep(const char *level, const char *text, size_t len)
{
	struct said *s = xrealloc(NULL, sizeof *s + len + 1);

	s->next = NULL;
	s->level = level;
	memcpy(s->text, text, len);
	s->text[len] = 0;
	pthread_mutex_lock(&guard);
	*last = s;
	last = &s->next;
	pthread_mutex_unlock(&guard);
}

void messages_take(void (*fn)(void *arg, const char *level, const char *text), void *arg)
{
	struct said *s, *next;

	pthread_mutex_lock(&guard);
	s = first;
	first = NULL;
	last = &first;
	pthread_mutex_unlock(&guard);
	for (; s; s = next) {
		next = s->next;
		fn(arg, s->level, s->text);
		free(s);
	}
}

static const char *from = "staprun: ";

void messages_from(const char *program) { from = program; }

static char so_far[4096];

const char *messages_text(void) { return so_far; }

static void remember(const char *line, size_t len)
{
	size_t n = strlen(so_far);

	if (n + len + 2 < sizeof so_far) {
		memcpy(so_far + n, line, len);
		strcpy(so_far + n + len, "\n");
	}
}

bool is_control(const char *text, size_t i, size_t len)
{
	unsigned char c = (unsigned char)text[i], before = i ? (unsigned char)text[i - 1] : 0;

	if (c == 0xc2)
		return i + 1 < len && (text[i + 1] & 0xe0) == 0x80;
	return c < ' ' || c == 0x7f || ((c & 0xe0) == 0x80 && (before < 0x80 || before == 0xc2));
}

void mask_controls(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\t' && is_control(text, i, len))
			text[i] = '?';
}

static void put_line(const char *prefix, const char *fmt, va_list ap)
{
	char line[1024];
	size_t before = strlen(prefix), n = (size_t)snprintf(line, sizeof line, "%s", prefix);
	int more = vsnprintf(line + n, sizeof line - n - 1, fmt, ap);

	if (more > 0)
		n += (size_t)more;
	if (n > sizeof line - 2)
		n = sizeof line - 2;
	mask_controls(line + before, n - before);
	remember(line + before, n - before);
	if (keeping)
		keep(*prefix == 'W' ? "warning" : "message", line + before, n - before);
	line[n++] = '\n';
	message_write(line, n);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(from, fmt, ap);
	va_end(ap);
}

bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(from, fmt, ap);
	va_end(ap);
	return false;
}

bool hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("  ", fmt, ap);
	va_end(ap);
	return false;
}

void warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("WARNING: ", fmt, ap);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	if (!verbose)
		return;
	va_start(ap, fmt);
	put_line(from, fmt, ap);
	va_end(ap);
}

void *xrealloc(void *p, size_t size)
{
	void *q = realloc(p, size);

	if (q)
		return q;
	say("out of memory");
	exit(EXIT_LOAD);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p)
		return p;
	say("out of memory");
	exit(EXIT_LOAD);
}

char *xstrndup(const char *s, size_t n)
{
	char *copy = xrealloc(NULL, n + 1);

	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}
