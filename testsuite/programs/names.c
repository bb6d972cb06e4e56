/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with all kinds of names, for testsuite/unit/test_functions.c.  Line numbers matter. */
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline, noclone, noipa))

NOINLINE int alpha(int x)
{
	if (x)
		puts("alpha");
	return x + 1;
}

int alpha_alias(int x) __attribute__((alias("alpha")));
int weak_alias(int x) __attribute__((weak, alias("alpha")));

static NOINLINE int beta(int x)
{
	return x * 2;
}

static inline __attribute__((always_inline)) int inlined(int x)
{
	return x - 1;
}

NOINLINE int alphabet(int x)
{
	return inlined(x) + beta(x);
}

/* Called in a loop from its first instruction on: there is no safe place after the prologue. */
struct duo { int a, b; };
NOINLINE int looping(struct duo d)
{
	do {
		d.a--;
	} while (d.a > 0);
	return d.b;
}

static int picked(int x) { return x + 5; }
static int (*pick(void))(int) { return picked; }
int chosen(int x) __attribute__((ifunc("pick")));

int versioned_old(int x) { return x; }
#ifdef SHARED
__asm__(".symver versioned_old, versioned@V1");
#endif

/* With -O2 there is a copy of this for the one MODE. */
static __attribute__((noinline)) int cloned(int x, int mode)
{
	if (mode == 3)
		puts("three");
	return x + mode;
}

NOINLINE int unlikely(int x) { return x; }
/* As compilers name the part of a function that they move out of the way. */
__asm__(".text\n.type unlikely.cold, @function\nunlikely.cold: ud2\n.size unlikely.cold, 2");

int main(int argc, char **argv)
{
	(void)argv;
	return unlikely(argc) + cloned(argc, 3) + alpha(argc) + alphabet(argc) + looping((struct duo){argc, 2}) + chosen(argc) ==
	       (int)strlen("x");
}
