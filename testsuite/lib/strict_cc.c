/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C compiler with which the suite builds scripts for the user runtime: where ustap compiles
 * the C that it emitted, which -fstack-usage shows, warnings are errors.  REAL_CC is the real
 * compiler.
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
	execv(REAL_CC, args);
	fprintf(stderr, "%s: %s\n", REAL_CC, strerror(errno));
	return 127;
}
