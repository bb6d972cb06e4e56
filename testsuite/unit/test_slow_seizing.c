/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee.c: while many threads are seized, which takes its time, a timer's handler reaps those that
 * have ended. It leaves those that have stopped. Here another thread has it run all the time.
 */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS = 100, ROUNDS = 20, WAIT_MS = 5000, AGAIN_MS = 2 };

/* Turns of the target's threads. */
static struct shared {
	volatile long ready;
	volatile long turns[THREADS];
} * shared;

static void nap_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void *run(void *number)
{
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELAXED);
	for (;; nap_ms(5))
		shared->turns[(long)number]++;
	return NULL;
}

static void run_target(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	for (long i = 1; i < THREADS; i++)
		if (pthread_create(&thread, NULL, run, (void *)i))
			_exit(1);
	run(NULL);
}

/* Number of threads that go on. */
static int count_moving(void)
{
	long before[THREADS];
	int moving = 0;

	for (int i = 0; i < THREADS; i++)
		before[i] = shared->turns[i];
	for (int ms = 0; ms < WAIT_MS && moving < THREADS; ms++) {
		nap_ms(1);
		moving = 0;
		for (int i = 0; i < THREADS; i++)
			moving += shared->turns[i] > before[i];
	}
	return moving;
}

static size_t count_stopped(const struct tracee *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->v[i].stopped;
	return n;
}

/* Send the first thread, which has a handler since its first stop, the signal of the timer. */
static void *send_signals(void *first)
{
	for (;; nap_ms(AGAIN_MS))
		pthread_kill(*(pthread_t *)first, SIGALRM);
	return NULL;
}

int main(void)
{
	static pthread_t first, sender;
	int wrong = 0, still = 0;
	pid_t target;

	first = pthread_self();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	target = fork();
	if (!target)
		run_target();
	for (int ms = 0; ms < WAIT_MS && shared->ready < THREADS; ms++)
		nap_ms(1);
	for (int i = 0; i < ROUNDS && !wrong && !still; i++) {
		struct tracee t;

		if (tracee_stop(&t, target)) {
			wrong++;
			break;
		}
		wrong += count_stopped(&t) != THREADS;
		tracee_release(&t);
		still += count_moving() != THREADS;
		if (i == 0)
			check(!pthread_create(&sender, NULL, send_signals, &first),
			      "signals are sent", "they are not");
	}
	check(!wrong, "all threads are stopped", "some are not");
	check(!still, "all threads go on", "some do not");
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	return failed;
}
