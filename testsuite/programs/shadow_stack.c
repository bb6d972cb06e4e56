/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As a program, calls step() three times. As a library, asks for a shadow stack in its constructor,
 * as the dynamic linker does, and says whether the call got to the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBRARY
__attribute__((constructor)) static void enable(void)
{
	const long enable = 0x5001, shadow_stack = 1;

	if (syscall(SYS_arch_prctl, enable, shadow_stack) && errno == ENOSYS)
		puts("no such call");
	fflush(stdout);
}
#else
__attribute__((noipa)) int step(int i) { return i + 1; }

int main(void)
{
	int i = 0;

	while (i < 3)
		i = step(i);
	printf("%d steps\n", i);
	return 0;
}
#endif
