/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four threads call hit() with 100 keys until the file "stop" exists; prints the number of calls.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, KEYS = 100 };

__attribute__((noipa)) void hit(long key) { (void)key; }

static void *call(void *arg)
{
	long *calls = arg;

	while (access("stop", F_OK))
		for (long key = 0; key < KEYS; key++, ++*calls)
			hit(key);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	long calls[THREADS] = {0}, all = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call, &calls[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all += calls[i];
	}
	printf("%ld calls\n", all);
	return 0;
}
