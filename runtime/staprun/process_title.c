/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process title of staprun in ps(1): the name of the script that ustap runs, instead of that of its
 * cached file. */
#include "base/message.h"
#include "options.h"
#include "process_title.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *area; /* the memory of the arguments, SIZE bytes with the last NUL */
static size_t area_size;

char **title_take(int argc, char **argv)
{
	char **copy = xrealloc(NULL, ((size_t)argc + 1) * sizeof *copy);

	for (int i = 0; i < argc; i++)
		copy[i] = xstrndup(argv[i], strlen(argv[i]));
	copy[argc] = NULL;
	if (argc > 0) {
		area = argv[0];
		for (int i = 0; i < argc && argv[i] == area + area_size; i++)
			area_size += strlen(argv[i]) + 1;
	}
	return copy;
}

void title_set(const struct options *o)
{
	char title[4096];
	int n;

	if (!o->name || !area_size)
		return;
	n = snprintf(title, sizeof title, "staprun %s", o->name);
	for (size_t i = 0; i < o->npids && n > 0 && (size_t)n < sizeof title; i++)
		n += snprintf(title + n, sizeof title - (size_t)n, " -x %d", (int)o->pids[i]);
	if (o->command && n > 0 && (size_t)n < sizeof title)
		snprintf(title + n, sizeof title - (size_t)n, " -c %s", o->command);
	mask_controls(title, strlen(title));
	memset(area, 0, area_size);
	memcpy(area, title, strnlen(title, area_size - 1));
}
