/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that map and unmap memory while others call leaf() through one(), two() and three(), 6,000 times each. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum { CALLS = 6000, CALLERS = 3, MAPPERS = 2 };

static volatile int left = CALLERS;

__attribute__((noipa)) int leaf(int x)
{
	__asm__ volatile("" : : : "memory");
	return x + 1;
}

__attribute__((noipa)) int three(int x) { return leaf(x) + 1; }
__attribute__((noipa)) int two(int x) { return three(x) + 1; }
__attribute__((noipa)) int one(int x) { return two(x) + 1; }

static void *call(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		one(i);
	__atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *map(void *arg)
{
	while (left)
		munmap(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), 65536);
	return arg;
}

int main(void)
{
	pthread_t t[CALLERS + MAPPERS];

	for (int i = 0; i < CALLERS + MAPPERS; i++)
		pthread_create(&t[i], NULL, i < CALLERS ? call : map, NULL);
	for (int i = 0; i < CALLERS + MAPPERS; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
