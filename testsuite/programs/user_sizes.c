/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls each function of user_sizes.S three times, and names those with a wrong result. */
#include <stdio.h>

#define FUNCTIONS(F) F(small) F(none) F(red_zone) F(computed) F(outer) F(nested) F(short) F(reads)

#define DECLARE(name) extern long s_##name(long);
FUNCTIONS(DECLARE)

#define CALL(name) wrong += call(#name, s_##name);
static int call(const char *name, long (*fn)(long))
{
	int wrong = 0;

	for (long i = 97; i < 100; i++)
		wrong += fn(i) != 100;
	if (wrong)
		printf("%s: %d wrong\n", name, wrong);
	return wrong;
}

int main(void)
{
	int wrong = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	FUNCTIONS(CALL)
	printf("%d wrong\n", wrong);
	return 0;
}
