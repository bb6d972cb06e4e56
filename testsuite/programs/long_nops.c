/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nops of five bytes at the entry of a function, and behind the entry of functions that keep data
 * below the stack pointer and that do not. */
#include <stdio.h>

#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0, 0\n"

__asm__(".text\n.type entry, @function\nentry: " NOP5 "ret\n.size entry, .-entry\n");
void entry(void);

__attribute__((noipa)) static long leaf(long x)
{
	volatile long kept = x;

	__asm__ volatile(NOP5);
	return kept;
}

__attribute__((noipa)) static long movable(long x)
{
	volatile long kept = x;

	__asm__ volatile(NOP5 "nop\n");
	return kept;
}

__attribute__((noipa)) static long caller(long x)
{
	x += leaf(x);
	__asm__ volatile(NOP5);
	return movable(x);
}

/* As STAP_PROBE() with SDT_LONG_NOP. */
__attribute__((noipa)) static long marked(long x)
{
	long twice = x + leaf(x);

	__asm__ volatile("nop\n" NOP5);
	return twice - leaf(x);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		entry();
		sum += marked(caller(i));
	}
	printf("%ld\n", sum);
	return 0;
}
