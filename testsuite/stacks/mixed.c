/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of many kinds, for backtraces from each of their instructions: leaves, tail calls,
 * arrays of variable size, aligned frames, variable arguments, calls that do not return at a
 * function's end, large frames, recursion by pointers, inlined ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE __attribute__((noinline, noclone))

static jmp_buf back;
static volatile int sink;

OUTSIDE int leaf(int x) { return x * 3 + sink; }
OUTSIDE int tail(int x) { sink++; return leaf(x + 1); }
OUTSIDE int tail_two(int x) { sink += x; return tail(x * 2); }

static inline __attribute__((always_inline)) int inner(int x) { return leaf(x) + leaf(x + 1); }
static inline __attribute__((always_inline)) int twice(int x) { return inner(x) * inner(x + 2); }
OUTSIDE int with_inlined(int x) { int v = twice(x); return v + inner(v); }

OUTSIDE int sized(int n)
{
	volatile char room[n * 10 + 5];

	for (int i = 0; i < n; i++)
		room[i] = (char)leaf(i);
	return room[n / 2];
}

OUTSIDE int aligned(int x)
{
	volatile int v[16] __attribute__((aligned(64)));

	v[x & 15] = leaf(x);
	return v[x & 15] + tail(x);
}

OUTSIDE int aligned_sized(int n)
{
	volatile int v[8] __attribute__((aligned(128)));
	volatile char room[n + 1];

	v[n & 7] = leaf(n);
	room[n] = 3;
	return v[n & 7] + room[n] + leaf(n);
}

OUTSIDE int many(const char *kinds, ...)
{
	va_list list;
	double sum = 0;

	va_start(list, kinds);
	for (; *kinds; kinds++)
		sum += *kinds == 'd' ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return leaf((int)sum);
}

OUTSIDE int wide(int a, int b, int c, int d, int e, int f, int g, int h)
{
	volatile int v[3000];

	v[a] = leaf(b + c + d), v[b] = leaf(e + f + g + h);
	return v[a] + v[b] + a * b * c * d * e * f * g * h;
}

OUTSIDE int pressed(int a, int b, int c, int d, int e, int f)
{
	int p = leaf(a), q = leaf(b), r = leaf(c), s = leaf(d), t = leaf(e), u = leaf(f);

	for (int i = 0; i < 3; i++) {
		p += leaf(q ^ r), q -= leaf(p | s), r ^= leaf(t + u), s += leaf(p * q),
		t -= leaf(u ^ r), u += leaf(s - t);
		if (p == q)
			return leaf(p);
	}
	return p + q + r + s + t + u;
}

OUTSIDE __attribute__((noreturn)) void gone(int x)
{
	sink = x;
	longjmp(back, x ? x : 1);
}
OUTSIDE int ends_with_call(int x)
{
	if (leaf(x) > 1000000)
		return 7;
	gone(x);
}

typedef int (*step_fn)(int, void *);
OUTSIDE int down(int n, void *next)
{
	step_fn f = *(step_fn *)next;

	return n > 0 ? f(n - 1, next) + leaf(n) : leaf(n);
}

OUTSIDE int early(int x)
{
	if (x & 1)
		return 5;
	if (x > 4)
		return pressed(x, 1, 2, 3, 4, 5) + early(x - 4);
	return aligned(x) + 1;
}

OUTSIDE int chosen(int x)
{
	switch (x) {
	case 0: return leaf(1);
	case 1: return sized(3) + 1;
	case 2: return tail_two(2);
	case 3: return many("idi", 1, 2.5, 3);
	case 4: return wide(1, 2, 3, 4, 5, 6, 7, 8) + 3;
	case 5: return early(12) * 2;
	case 6: return aligned_sized(9) - 1;
	}
	return with_inlined(x);
}

static int compare(const void *a, const void *b)
{
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

int main(void)
{
	int v[20], total = 0;
	step_fn self = down;
	char text[100];

	for (int i = 0; i < 20; i++)
		v[i] = (i * 7) % 20;
	qsort(v, 20, sizeof *v, compare);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 8; i++)
			total += chosen(i);
		if (!setjmp(back))
			total += ends_with_call(round);
		total += down(12, &self);
	}
	snprintf(text, sizeof text, "%d %g", total, total / 3.0);
	printf("%zu\n", strlen(text) > 3 ? (size_t)1 : (size_t)0);
	return 0;
}
