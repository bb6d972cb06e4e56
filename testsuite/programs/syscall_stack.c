/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call from some functions deep; with an argument as 32-bit programs make it. */
#include <sys/syscall.h>
#include <unistd.h>

static volatile int sink;

static long compat_call(long number, long a, long b)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

__attribute__((noinline)) static void innermost(int compat)
{
	sink = compat ? compat_call(96, 7777, 5) : syscall(SYS_getpriority, 7777, 5);
}

__attribute__((noinline)) static void middle(int compat)
{
	innermost(compat);
	sink++;
}

__attribute__((noinline)) static void outermost(int compat)
{
	middle(compat);
	sink++;
}

int main(int argc, char **argv)
{
	(void)argv;
	outermost(argc > 1);
	return 0;
}
