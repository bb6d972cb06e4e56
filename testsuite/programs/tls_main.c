/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that use thread-local variables of tls_lib.c, and of one more that comes by dlopen(). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

int before(int), where(int), report(const char *);
static __thread int mine = 1;
static int (*late_before)(int), (*late_where)(int), (*late_report)(const char *);

__attribute__((noipa)) int tick(int x)
{
	mine += x;
	return mine;
}

static void all(int step, const char *who)
{
	before(step);
	where(step);
	report(who);
	if (late_where) {
		late_before(step);
		late_where(step);
		late_report(who);
	}
	tick(step);
	fflush(stdout);
}

static void *run(void *arg)
{
	all(5, arg);
	return NULL;
}

int main(int argc, char **argv)
{
	void *late = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t t;

	if (late) {
		late_before = (int (*)(int))dlsym(late, "before");
		late_where = (int (*)(int))dlsym(late, "where");
		late_report = (int (*)(const char *))dlsym(late, "report");
	}
	all(1, "first");
	pthread_create(&t, NULL, run, "second");
	pthread_join(t, NULL);
	all(2, "first");
	return 0;
}
