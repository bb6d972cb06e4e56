/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of memory that a script shares with the processes it traces.
 *
 *   data killed N     N times a child that calls step() all the time is killed; then 100 calls step(last, i)
 *   data scribble N   calls step(), then writes random words, seed N, all over the memory that the script
 *                     has mapped shared and writable into this process, and kills itself
 *   data wipe N       the same, but it writes zeros
 *   data close N      closes all files and calls step() N times
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX = 64 };

__attribute__((noipa)) long step(const char *who, long i)
{
	__asm__ volatile("" : : "r"(who) : "memory");
	return i + 1;
}

static int killed(long n)
{
	long bad = 0;

	srand((unsigned)n);
	for (long k = 0; k < n; k++) {
		pid_t pid = fork();

		if (!pid)
			for (long i = 0;; i++)
				step("child", i);
		usleep((useconds_t)(rand() % 5000) + 200);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	for (long i = 0; i < 100; i++)
		bad += step("last", i) != i + 1;
	return bad != 0;
}

/* Shared mappings of deleted or anonymous files: their start and length, from /proc/self/maps. */
static int shared(uint64_t *start, uint64_t *length)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1000];
	int n = 0;

	while (n < MAX && fgets(line, sizeof line, f)) {
		uint64_t from, to;
		char access[8];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, access) == 3 &&
		    !strcmp(access, "rw-s") && strstr(line, "memfd:ustap")) {
			start[n] = from;
			length[n++] = to - from;
		}
	}
	fclose(f);
	return n;
}

/* The loader notices, and takes its memory away. */
static void unmapped(int sig) { (void)sig; kill(getpid(), SIGKILL); }

static int scribble(long seed, int wipe)
{
	uint64_t start[MAX], length[MAX], x = (uint64_t)seed * 0x9e3779b97f4a7c15ull + 1;
	int n;

	for (long i = 0; i < 100; i++)
		step("before", i);
	n = shared(start, length);
	signal(SIGSEGV, unmapped);
	printf("%d %s\n", n > 0, n > 0 ? "found" : "nothing found");
	fflush(stdout);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < n; i++) {
			volatile uint64_t *p = (volatile uint64_t *)start[i];

			/* the first part wholly, the rest here and there */
			for (uint64_t k = 0; k < length[i] / 8; k += k < 1 << 17 ? 1 : x >> 40 & 511) {
				x = x * 6364136223846793005ull + 1442695040888963407ull;
				p[k] = wipe ? 0 : seed % 3 == 1 ? x : seed % 3 == 2 ? x >> 40 : ~0ull;
			}
		}
		usleep(20000);
	}
	kill(getpid(), SIGKILL);
	return 1;
}

static int close_all(long n)
{
	long bad = 0;
	int out = dup2(1, 400);

	for (int fd = 0; fd < 1024; fd++)
		if (fd != out)
			close(fd);
	for (long i = 0; i < n; i++)
		bad += step("closed", i) != i + 1;
	dprintf(out, "%s\n", bad ? "wrong" : "right");
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 3)
		return 2;
	switch (argv[1][0]) {
	case 'k': return killed(n);
	case 's': return scribble(n, 0);
	case 'w': return scribble(n, 1);
	case 'c': return close_all(n);
	}
	return 2;
}
