/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls the functions of odd.S, from functions that keep values in the registers that those use. */
#include <stdio.h>
#include <stdlib.h>

int by_rbx(int), by_r12(int), by_expression(int), in_register(int), by_states(int),
	other_stack(int, void *);
typedef int (*odd_fn)(int);

static volatile int sink;

__attribute__((noipa)) int leaf(int x) { return x + sink; }
static int depth;
static odd_fn const all[] = {by_rbx, by_r12, by_expression, by_states, in_register};

__attribute__((noipa)) int round_of(int x)
{
	int a = leaf(x), b = leaf(a), c = leaf(b), d = leaf(c);

	for (int i = 0; i < 5; i++)
		a += all[i](x + i) + b, b ^= c, c += d, d -= a;
	return a + b + c + d;
}

__attribute__((noipa)) int ask(int x)
{
	int v = leaf(x);

	if (depth++ < 3)
		v += round_of(x);
	depth--;
	return v + leaf(v);
}

int main(void)
{
	char *stack = malloc(1 << 16);
	int total = 0;

	for (int i = 0; i < 3; i++)
		total += round_of(i) + by_states(-i);
	/* the heap is below the stack, so that frames still come one above the other */
	total += other_stack(1, stack + (1 << 16) - 64);
	printf("%d\n", total != 0);
	return 0;
}
