/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampled shares | threads | children | calls | signals: uses CPU time, in known functions. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static long interrupted, wrong, late;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) double cpu_time(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

static void work(double s)
{
	double end = cpu_time() + s;

	while (cpu_time() < end)
		for (int i = 0; i < 100000; i++)
			sum += (unsigned long)i;
}

/* The empty statement keeps the compiler from making the call the last one, a jump. */
__attribute__((noinline)) void first_work(void)
{
	work(0.3);
	__asm__ volatile("");
}

__attribute__((noinline)) void second_work(void)
{
	work(0.9);
	__asm__ volatile("");
}

static void *work_thread(void *arg)
{
	work(0.3);
	return arg;
}

static void *sleep_thread(void *arg)
{
	sleep(1);
	return arg;
}

static void run_threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i == 3 ? sleep_thread : work_thread, NULL);
	work(0.3);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void run_children(void)
{
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			work(0.3);
			_exit(0);
		}
	work(0.3);
	while (wait(NULL) > 0)
		continue;
}

/* ------------------------------------------------------------------- calls */

static unsigned long compute(void)
{
	unsigned long n = 1;

	for (int i = 0; i < 2000000; i++)
		n = n * 6364136223846793005ul + 1442695040888963407ul;
	return n;
}

static void *call_thread(void *arg)
{
	struct epoll_event event = {.events = EPOLLIN};
	const struct timespec moment = {0, 1000000};
	unsigned long want = compute();
	int fds[2], e = epoll_create1(0);
	double begin;
	char c;

	if (pipe(fds) || epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &event))
		exit(1);
	while (access("stop", F_OK)) {
		__atomic_fetch_add(&wrong, compute() != want, __ATOMIC_RELAXED);
		begin = seconds(CLOCK_MONOTONIC);
		__atomic_fetch_add(&interrupted, epoll_wait(e, &event, 1, 10) < 0,
				   __ATOMIC_RELAXED);
		__atomic_fetch_add(&late, seconds(CLOCK_MONOTONIC) - begin > 5, __ATOMIC_RELAXED);
		__atomic_fetch_add(&interrupted,
				   write(fds[1], "x", 1) != 1 || read(fds[0], &c, 1) != 1 ||
					   nanosleep(&moment, NULL),
				   __ATOMIC_RELAXED);
	}
	return arg;
}

static void run_calls(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, call_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld calls interrupted, %ld wrong results, %ld late\n", interrupted, wrong, late);
}

/* ----------------------------------------------------------------- signals */

static void nothing(int signal) { (void)signal; }

static void run_signals(void)
{
	const struct sigaction action = {.sa_handler = nothing};
	/* again and again: the first signal may arrive before the call */
	const struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	int fds[2], n = 0;
	char c;

	sigaction(SIGALRM, &action, NULL);
	if (pipe(fds))
		exit(1);
	for (int i = 0; i < 20; i++) {
		work(0.02);
		setitimer(ITIMER_REAL, &soon, NULL);
		n += read(fds[0], &c, 1) < 0 && errno == EINTR;
		setitimer(ITIMER_REAL, &never, NULL);
	}
	puts(n == 20 ? "every call was interrupted" : "a call was not interrupted");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "shares")) {
		first_work();
		second_work();
	} else if (!strcmp(what, "threads")) {
		run_threads();
	} else if (!strcmp(what, "children")) {
		run_children();
	} else if (!strcmp(what, "calls")) {
		run_calls();
		return 0;
	} else if (!strcmp(what, "signals")) {
		run_signals();
		return 0;
	}
	puts("done");
	return 0;
}
