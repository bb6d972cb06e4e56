/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code as compilers make it with all sorts of options: cold parts, IFUNCs, calls by the PLT, leaf functions
 * with a red zone, static functions, switch tables, varargs, structures returned in memory, vectors.
 * Prints for each function how often it was called: `NAME CALLS', then whether the results are right.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct big { long v[9]; };
static long n_leaf, n_cold, n_choose, n_table, n_sum, n_big, n_scale, n_tiny, n_walk, n_sort;
static long wrong;

#define SAME(got, want) ((got) == (want) ? 0 : (wrong++, printf("line %d\n", __LINE__)))

__attribute__((noipa)) int leaf(int x)
{
	volatile int a[20];

	for (int i = 0; i < 20; i++)
		a[i] = i * x;
	return a[19] - a[17];
}

__attribute__((cold, noinline)) static void complain(int x)
{
	static volatile long said;

	said += x;
}

__attribute__((noipa)) int cold(int x, int *p)
{
	int y = x * 3;

	if (__builtin_expect(x > 90, 0)) {
		complain(x);
		*p += y;
		complain(y);
		return -x;
	}
	return y + *p;
}

__attribute__((noipa)) int choose_b(int x) { return x + 2; }
#ifndef NO_IFUNC
static int (*resolve(void))(int) { return choose_b; }
__attribute__((ifunc("resolve"))) int choose(int x);
#else
__attribute__((noipa)) int choose(int x) { return choose_b(x); }
#endif

__attribute__((noipa)) int table(int x)
{
	switch (x % 10) {
	case 0: return 5;
	case 1: return x;
	case 2: return leaf(x) & 0;
	case 3: return 17;
	case 4: return x << 3;
	case 5: return -x;
	case 6: return x * x;
	case 7: return 99;
	}
	return 1;
}

__attribute__((noipa)) double sum(int n, ...)
{
	double all = 0;
	va_list ap;

	va_start(ap, n);
	while (n--)
		all += va_arg(ap, double);
	va_end(ap);
	return all;
}

__attribute__((noipa)) struct big big(long a)
{
	struct big b;

	for (int i = 0; i < 9; i++)
		b.v[i] = a + i;
	return b;
}

typedef double vector __attribute__((vector_size(16)));
__attribute__((noipa)) vector scale(vector v, double by) { return v * by; }
__attribute__((noipa)) void tiny(void) { }
__attribute__((noipa)) char *walk(char *s)
{
	while (*s)
		s++;
	return s;
}

__attribute__((noipa)) int compare(const void *a, const void *b)
{
	n_sort++;
	return *(const int *)a - *(const int *)b;
}

static void round_trip(int i)
{
	int p = 4, numbers[] = {i, 3, 9, 1, -i};
	char text[40];

	n_leaf++;
	SAME(leaf(i), 2 * i);
	n_cold++;
	SAME(cold(i, &p), i > 90 ? -i : i * 3 + 4);
	SAME(p, i > 90 ? 4 + 3 * i : 4);
	n_choose++;
	SAME(choose(i), i + 2);
	n_table++;
	SAME(table(10 * i + 6), (10 * i + 6) * (10 * i + 6));
	n_sum++;
	SAME(sum(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., (double)i), 45. + i);
	n_big++;
	struct big b = big(i);
	SAME(b.v[8], i + 8);
	n_scale++;
	vector v = scale((vector){i, 2}, 1.5);
	SAME(v[0], i * 1.5);
	SAME(v[1], 3.);
	n_tiny++;
	tiny();
	qsort(numbers, 5, sizeof *numbers, compare);
	for (int k = 1; k < 5; k++)
		SAME(numbers[k - 1] <= numbers[k], 1);
	snprintf(text, sizeof text, "%d-%.2f", i, sqrt(i) + i / 3.);
	n_walk++;
	SAME(walk(text) - text, (long)strlen(text));
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		round_trip(i);
	printf("leaf %ld\ncold %ld\n", n_leaf, n_cold);
	printf("table %ld\nsum %ld\nbig %ld\nscale %ld\ntiny %ld\nwalk %ld\ncompare %ld\n",
	       n_table, n_sum, n_big, n_scale, n_tiny, n_walk, n_sort);
	printf("choose_b %ld\ncomplain %d\n", n_choose, 2 * 9);
	printf("%ld wrong\n", wrong);
	return wrong != 0;
}
