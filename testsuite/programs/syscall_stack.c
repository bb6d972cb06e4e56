/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call from some functions deep; with an argument as 32-bit programs make it, and others of which numbers are in two halves. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
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

/* Arguments that are addresses are where 32-bit programs have memory. */
static void narrow(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	unsigned int at = (unsigned long)page, *words = (unsigned int *)page;

	words[0] = 1 << (SIGUSR1 - 1);
	words[16] = at + 128;
	words[17] = at + 160;
	strcpy((char *)page + 96, "/nowhere/file");
	strcpy((char *)page + 128, "one");
	strcpy((char *)page + 160, "two words");
	COMPAT_CALL(37, 99999999, 10);				/* kill */
	COMPAT_CALL(238, 99999999, 10);				/* tkill */
	COMPAT_CALL(270, 99999999, 99999998, 10);		/* tgkill */
	COMPAT_CALL(175, 0, at, 0, 8);				/* rt_sigprocmask */
	COMPAT_CALL(176, at + 8, 8);				/* rt_sigpending */
	COMPAT_CALL(11, at + 96, at + 64, 0);			/* execve */
	COMPAT_CALL(358, -100, at + 96, at + 64, 0, 0);		/* execveat */
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
	if (argc > 2)
		narrow();
	return 0;
}
