/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that kernels do not probe: locked() begins with one, step() has one behind another,
 * changed() gets one. */
#include <stdio.h>

void locked(int *p);
void changed(int *p);
asm(".text\n"
    ".type locked, @function\n"
    "locked: lock incl (%rdi)\n ret\n.size locked, . - locked\n"
    ".type changed, @function\n"
    "changed: .byte 0x48, 0xff, 0x07, 0x0f, 0x1f, 0x80, 0x78, 0x56, 0x34, 0x12\n ret\n.size "
    "changed, . - changed\n");

__attribute__((noipa)) void step(int *p)
{
	asm volatile("mov %%edi, %%ecx" ::: "ecx");
	__atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); /* line 18 */
}

int main(void)
{
	static int n[2];

	for (int i = 0; i < 1000; i++) {
		locked(n);
		step(n);
		changed(n);
	}
	return n[0] != 3000;
}
