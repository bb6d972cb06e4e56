/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `threads T N`: T threads call step(thread, i) N times each. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static long calls;

__attribute__((noipa)) long step(long thread, long i)
{
	__asm__ volatile("" : : : "memory");
	return thread + i;
}

static void *run(void *arg)
{
	for (long i = 0; i < calls; i++)
		step((intptr_t)arg, i);
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 4;
	pthread_t *t = calloc((size_t)n, sizeof *t);

	calls = argc > 2 ? atol(argv[2]) : 100;
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, run, (void *)(intptr_t)i))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}
