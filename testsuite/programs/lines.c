/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines for statement probes: keep their numbers. */
#include <stdio.h>
#include <stdlib.h>

struct item { int price; long tax; };
int total;

static inline __attribute__((always_inline)) long gross(struct item *it, int many)
{
	long sum = it->price * many;

	sum += it->tax;
	total += many;
	return sum;
}

__attribute__((noinline)) int work(int n)
{
	struct item it = {n, 3};
	int a = n + 1;

	if (n < 0)
		goto bad;
	total = a;
	a += (int)gross(&it, n);
	total += a;
	a += (int)gross(&it, a);
	return a;
bad:
	total = -1;
	return -1;
}

int main(int argc, char **argv)
{
	int t = 0;

	(void)argv;
	for (int i = 0; i < 2; i++)
		t += work(i);
	t += work(-argc);
	return t == 12345;
}
