/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `shared SEED`: a traced process that writes random values to the memory that it shares with
 * staprun, at times and addresses that SEED determines. Prints the number of writes. With an odd
 * SEED it has stopped calling probed functions by then, so that only staprun's processes read the
 * damage; otherwise this process may crash, too.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REGIONS = 16, ROUNDS = 40, BURST = 60, SEARCH = 200 };
enum { STATE_BYTES = 64 << 10, NEAR_BYTES = 4 << 20 };

static uint64_t seed;
static volatile bool calling = true;
static struct region {
	uint64_t *p;
	size_t words;
} regions[MAX_REGIONS];
static size_t nregions;

static uint64_t any(uint64_t n) /* xorshift64* */
{
	seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
	return (seed * 2685821657736338717u >> 20) % n;
}

static void nap(long ns)
{
	const struct timespec ts = {0, ns};

	nanosleep(&ts, NULL);
}

/* --------------------------------------------------------------- what is probed */

__attribute__((noipa)) long work(long i, const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return i * 3;
}

__attribute__((noipa)) long deep(long n) { return n ? deep(n - 1) + 1 : work(n, "deep"); }

static void *call(void *arg)
{
	for (long i = 0; calling; i++) {
		work(i, "some text of a fair length, so that records are not all short");
		if (i % 16 == 0)
			deep(i % 7);
		nap(100000);
	}
	return arg;
}

/* -------------------------------------------------------------- what is written */

/* Shared, writable mappings of unnamed files; of large ones, which are the heap, the start is
 * used. */
static void find_regions(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], perm[8];
	uint64_t start, end;

	nregions = 0;
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &start, &end, perm) == 3 &&
		    perm[1] == 'w' && perm[3] == 's' && strstr(line, "memfd:") &&
		    nregions < MAX_REGIONS) {
			size_t n = end - start < NEAR_BYTES ? end - start : NEAR_BYTES;

			regions[nregions++] = (struct region){(uint64_t *)start,
							      n / sizeof(uint64_t)};
		}
	if (f)
		fclose(f);
}

static uint64_t value(const struct region *r, uint64_t old)
{
	static const uint64_t odd[] = {
		0,          1,          2,          7,         63,         64,
		255,        4095,       4096,       65535,     1u << 31,   UINT32_MAX,
		1ull << 32, 1ull << 47, 1ull << 48, INT64_MAX, 1ull << 63, UINT64_MAX - 4095,
		UINT64_MAX};
	uint64_t low = (uint64_t)r->p;

	switch (any(9)) {
	case 0:
		return odd[any(sizeof odd / sizeof *odd)];
	case 1:
		return old ^ 1ull << any(64);
	case 2:
		return old + any(17) - 8;
	case 3:
		return old * (1 + any(1000));
	case 4:
		return low + any(r->words * 8); /* into the same memory */
	case 5:
		return low - 4096 + any(8192);
	case 6:
		return r->p[any(r->words)]; /* a value from another address */
	case 7:
		return (old & ~0xffffffffull) | (odd[any(sizeof odd / sizeof *odd)] & 0xffffffff);
	default:
		return any(UINT64_MAX);
	}
}

/* Mostly used memory: words other than 0, near the start, where the agent's state is. */
static size_t place(const struct region *r)
{
	size_t most = any(2) && r->words > STATE_BYTES / 8 ? STATE_BYTES / 8 : r->words,
	       at = any(most);

	for (int i = 0; i < SEARCH && !r->p[at] && any(8); i++)
		at = at + 1 < r->words ? at + 1 : 0;
	return at;
}

static unsigned write_some(void)
{
	const struct region *r = &regions[any(nregions)];
	unsigned n = 1 + (unsigned)any(BURST);
	size_t at = place(r);

	if (any(10) == 0) { /* one value, over many words */
		uint64_t v = value(r, r->p[at]);

		for (unsigned i = 0; i < n && at + i < r->words; i++)
			r->p[at + i] = v;
		return n;
	}
	for (unsigned i = 0; i < n; i++, at = any(4) ? place(r) : (at + 1) % r->words)
		r->p[at] = value(r, r->p[at]);
	return n;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	unsigned written = 0;
	uint64_t number = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	nap(30000000 + (long)any(40000000));
	if (number % 2) {
		calling = false;
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	find_regions();
	for (int i = 0; nregions && i < ROUNDS; i++) {
		written += write_some();
		if (any(3) == 0)
			nap((long)any(12000000));
	}
	printf("%s writes\n", nregions ? written ? "some" : "no" : "nothing shared, no");
	fflush(stdout);
	_exit(0);
}
