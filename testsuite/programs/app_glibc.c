/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps, threads and locks for the probe points of glibc; `tell' prints the addresses. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
jmp_buf place;

void *work(void *given)
{
	pthread_mutex_lock(&lock);
	free(malloc(100));
	pthread_mutex_unlock(&lock);
	return given;
}

int main(void)
{
	pthread_t thread;
	volatile int n = 0;

	if (setjmp(place) < 2)
		longjmp(place, ++n);
	pthread_create(&thread, NULL, work, (void *)7);
	pthread_join(thread, NULL);
	return 0;
}
