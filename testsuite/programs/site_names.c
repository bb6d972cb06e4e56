/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with several names, and two inlined functions that begin at one
 * address. Prints nothing. */
#include <signal.h>

volatile long sink;

__attribute__((noipa)) int shut(int n)
{
	sink += n;
	return n + 1;
}
int shut64(int n) __attribute__((alias("shut")));
int __shut(int n) __attribute__((weak, alias("shut")));

__attribute__((noipa)) int wide(int n)
{
	sink -= n;
	return n - 1;
}

static inline __attribute__((always_inline)) void innermost(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop");
}
static inline __attribute__((always_inline)) void middle(void) { innermost(); }

__attribute__((noipa)) void outside(void)
{
	middle();
	sink++;
}

int main(void)
{
	shut(1);
	shut64(2);
	__shut(3);
	wide(4);
	outside();
	raise(0);
	return 0;
}
