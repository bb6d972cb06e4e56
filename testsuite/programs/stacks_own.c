/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread with several stacks: coroutines above and below its own, and one of signal handlers.
 * Calls are pending on all of them, and return in another order than they were made. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
enum { ROUTINES = 4, ROUNDS = 5, SIZE = 65536 };

static __thread ucontext_t back, routine[ROUTINES];
static __thread int current;
static char data_stack[2][SIZE];

NOINLINE long deep(long n)
{
	volatile long more = n > 0 ? deep(n - 1) : 0;

	return more + 1;
}

NOINLINE long wait_for_turn(long n)
{
	volatile long depth = deep(n % 3);

	swapcontext(&routine[current], &back);
	return depth;
}

NOINLINE long rounds(long id)
{
	volatile long sum = 0;

	for (long i = 0; i < ROUNDS; i++)
		sum += wait_for_turn(id + i);
	return sum;
}

static __thread long sums[ROUTINES];

static void body(int id)
{
	sums[id] = rounds(id);
	swapcontext(&routine[id], &back);
}

NOINLINE long next(int id)
{
	volatile long depth = deep(id);

	current = id;
	swapcontext(&back, &routine[id]);
	return depth;
}

static volatile long handled;

NOINLINE void on_signal(int sig)
{
	handled += deep(sig % 4);
}

NOINLINE long signals(long n)
{
	volatile long before = handled;

	for (long i = 0; i < n; i++)
		raise(SIGUSR1);
	return handled - before;
}

static void *stack(int id)
{
	if (id < 2)
		return data_stack[id];
	return id == 2 ? malloc(SIZE)
		       : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
}

NOINLINE static void *run(void *arg)
{
	long depth = 0;

	for (int id = 0; id < ROUTINES; id++) {
		getcontext(&routine[id]);
		routine[id].uc_stack.ss_sp = stack(id);
		routine[id].uc_stack.ss_size = SIZE;
		makecontext(&routine[id], (void (*)(void))body, 1, id);
	}
	for (int i = 0; i <= ROUNDS; i++)
		for (int id = 0; id < ROUTINES; id++)
			depth += next((id + i) % ROUTINES);
	printf("%ld", depth);
	for (int id = 0; id < ROUTINES; id++)
		printf(" %ld", sums[id]);
	printf(" %ld\n", signals(10));
	return arg;
}

int main(void)
{
	stack_t alternate = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	pthread_t thread;

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &a, NULL);
	run(NULL);
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
