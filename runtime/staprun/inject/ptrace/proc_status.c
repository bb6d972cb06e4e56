/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of /proc/PID/status. */
#include "inject/ptrace/ptrace.h"

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool proc_status_line(pid_t pid, const char *field, char *buf, size_t size)
{
	char name[40], line[512];
	size_t n = strlen(field);
	bool found = false;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = !strncmp(line, field, n) && line[n] == ':';
	if (f)
		fclose(f);
	if (found)
		snprintf(buf, size, "%s", line + n + 1 + strspn(line + n + 1, " \t"));
	return found;
}

long long proc_status(pid_t pid, const char *field, int base)
{
	char line[256], *end;
	long long value;

	if (!proc_status_line(pid, field, line, sizeof line))
		return -1;
	value = (long long)strtoull(line, &end, base);
	return end == line ? -1 : value;
}
