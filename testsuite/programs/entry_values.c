/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters that functions do not keep: what they were is known to the callers only.  Each function prints its own before
 * they are lost.
 */
#include <stdio.h>

#ifdef __clang__
#define NOIPA __attribute__((noinline))
#else
#define NOIPA __attribute__((noipa, noinline))
#endif

static volatile int sink;

NOIPA void touch(int x) { sink += x; }
NOIPA void touch_memory(long *x) { *x += 1; }

NOIPA int lose(int a, long b)
{
	printf("lose %d %ld\n", a, b);
	touch(1);
	touch(2);
	return sink;
}

NOIPA int from_constants(void) { return lose(42, -3) + 1; }

/* x stays in a register that calls preserve, y in memory. */
NOIPA int from_kept(int x)
{
	long y = 1000 + x;
	int r;

	touch_memory(&y);
	r = lose(x + 5, y);
	r += lose(x * 3, x);
	touch_memory(&y);
	return r + x + (int)y;
}

/* The value passed on is an argument that the caller loses as well. */
NOIPA int pass_on(int a, long b) { return lose(a * 2, b) + 1; }
NOIPA int from_above(int n)
{
	int r = 0;

	for (int i = 0; i < n; i++)
		r += pass_on(i + n, 100);
	return r;
}

NOIPA int recurse(int depth, int mark)
{
	int r;

	printf("recurse %d %d\n", depth, mark);
	touch(mark);
	if (!depth)
		return 1;
	r = recurse(depth - 1, mark * 3);
	touch(r);
	return r + 1;
}

/* Through a pointer: not described. */
NOIPA int by_pointer(int (*volatile f)(int, long)) { return f(7, 8) + 1; }

/* By jumps: the frames of callers are gone. */
NOIPA int jump(int a) { return lose(a + 1, a + 2); }
NOIPA int ping(int a, int b);
NOIPA int pong(int a, int b)
{
	touch(a);
	return a ? ping(a - 1, b) : b;
}
NOIPA int ping(int a, int b)
{
	touch(b);
	touch(a & 1);
	touch(3);
	return pong(sink & 1, 5);
}

/* Gone where it is not used: the compiler no longer passes it. */
static __attribute__((noinline)) int dropped(int used, int unused)
{
	touch(used);
	touch(unused & 0);
	return used + 1;
}

int main(void)
{
	from_constants();
	from_kept(3);
	from_above(2);
	recurse(2, 5);
	by_pointer(lose);
	jump(20);
	ping(1, 9);
	sink += dropped(1, 11);
	sink += dropped(2, 22);
	return sink == 0;
}
