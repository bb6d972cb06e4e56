/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways out of functions; `returns WAY N':
 *
 *   recursion N   a recursion of depth N, and two functions that call each other
 *   tail N        chains of tail calls, also to functions with the same stack slot, N times
 *   longjmp N     N jumps over three frames, from changing stack depths, then ordinary calls
 *   exit N        exit() at depth N, with functions called by atexit()
 *   thread N      N threads that end by pthread_exit() at some depth
 *   cancel N      N threads that are cancelled within a function that waits, with clean-up handlers
 *   coroutines N  four stacks that switch from one to the other in the middle of functions, N times
 *   signal N      N jumps out of a handler, which runs on a stack of its own, by siglongjmp()
 * Prints how often functions were entered and left by return, by its own count, and `right'.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define OUTSIDE __attribute__((noipa))
#define UNUSED(x) __asm__ volatile("" : : "r"(x) : "memory")

static long times, in, out, wrong;

static void check(long got, long want, int line)
{
	if (got != want && wrong++ < 10)
		printf("line %d: %ld, not %ld\n", line, got, want);
}
#define CHECK(got, want) check(got, want, __LINE__)

static void say(void)
{
	printf("%ld in, %ld out, %s\n", in, out, wrong ? "wrong" : "right");
	fflush(stdout);
}

/* -------------------------------------------------------------- recursion */

OUTSIDE long down(long n)
{
	volatile long below = n ? down(n - 1) + 1 : 0;

	return below;
}

long odd(long n);
OUTSIDE long even(long n)
{
	volatile long r = n ? odd(n - 1) : 1;

	return r;
}
OUTSIDE long odd(long n)
{
	volatile long r = n ? even(n - 1) : 0;

	return r;
}

static void recursion(void)
{
	CHECK(down(times), times);
	CHECK(even(times), times % 2 == 0);
	in = out = 2 * (times + 1);
}

/* ------------------------------------------------------------- tail calls */

OUTSIDE long last(long n) { return n + 1; }
OUTSIDE long middle(long n) { return last(n + 10); }
OUTSIDE long first(long n) { return middle(n + 100); }
long pong(long n);
OUTSIDE long ping(long n) { return n ? pong(n - 1) : 5; }
OUTSIDE long pong(long n) { return n ? ping(n - 1) : 6; }

static void tail(void)
{
	for (long i = 0; i < times; i++) {
		CHECK(first(i), i + 111);
		CHECK(middle(i), i + 11);
		CHECK(last(i), i + 1);
		CHECK(ping(20), 5);
		CHECK(pong(20), 6);
	}
	in = out = times * (3 + 2 + 1 + 21 + 21);
}

/* ---------------------------------------------------------------- longjmp */

static jmp_buf back;

OUTSIDE long jumper(long n)
{
	if (n)
		longjmp(back, (int)n);
	return 7;
}
OUTSIDE long between(long n)
{
	volatile long r = jumper(n);

	return r + 1;
}
OUTSIDE long deeper(long n)
{
	char *p = alloca((size_t)(n % 5000) * 16 + 16);

	*p = 1;
	UNUSED(p);
	volatile long r = between(n);
	return r + *p;
}

static void jumps(void)
{
	static volatile long i;

	for (i = 1; i <= times; i++) {
		int r = setjmp(back);
		if (!r)
			deeper(i);
		else
			CHECK(r, i);
	}
	for (i = 0; i < times; i++)
		CHECK(deeper(0), 9);
	in = 6 * times;
	out = 3 * times;
}

/* ------------------------------------------------------------------- exit */

OUTSIDE long leave(long n)
{
	volatile long r;

	if (!n)
		exit(0);
	r = leave(n - 1);
	return r;
}

static void at_exit(void)
{
	CHECK(down(times), times);
	CHECK(first(1), 112);
	in = 2 * (times + 1) + 3;
	out = times + 1 + 3;
	say();
}

static void exits(void)
{
	atexit(at_exit);
	leave(times);
}

/* ---------------------------------------------------------------- threads */

OUTSIDE long end_thread(long n)
{
	volatile long r;

	if (!n)
		pthread_exit((void *)77);
	r = end_thread(n - 1);
	return r;
}

static void *ends(void *arg)
{
	CHECK(down(3), 3);
	end_thread((long)arg);
	return NULL;
}

static void threads(void)
{
	for (long i = 0; i < times; i++) {
		pthread_t t;
		void *r;

		if (pthread_create(&t, NULL, ends, (void *)(i % 10)))
			exit(1);
		pthread_join(t, &r);
		CHECK((long)r, 77);
		in += 4 + i % 10 + 1;
		out += 4;
	}
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int waiting;

static void clean(void *arg)
{
	CHECK(down(2), 2);
	pthread_mutex_unlock(arg);
}

OUTSIDE long wait_long(long n)
{
	volatile long r = 0;

	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	waiting = 1;
	for (;;)
		pause();
	pthread_cleanup_pop(1);
	return r;
}

OUTSIDE long wait_deep(long n)
{
	volatile long r = n ? wait_deep(n - 1) : wait_long(n);

	return r + 1;
}

static void *waits(void *arg) { return (void *)wait_deep((long)arg); }

static void cancel(void)
{
	for (long i = 0; i < times; i++) {
		pthread_t t;
		void *r;

		waiting = 0;
		if (pthread_create(&t, NULL, waits, (void *)(i % 10)))
			exit(1);
		while (!waiting)
			usleep(100);
		pthread_cancel(t);
		pthread_join(t, &r);
		CHECK(r == PTHREAD_CANCELED, 1);
		CHECK(pthread_mutex_trylock(&mutex), 0);
		pthread_mutex_unlock(&mutex);
		in += 3 + 1 + i % 10 + 1;
		out += 3;
	}
}

/* ------------------------------------------------------------- coroutines */

enum { STACKS = 4 };
static ucontext_t scheduler, contexts[STACKS];
static long sums[STACKS];

OUTSIDE long turn(long who, long n)
{
	volatile long r = who;

	swapcontext(&contexts[who], &scheduler);
	return r + n;
}

OUTSIDE long nested(long who, long n)
{
	volatile long r = n ? nested(who, n - 1) : 0;

	return r + turn(who, n);
}

static void coroutine(int who)
{
	for (;;) {
		sums[who] += nested(who, who);
		swapcontext(&contexts[who], &scheduler);
	}
}

static void coroutines(void)
{
	for (int i = 0; i < STACKS; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(65536);
		contexts[i].uc_stack.ss_size = 65536;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	/* coroutine i needs i + 2 switches for each of its rounds: 60 of each is whole rounds of all */
	for (long n = 0; n < times * 60; n++)
		for (int i = 0; i < STACKS; i++)
			swapcontext(&scheduler, &contexts[i]);
	for (int i = 0; i < STACKS; i++) {
		long rounds = times * 60 / (i + 2);

		CHECK(sums[i], rounds * ((i + 1) * i + i * (i + 1) / 2));
		in += rounds * 2 * (i + 1);
	}
	out = in;
}

/* ---------------------------------------------------------------- signals */

static sigjmp_buf from_signal;

OUTSIDE long in_handler(long n)
{
	if (n)
		siglongjmp(from_signal, (int)n);
	return 4;
}

static volatile long now;
static void handler(int sig)
{
	CHECK(down(2), 2);
	in_handler(now);
	CHECK(0, 1);
}

OUTSIDE long interrupted(long n)
{
	volatile long r = n;

	raise(SIGUSR1);
	return r;
}

static void jumps_from_handler(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &act, NULL);
	for (now = 1; now <= times; now++) {
		int r = sigsetjmp(from_signal, 1);
		if (!r)
			interrupted(now);
		else
			CHECK(r, now);
	}
	CHECK(in_handler(0), 4);
	in = 5 * times + 1;
	out = 3 * times + 1;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{"recursion", recursion}, {"tail", tail}, {"longjmp", jumps}, {"exit", exits}, {"thread", threads},
		{"cancel", cancel}, {"coroutines", coroutines}, {"signal", jumps_from_handler},
	};

	times = argc > 2 ? atol(argv[2]) : 1;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			say();
			return wrong != 0;
		}
	return 2;
}
