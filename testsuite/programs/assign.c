/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `assign WHAT` says what a function was called with, after a probe may have changed it. */
#include <stdio.h>

#define NOIPA __attribute__((noipa))

struct item { int n; short s; unsigned char c; long l; struct item *next; unsigned a : 3; int b : 5; unsigned long long wide : 40; };

int global_int = 7;
static const char fixed[] = "fixed";
static long table[4] = {10, 20, 30, 40};

NOIPA int numbers(int i, long l, unsigned char c, short s) { printf("numbers %d %ld %d %d\n", i, l, c, s); return i; }
NOIPA int items(struct item *p)
{
	printf("items %d %d %d %ld %d %d %llu, %d\n", p->n, p->s, p->c, p->l, p->a, p->b, (unsigned long long)p->wide, p->next->n);
	return 1;
}
NOIPA long array(long *a, int i) { printf("array %ld %ld %ld %ld\n", a[0], a[1], a[2], a[3]); return a[i]; }
NOIPA int globals(void) { printf("globals %d\n", global_int); return global_int; }
NOIPA int readonly(const char *s) { printf("readonly %s\n", s); return *s; }
NOIPA const char *text(int n) { return n ? "yes" : "no"; }

int main(int argc, char **argv)
{
	struct item second = {.n = 2}, first = {1, -2, 3, 4, &second, 5, -6, 1ull << 33};
	char what = argc > 1 ? argv[1][0] : 0;

	setbuf(stdout, NULL);
	if (what == 'n')
		printf("= %d\n", numbers(1, 2, 3, -4));
	else if (what == 'i')
		printf("= %d\n", items(&first));
	else if (what == 'a')
		printf("= %ld\n", array(table, 1));
	else if (what == 'g')
		printf("= %d\n", globals());
	else if (what == 'r')
		printf("= %d\n", readonly(fixed));
	else if (what == 't')
		printf("= %s\n", text(0));
	return 0;
}
