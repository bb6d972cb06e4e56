/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that give a function 16 pages that have not been touched yet. */
#include <pthread.h>
#include <sys/mman.h>

enum { THREADS = 8, TURNS = 200, SIZE = 16 * 4096 };

__attribute__((noinline)) void take(const char *pages)
{
	__asm__ volatile("" : : "r"(pages) : "memory");
}

static void *run(void *arg)
{
	for (int i = 0; i < TURNS; i++) {
		void *pages = mmap(0, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		take(pages);
		munmap(pages, SIZE);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	return 0;
}
