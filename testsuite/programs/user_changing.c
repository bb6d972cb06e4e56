/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target program of user/attach_changing: while it is attached to, a thread changes code between
 * the probed functions, and maps and unmaps memory near them. For each line of standard input it
 * calls the functions 100 times. "quiet": no such thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CALLS = 100, NEAR = 64 << 20, SIZE = 1 << 20 };

__attribute__((noinline, noipa)) int first(int n) { return n + 1; }

/* The byte at `changing' is not executed. */
__attribute__((noinline, noipa)) int between(int n)
{
	__asm__ volatile("jmp 1f\n.globl changing\nchanging: .byte 0x66, 0x90\n1:" : "+r"(n));
	return n + 2;
}

__attribute__((noinline, noipa)) int last(int n) { return n + 3; }

extern unsigned char changing[];

static void *change(void *unused)
{
	uint64_t here = (uint64_t)changing & -(uint64_t)4096;
	volatile unsigned char *at = changing;

	for (unsigned n = 0;; n++) {
		uint64_t near = here + (uint64_t)SIZE * (1 + n % (NEAR / SIZE));
		void *p;

		*at = n & 1 ? 0x90 : 0x66;
		p = mmap((void *)near, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p != MAP_FAILED)
			munmap(p, SIZE);
	}
	return unused;
}

int main(int argc, char **argv)
{
	uint64_t page = (uint64_t)changing & -(uint64_t)4096;
	char line[8];
	pthread_t t;

	if (argc < 2 || strcmp(argv[1], "quiet")) {
		if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) ||
		    pthread_create(&t, NULL, change, NULL))
			return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		int sum = 0;

		for (int i = 0; i < CALLS; i++)
			sum += first(i) + between(i) + last(i);
		puts(sum == 3 * CALLS * (CALLS - 1) / 2 + 6 * CALLS ? "right" : "wrong");
		fflush(stdout);
	}
	return 0;
}
