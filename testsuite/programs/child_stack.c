/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call of a library's function in a program that exports no name: for backtraces of
 * what a shell starts. */
#include <unistd.h>

__attribute__((noinline)) static void deep(void)
{
	getppid();
	__asm__ volatile("");
}

__attribute__((noinline)) static void worker(void)
{
	deep();
	__asm__ volatile("");
}

int main(void)
{
	worker();
	return 0;
}
