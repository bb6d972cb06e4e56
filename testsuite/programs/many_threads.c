/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many_threads N: starts N threads that wait, and ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, &attr, wait_for_ever, NULL)) {
			perror("pthread_create");
			return 1;
		}
	puts("all there");
	return 0;
}
