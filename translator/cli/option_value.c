/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options: messages about them, and numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "options.h"

void option_error(const char *fmt, ...)
{
	va_list ap, ap2;
	int n;
	char *msg;

	va_start(ap, fmt);
	va_copy(ap2, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	msg = xalloc((size_t)n + 1);
	vsnprintf(msg, (size_t)n + 1, fmt, ap2);
	va_end(ap2);
	va_end(ap);
	diag_error(E_OPTION, (struct loc){0}, "%s", msg);
}

int64_t option_number(const char *option, const char *text, int64_t min, int64_t max)
{
	char *end;
	int64_t n;

	errno = 0;
	n = strtoll(text, &end, 0);
	if (errno || end == text || *end || n < min || n > max) {
		option_error("%s takes a number from %" PRId64 " to %" PRId64 ", not \"%s\"",
			     option, min, max, text);
		return min;
	}
	return n;
}
