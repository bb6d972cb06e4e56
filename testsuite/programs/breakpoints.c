/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that begins with a breakpoint of the program's own, and one that does not. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t traps;

void stop_here(void);
asm(".text\n"
    ".globl stop_here\n"
    ".type stop_here, @function\n"
    "stop_here: int3\n ret\n.size stop_here, . - stop_here\n");

__attribute__((noipa)) void step_here(void) { asm volatile("nop\n nop\n nop\n nop\n nop"); }

static void count(int signal) { traps++; }

int main(void)
{
	signal(SIGTRAP, count);
	for (int i = 0; i < 3; i++) {
		stop_here();
		step_here();
	}
	printf("%d traps\n", (int)traps);
	return 0;
}
