/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look() is given memory that a script changes; prints its contents afterwards, and the signal received. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t came;

static void on_signal(int number) { came = number; }

__attribute__((noipa)) int look(void *numbers, char *text)
{
	__asm__ volatile("" : : "r"(numbers), "r"(text) : "memory");
	return 0;
}

int main(void)
{
	struct { uint8_t c; uint16_t s; uint32_t i; uint64_t l, p; } n = {1, 1, 1, 1, 1};
	char text[32];

	signal(SIGUSR1, on_signal);
	memset(text, '-', sizeof text - 1);
	text[sizeof text - 1] = 0;
	look(&n, text);
	printf("%u %u %u %lu %lx\n", n.c, n.s, n.i, n.l, n.p);
	for (size_t i = 0; i < sizeof text - 1; i++)
		putchar(text[i] ? text[i] : '.');
	puts("");
	printf("%d\n", came);
	return 0;
}
