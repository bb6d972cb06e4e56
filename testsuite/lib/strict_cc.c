/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C compiler with which the suite builds scripts for the user runtime: where ustap compiles
 * the C that it emitted, which -fstack-usage shows, warnings are errors.  REAL_CC is the real
 * compiler. It may be ccache, which would find this program again in DIRECTORY, the first one of
 * PATH.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without those that guess from optimised code, and from blanks: ustap says -ftabstop=1. */
static char *const warnings[] = {
	"-Wall",
	"-Wextra",
	"-Werror",
	"-Wno-maybe-uninitialized",
	"-Wno-array-bounds",
	"-Wno-stringop-overflow",
	"-Wno-stringop-overread",
	"-Wno-restrict",
	"-Wno-misleading-indentation",
};

enum { WARNINGS = sizeof warnings / sizeof warnings[0] };

static void leave_path(void)
{
	const char *path = getenv("PATH");
	size_t n = strlen(DIRECTORY);

	if (path && !strncmp(path, DIRECTORY, n) && path[n] == ':')
		setenv("PATH", path + n + 1, 1);
}

int main(int argc, char **argv)
{
	char **args = calloc((size_t)argc + WARNINGS + 1, sizeof *args);
	int n = 0, emitted = 0;

	if (!args)
		return 127;
	for (int i = 1; i < argc; i++)
		emitted |= !strcmp(argv[i], "-fstack-usage");
	args[n++] = REAL_CC;
	for (int i = 1; i < argc; i++)
		if (!emitted || strcmp(argv[i], "-w"))
			args[n++] = argv[i];
	for (int w = 0; w < WARNINGS && emitted; w++)
		args[n++] = warnings[w];
	leave_path();
	execv(REAL_CC, args);
	fprintf(stderr, "%s: %s\n", REAL_CC, strerror(errno));
	return 127;
}
