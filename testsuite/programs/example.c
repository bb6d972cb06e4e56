/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the examples: threads, a global variable, sorting, functions with parameters. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int level;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void *worker(void *p)
{
	pthread_mutex_lock(&lock);
	usleep(2000);
	pthread_mutex_unlock(&lock);
	return p;
}

__attribute__((noinline)) int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) int area(int width, int height)
{
	level += width;
	if (width > 2)
		return width * height;
	return 0;
}

__attribute__((noinline)) void copy(char *to, const char *from, unsigned long n)
{
	memcpy(to, from, n);
}

int main(void)
{
	pthread_t t[3];
	int v[100];
	char to[100];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 100; i++)
		v[i] = i * 7 % 100;
	qsort(v, 100, sizeof *v, by_value);
	for (int i = 0; i < 5; i++)
		printf("%d\n", area(i, 2));
	copy(to, "abc", 4);
	copy(to, "Many words make no wood.", 25);
	return to[0] != 'M';
}
