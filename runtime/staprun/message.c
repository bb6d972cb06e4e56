/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to standard error: each is one write, so that lines of the
 * loader, the script and the traced program do not mix.
 */
#include "staprun.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int verbose;
bool no_warnings;

static void put_line(const char *prefix, const char *fmt, va_list ap)
{
	char line[1024];
	size_t n = (size_t)snprintf(line, sizeof line, "%s", prefix);
	int more = vsnprintf(line + n, sizeof line - n - 1, fmt, ap);

	if (more > 0)
		n += (size_t)more;
	if (n > sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return; /* nowhere left to complain */
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("staprun: ", fmt, ap);
	va_end(ap);
}

bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("staprun: ", fmt, ap);
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
	put_line("staprun: ", fmt, ap);
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

char *xstrndup(const char *s, size_t n)
{
	char *copy = xrealloc(NULL, n + 1);

	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}
