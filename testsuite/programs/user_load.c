/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A busy program that checks itself, for scripts that come and go.
 *
 *   load work T FILE      T threads compute by many small functions until FILE exists
 *   load births FILE      the same by threads that live shortly, two at a time, some born by others
 *   load steps N [T]      T threads (1) call step() N times each
 *   load wait FILE N      waits within inside(), three calls deep, until FILE exists; then N calls more
 *   load pending FILE N   waits until FILE.in exists, then the same, five calls deep
 *   load gate FILE N      waits until FILE exists, then calls step() N times
 *   load forks P T N      P processes, T threads each, N steps each
 * Prints what was called, and `right' if results are.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define OUTSIDE __attribute__((noinline, optnone))
#else
#define OUTSIDE __attribute__((noipa))
#endif

static const char *file;
static long calls;
static volatile int wrong;

static int there(void) { return !access(file, F_OK); }

OUTSIDE long step(long who, long i)
{
	__asm__ volatile("" : : : "memory");
	return who + i;
}

OUTSIDE uint64_t mix(uint64_t x) { return (x ^ x >> 29) * 0x9e3779b97f4a7c15ull; }
OUTSIDE uint64_t fold(uint64_t x, int n)
{
	volatile uint64_t r = n ? fold(mix(x + n), n - 1) : x;

	return r;
}
OUTSIDE uint64_t tail(uint64_t x) { return mix(x + 1); }
OUTSIDE int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}
OUTSIDE uint64_t sorted(uint64_t seed)
{
	uint64_t v[16], all = 0;

	for (int i = 0; i < 16; i++)
		v[i] = seed = tail(seed);
	qsort(v, 16, sizeof *v, compare);
	for (int i = 0; i < 16; i++)
		all = all * 31 + v[i];
	return all;
}
OUTSIDE uint64_t text(uint64_t x)
{
	char s[64], *p = malloc(64);

	snprintf(s, sizeof s, "%lu %.3f", (unsigned long)x, (double)(x % 1000) / 7);
	strcpy(p, s);
	x = strlen(p) + (uint64_t)p[3];
	free(p);
	return x;
}
OUTSIDE uint64_t round_trip(uint64_t n) { return fold(n, 12) + sorted(n) + text(n); }

/* -------------------------------------------------------------------- load */

static uint64_t wanted[16];

static void *work(void *arg)
{
	long n = 0;

	for (; n % 256 || !there(); n++)
		if (round_trip(n % 16) != wanted[n % 16])
			wrong++;
	return (void *)n;
}

static void *short_life(void *arg)
{
	pthread_t t;
	long depth = (long)arg;

	if (depth && !pthread_create(&t, NULL, short_life, (void *)(depth - 1)))
		pthread_join(t, NULL);
	for (int n = 0; n < 20; n++)
		if (round_trip(n % 16) != wanted[n % 16])
			wrong++;
	return NULL;
}

static void *births(void *arg)
{
	long n = 0;

	for (; !there(); n++) {
		pthread_t t;
		if (pthread_create(&t, NULL, short_life, (void *)(n % 3)))
			continue;
		if (n % 4)
			pthread_join(t, NULL);
		else
			pthread_detach(t);
	}
	return (void *)n;
}

static void *steps(void *arg)
{
	for (long i = 0; i < calls; i++)
		if (step((intptr_t)arg, i) != (intptr_t)arg + i)
			wrong++;
	return (void *)calls;
}

static long threads(long n, void *(*run)(void *))
{
	pthread_t t[64];
	long all = 0;

	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, run, (void *)(intptr_t)i))
			exit(1);
	for (long i = 0; i < n; i++) {
		void *r;
		pthread_join(t[i], &r);
		all += (long)r;
	}
	return all;
}

static long forks(long processes, long t)
{
	long all = 0;

	for (long i = 0; i < processes; i++)
		if (!fork())
			_exit(threads(t, steps) != t * calls || wrong);
	for (long i = 0; i < processes; i++) {
		int status;
		wait(&status);
		wrong += status != 0;
		all += t * calls;
	}
	return all;
}

OUTSIDE long inside(long depth)
{
	volatile long r = 1;

	if (depth)
		r = inside(depth - 1) + 1;
	else
		while (!there())
			usleep(2000);
	return r;
}

static long gate(void)
{
	printf("ready\n");
	fflush(stdout);
	while (!there())
		usleep(2000);
	steps(NULL);
	return calls;
}

static long pending(void)
{
	char in[200];

	printf("ready\n");
	fflush(stdout);
	snprintf(in, sizeof in, "%s.in", file);
	while (access(in, F_OK))
		usleep(2000);
	printf("inside\n");
	fflush(stdout);
	if (inside(4) != 5)
		wrong++;
	for (long i = 0; i < calls; i++)
		if (inside(3) != 4)
			wrong++;
	return 5 + 4 * calls;
}

static long wait_inside(void)
{
	printf("ready\n");
	fflush(stdout);
	if (inside(2) != 3)
		wrong++;
	for (long i = 0; i < calls; i++)
		if (inside(3) != 4)
			wrong++;
	return 3 + 4 * calls;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	long all = 0;

	for (int i = 0; i < 16; i++)
		wanted[i] = round_trip(i);
	file = argv[2];
	calls = argc > 2 ? atol(argv[argc - 1]) : 0;
	if (!strcmp(how, "work")) {
		file = argv[3];
		all = threads(atol(argv[2]), work);
	} else if (!strcmp(how, "births"))
		all = threads(2, births);
	else if (!strcmp(how, "steps")) {
		calls = atol(argv[2]);
		all = threads(argc > 3 ? atol(argv[3]) : 1, steps);
	} else if (!strcmp(how, "forks"))
		all = forks(atol(argv[2]), atol(argv[3]));
	else if (!strcmp(how, "gate"))
		all = gate();
	else if (!strcmp(how, "pending"))
		all = pending();
	else if (!strcmp(how, "wait"))
		all = wait_inside();
	else
		return 2;
	printf("%ld %s\n", all, wrong ? "wrong" : "right");
	return wrong != 0;
}
