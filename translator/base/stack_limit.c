/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shell may have set a limit for the programs that it traces, or for their many threads. */
#include <sys/resource.h>
#include "stack_limit.h"

/* In bytes: scripts may be nested a thousand levels deep, each of which takes some hundred bytes in
 * each pass. */
enum { WANTED = 8 << 20, FEWEST = 1 << 20 };

static struct rlimit before, raised;

unsigned long long stack_limit_raise(void)
{
	/* a bundle is made of several command lines, one after the other */
	if (raised.rlim_cur || getrlimit(RLIMIT_STACK, &before) || before.rlim_cur >= WANTED)
		return 0;
	raised = before;
	raised.rlim_cur = before.rlim_max < WANTED ? before.rlim_max : WANTED;
	if (setrlimit(RLIMIT_STACK, &raised))
		raised = before;
	return raised.rlim_cur < FEWEST ? raised.rlim_cur >> 10 : 0;
}

void stack_limit_restore(void)
{
	struct rlimit now;

	/* --rlimit-stack may have changed it since */
	if (raised.rlim_cur != before.rlim_cur && !getrlimit(RLIMIT_STACK, &now) &&
	    now.rlim_cur == raised.rlim_cur)
		setrlimit(RLIMIT_STACK, &before);
}

int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = pthread_attr_setstacksize(&attr, WANTED);
	if (!err)
		err = pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return err;
}
