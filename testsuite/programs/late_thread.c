/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As a program, calls step(). As a preloaded library, lets new threads of staprun's tracer begin a
 * second late, as a busy machine can.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef LIBRARY
typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct start {
	void *(*run)(void *);
	void *arg;
};

static void *run_late(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	sleep(1);
	return s.run(s.arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	create_fn *create = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	struct start *s = malloc(sizeof *s);
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	if (!s || strcmp(name, "staprun-tracer"))
		return create(thread, attr, run, arg);
	*s = (struct start){run, arg};
	return create(thread, attr, run_late, s);
}
#else
__attribute__((noipa)) int step(int n) { return n + 1; }

int main(void)
{
	printf("%d\n", step(1));
	return 0;
}
#endif
