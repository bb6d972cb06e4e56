/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls each function of user_tables.S, and names those with a wrong result; or the one named. */
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F) F(table) F(pointer) F(label) F(fixed) F(short_table)

#define DECLARE(name) extern long s_##name(long);
FUNCTIONS(DECLARE)

#define CALL(name) if (argc < 2 || !strcmp(argv[1], #name)) wrong += call(#name, s_##name);
static int call(const char *name, long (*fn)(long))
{
	int wrong = 0;

	for (long i = 96; i < 100; i++)
		wrong += fn(i) != 100;
	if (wrong)
		printf("%s: %d wrong\n", name, wrong);
	return wrong;
}

int main(int argc, char **argv)
{
	int wrong = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	FUNCTIONS(CALL)
	printf("%d wrong\n", wrong);
	return 0;
}
