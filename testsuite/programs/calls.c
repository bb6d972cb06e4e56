/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known calls with known values, for probes on functions.  Prints nothing.
 * `calls N` makes N rounds (1).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct point { int x; short y; };

struct box {
	char name[16];
	struct point *at;
	struct point corner[2];
	unsigned bits : 3;
	int neg : 5;
	struct box *next;
	long total;
	const char *label;
};

int limit = 7;
volatile long sink;

__attribute__((noipa)) int add(int a, int b)
{
	sink += a;
	return a + b;
}

/* Uses the result, so that it stays a call. */
__attribute__((noipa)) long factorial(long n)
{
	long below = n <= 1 ? 1 : factorial(n - 1);

	sink += below;
	return n * below;
}

__attribute__((noipa)) struct box *find(struct box *b, const char *name)
{
	while (b && strcmp(b->name, name))
		b = b->next;
	return b;
}

__attribute__((noipa)) void walk_left(unsigned char c) { sink += c; }
__attribute__((noipa)) void walk_right(signed char c) { sink += c; }
__attribute__((noipa)) void nothing(void) { sink++; }

static void round_trip(int i)
{
	struct point p = {-3, 9};
	struct box second = {.name = "second", .at = &p, .bits = 5, .neg = -2, .total = 1L << 40,
			     .label = "label of second"};
	struct box first = {.name = "first", .next = &second, .label = "first's"};

	second.corner[1].x = 11;
	add(i, -5);
	factorial(4);
	find(&first, "second");
	find(&first, "third");
	walk_left(200);
	walk_right(-56);
	nothing();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++)
		round_trip(i);
	return 0;
}
