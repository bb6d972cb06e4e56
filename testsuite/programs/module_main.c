/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program and its library, each with variables, some of them thread-local. */
#include <pthread.h>

int lib_add(int a);

int main_count = 11;
static const char *volatile main_name = "main's";
__thread int per_thread = 5;
static __thread struct { long a; char name[10]; } own = {9, "own"};

__attribute__((noipa)) int step(int x)
{
	per_thread += x;
	own.a--;
	return lib_add(x) + per_thread;
}

static void *run(void *arg)
{
	step(100);
	return arg;
}

int main(void)
{
	pthread_t t;

	step(1);
	pthread_create(&t, 0, run, 0);
	pthread_join(t, 0);
	step(2);
	return main_name[0] == 0;
}
