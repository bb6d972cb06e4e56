/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that the compiler splits: its cold code is elsewhere. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((cold, noinline)) static void complain(int code) { printf("bad %d\n", code); }

__attribute__((noinline)) static int weigh(int first, int second)
{
	if (__builtin_expect(first > 1000, 0)) {
		complain(first);
		complain(second);
		abort();
	}
	return first * second;
}

int main(int argc, char **argv)
{
	(void)argv;
	return weigh(argc, 7) + weigh(argc + 1, 8) != 38;
}
