/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namespace_children [COMMAND...]: three children at a time, each with a child of its own that is
 * process 1 of a new pid namespace, and executes COMMAND or calls item() four times. They meet at a
 * barrier first, so all live at the same time. With `once' it calls item() itself.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static pthread_barrier_t *all_alive;

__attribute__((noinline)) int item(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

static int first_process(char **command)
{
	pthread_barrier_wait(all_alive);
	if (*command)
		return execv(*command, command);
	for (int i = 0; i < 4; i++)
		item(i);
	pthread_barrier_wait(all_alive);
	return 0;
}

static int child(char **command)
{
	int status;

	if (unshare(CLONE_NEWPID)) {
		perror("unshare");
		return 1;
	}
	if (!fork())
		_exit(first_process(command));
	return wait(&status) < 0 || status;
}

int main(int argc, char **argv)
{
	pthread_barrierattr_t shared;

	if (argc > 1 && !strcmp(argv[1], "once"))
		return item(0);
	all_alive = mmap(NULL, sizeof *all_alive, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(all_alive, &shared, CHILDREN);
	for (int i = 0; i < CHILDREN; i++)
		if (!fork())
			_exit(child(argv + 1));
	while (wait(NULL) > 0)
		;
	return 0;
}
