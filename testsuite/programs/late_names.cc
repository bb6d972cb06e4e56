/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a library's function by functions that the program does not export: for names that staprun looks up. */
#include <cstdio>
#include <unistd.h>

namespace shop {
struct Order {
	__attribute__((noinline)) void pay(int amount)
	{
		for (int i = 0; i < amount; i++)
			getppid();
		__asm__ volatile("");
	}
};
}

static __attribute__((noinline)) void plain(shop::Order *order)
{
	order->pay(1);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	shop::Order order;

	/* another program takes this one's place */
	if (argc > 1 && rename(argv[1], argv[0]))
		return 1;
	plain(&order);
	return 0;
}
