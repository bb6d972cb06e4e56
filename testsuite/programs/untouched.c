/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads, each of which gives take() sixteen new pages, 400 times, that have not been touched yet. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum { CALLS = 400, THREADS = 3, BYTES = 16 * 4096 };

__attribute__((noipa)) const char *take(const char *pages)
{
	__asm__ volatile("" : : "r"(pages) : "memory");
	return pages;
}

static void *call(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED || take(pages) != pages)
			return NULL;
		munmap(pages, BYTES);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	void *done;
	int n = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, call, t);
	for (int i = 0; i < THREADS; i++)
		if (!pthread_join(t[i], &done) && done)
			n++;
	printf("%d done\n", n);
	return 0;
}
