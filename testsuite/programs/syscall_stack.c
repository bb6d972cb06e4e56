/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call from some functions deep; with an argument as 32-bit programs make it, and others of which numbers are in two halves. */
#include <sys/syscall.h>
#include <unistd.h>

static volatile int sink;

static long compat_call(long number, const int *arg)
{
	long result, sixth = arg[5];

	__asm__ volatile("xchg %%rbp, %1; int $0x80; xchg %%rbp, %1" : "=a"(result), "+r"(sixth)
			 : "0"(number), "b"(arg[0]), "c"(arg[1]), "d"(arg[2]), "S"(arg[3]), "D"(arg[4]) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

#define COMPAT_CALL(number, ...) compat_call(number, (int[6]){__VA_ARGS__})

/* 8 with 4 GB more, 16 with 8 GB more, where there are halves. */
static void halves(void)
{
	COMPAT_CALL(180, -1, 0, 5, 8, 1);		/* pread64 */
	COMPAT_CALL(181, -1, 0, 5, 8, -1);		/* pwrite64 */
	COMPAT_CALL(93, -1, 8, 1);			/* ftruncate */
	COMPAT_CALL(194, -1, 8, 1);			/* ftruncate64 */
	COMPAT_CALL(225, -1, 8, 1, 16);			/* readahead */
	COMPAT_CALL(250, -1, 8, 1, 16, 3);		/* fadvise64 */
	COMPAT_CALL(272, -1, 8, 1, 16, 2, 4);		/* fadvise64_64 */
	COMPAT_CALL(314, -1, 8, 1, 16, 2, 4);		/* sync_file_range */
	COMPAT_CALL(324, -1, 1, 8, 1, 16, 2);		/* fallocate */
	COMPAT_CALL(333, -1, 0, 0, 8, 1);		/* preadv */
	COMPAT_CALL(379, -1, 0, 0, 8, 1, 8);		/* pwritev2 */
	COMPAT_CALL(339, -1, 1, 2, 1, -100, 0);		/* fanotify_mark */
}

__attribute__((noinline)) static void innermost(int compat)
{
	sink = compat ? COMPAT_CALL(96, 7777, 5) : syscall(SYS_getpriority, 7777, 5);
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
	if (argc > 1)
		halves();
	return 0;
}
