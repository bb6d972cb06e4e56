/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints its own ids; then calls look(). */
#include <stdio.h>
#include <unistd.h>

__attribute__((noipa)) void look(void) { __asm__ volatile("" : : : "memory"); }

int main(void)
{
	printf("%d %d %d %d %d %d %d\n", getpid(), getpid(), getppid(), getuid(), geteuid(), getgid(), getegid());
	fflush(stdout);
	look();
	return 0;
}
