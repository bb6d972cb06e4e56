/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program without any library (-nostdlib -static): no thread pointer, no symbols but its own, the
 * stack as the kernel gives it.  Calls step() 1,000 times and prints `right'. */
static long call(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}

__attribute__((noipa)) long step(long i)
{
	__asm__ volatile("" : : : "memory");
	return i + 1;
}

__attribute__((noipa, force_align_arg_pointer)) void _start(void)
{
	long wrong = 0;

	for (long i = 0; i < 1000; i++)
		wrong += step(i) != i + 1;
	call(1, 1, (long)(wrong ? "wrong\n" : "right\n"), 6);
	call(60, 0, 0, 0);
}
