/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals in the middle of everything; `signals HOW MS', for about MS milliseconds:
 *
 *   timer     a 1 kHz timer whose handler calls step(), while step() is called all the time
 *   stack     the same on a stack of its own
 *   nested    the handler raises another signal, whose handler calls step(), too
 *   jump      the handler leaves by siglongjmp(), wherever it came from
 *   threads   three threads send signals to one another
 *   leave     step() is left by siglongjmp() out of a handler once, and not called again; another thread calls other()
 *             100 times then, and says whether that took long
 * Prints `calls N' (of step(), by its own count), `right' and whether there were many signals.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static long calls, signals, wrong;

/* Counts what it is called itself: a function interrupted before that was not called, after it was.
 * A probe at its first instruction may be hit once more than that for each jump out of it. */
__attribute__((noipa)) long step(long i)
{
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	return i + 1;
}

__attribute__((noipa)) long nest(long depth)
{
	volatile long r = depth ? nest(depth - 1) : step(0);

	return r + 1;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

enum { MANY = 20 };
static long until;

/* On a busy machine many signals take longer than the time that was asked for. */
static int goes_on(void)
{
	return now_ms() < until || __atomic_load_n(&signals, __ATOMIC_RELAXED) <= MANY;
}

static void on_timer(int sig)
{
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
	if (step(5) != 6 || nest(3) != 5)
		wrong++;
}

static void on_timer_nested(int sig)
{
	on_timer(sig);
	raise(SIGUSR2);
	on_timer(sig);
}

static void on_timer_jump(int sig)
{
	on_timer(sig);
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void run(void)
{
	while (goes_on())
		for (int i = 0; i < 100; i++)
			if (step(i) != i + 1 || nest(i % 8) != i % 8 + 2)
				wrong++;
}

static void jumps(void)
{
	while (goes_on()) {
		if (sigsetjmp(back, 1))
			continue;
		may_jump = 1;
		for (int i = 0; i < 1000; i++)
			if (step(i) != i + 1 || nest(i % 8) != i % 8 + 2)
				wrong++;
		may_jump = 0;
	}
}

static pthread_t threads[3];
static volatile int ready;

static void *sender(void *arg)
{
	long me = (long)arg;

	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (ready < 3)
		;
	while (goes_on())
		for (int i = 0; i < 20; i++) {
			if (step(i) != i + 1 || nest(i % 8) != i % 8 + 2)
				wrong++;
			if (i == 10)
				pthread_kill(threads[(me + 1) % 3], SIGUSR1);
		}
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (ready < 6)
		;
	return NULL;
}

__attribute__((noipa)) long other(long i) { return i + 1; }

static void on_timer_leave(int sig)
{
	siglongjmp(back, 1);
}

static void *call_other(void *arg)
{
	long begun = now_ms();

	for (long i = 0; i < 100; i++)
		other(i);
	printf("others %s\n", now_ms() - begun < 2000 ? "go on" : "wait");
	return arg;
}

static void leave(void)
{
	struct itimerval soon = {{0, 0}, {0, 3000}};
	pthread_t t;

	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		step(0);
		printf("it came back\n");
	}
	pthread_create(&t, NULL, call_other, NULL);
	pthread_join(t, NULL);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags | SA_RESTART};

	sigaction(sig, &act, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

	until = now_ms() + (argc > 2 ? atol(argv[2]) : 200);
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, on_timer, 0);
	handle(SIGUSR2, on_timer, 0);
	if (!strcmp(how, "timer"))
		handle(SIGALRM, on_timer, 0);
	else if (!strcmp(how, "stack"))
		handle(SIGALRM, on_timer, SA_ONSTACK);
	else if (!strcmp(how, "nested"))
		handle(SIGALRM, on_timer_nested, SA_ONSTACK);
	else if (!strcmp(how, "jump"))
		handle(SIGALRM, on_timer_jump, 0);
	else if (!strcmp(how, "leave"))
		handle(SIGALRM, on_timer_leave, 0);
	if (!strcmp(how, "leave")) {
		leave();
	} else if (!strcmp(how, "threads")) {
		for (long i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, sender, (void *)i);
		for (long i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	} else {
		setitimer(ITIMER_REAL, &every, NULL);
		if (!strcmp(how, "jump"))
			jumps();
		else
			run();
		setitimer(ITIMER_REAL, &never, NULL);
	}
	printf("calls %ld\n%s, %s signals\n", calls, wrong ? "wrong" : "right",
	       signals > MANY ? "many" : "few");
	return wrong != 0;
}
