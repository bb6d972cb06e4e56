/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks of the user runtime: beside the kernel's, in several threads, and when they are set. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_source.h"
#include "user.h"

static int bad;

static void check_at(int line, const char *name, bool ok)
{
	printf(ok ? "ok %s\n" : "not ok %s: line %d\n", name, line);
	bad |= !ok;
}
#define check(name, cond) check_at(__LINE__, name, cond)

/* --------------------------------------------------------- the vDSO's place */

enum { SECOND = 1000000000 };
/* Added to the kernel's clock, ns; number of calls. */
static s64 shift;
static u64 calls;

static int read_kernel(int clock, struct timespec *to)
{
	int err = clock_gettime(clock, to);
	s64 ns = to->tv_sec * SECOND + to->tv_nsec + __atomic_load_n(&shift, __ATOMIC_RELAXED);

	to->tv_sec = ns / SECOND;
	to->tv_nsec = ns % SECOND;
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	return err;
}

static u64 kernel_ns(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* -------------------------------------------------------- beside the kernel */

struct seen {
	u64 n, backwards, calls;
	s64 before, behind; /* most ns outside of two readings of the kernel's clock around it */
};

static void compare_once(struct seen *s, int clock, u64 (*read)(void), u64 *last)
{
	u64 a = kernel_ns(clock), t = read(), b = kernel_ns(clock);

	if ((s64)(a - t) > s->before)
		s->before = a - t;
	if ((s64)(t - b) > s->behind)
		s->behind = t - b;
	s->backwards += t < *last;
	*last = t;
	s->n++;
}

/* Compare for MS milliseconds. */
static struct seen compare(int clock, u64 (*read)(void), unsigned ms)
{
	struct seen s = {0};
	u64 last = 0, end = kernel_ns(CLOCK_MONOTONIC) + ms * 1000000ull, before = calls;

	while (kernel_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 1000; i++)
			compare_once(&s, clock, read, &last);
	s.calls = calls - before;
	return s;
}

/* The kernel corrects its clock at each tick, and a reading may be in the middle of one of the
 * vDSO: both are well below a microsecond. */
enum { CLOSE = 2000 };

static void test_beside(const char *name, int clock, u64 (*read)(void), unsigned ms)
{
	struct seen s;

	compare(clock, read, 20); /* measures the rate */
	s = compare(clock, read, ms);
	printf("# %s: %llu readings, %llu of the vDSO, %lld ns before, %lld ns behind\n", name, s.n,
	       s.calls, s.before, s.behind);
	check("readings are close to the kernel's", s.before < CLOSE && s.behind < CLOSE);
	check("no reading is earlier than the last one", !s.backwards);
	if (layout.steady_ticks)
		check("few readings are the vDSO's", s.calls * 4 < s.n);
	else
		check("all readings are the vDSO's", s.calls == s.n);
}

/* ------------------------------------------------------------------ threads */

static u64 latest, earlier, backwards;

static void *read_along(void *arg)
{
	u64 end = clock_monotonic() + SECOND / 4, t = 0, last;

	while (t < end) {
		u64 before = __atomic_load_n(&latest, __ATOMIC_ACQUIRE);

		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		last = t;
		t = clock_monotonic();
		if (t < last)
			__atomic_fetch_add(&backwards, 1, __ATOMIC_RELAXED);
		if (t + CLOSE < before)
			__atomic_fetch_add(&earlier, 1, __ATOMIC_RELAXED);
		if (t > before)
			__atomic_store_n(&latest, t, __ATOMIC_RELEASE);
	}
	return arg;
}

static void test_threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, read_along, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	check("threads agree on the time", !earlier);
	printf("# %llu readings before the last one of the same thread\n", backwards);
	check("time does not go back for a thread", !backwards);
}

/* ------------------------------------------------------------- a set clock */

/* True if T is between two readings of the kernel's clock around it. */
static bool is_between(u64 before, u64 t, u64 after)
{
	return (s64)(t - before) > -CLOSE && (s64)(t - after) < CLOSE;
}

/* True if readings are BY ns from the kernel's clock after at most 20 ms: at the latest one that
 * begins then, whenever this thread gets a processor. */
static bool follows(s64 by)
{
	u64 end = kernel_ns(CLOCK_MONOTONIC) + 20000000, a, t, b;
	bool last;

	do {
		last = kernel_ns(CLOCK_MONOTONIC) >= end;
		a = kernel_ns(CLOCK_REALTIME) + by;
		t = clock_realtime();
		b = kernel_ns(CLOCK_REALTIME) + by;
		if (is_between(a, t, b))
			return true;
	} while (!last);
	printf("# %lld ns off\n", (s64)(t - a));
	return false;
}

static void test_set(void)
{
	static const s64 steps[] = {3600ll * SECOND, -3600ll * SECOND, 250000000, -250000000,
				    1000000,         -1000000,         0};
	bool ok = true;

	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
		compare(CLOCK_REALTIME, clock_realtime, 20);
		__atomic_store_n(&shift, steps[i], __ATOMIC_RELAXED);
		ok &= follows(steps[i]);
	}
	check("readings follow a clock that is set", ok);
}

/* ------------------------------------------------------------------- ticks */

static void test_ticks(void)
{
	u64 before, now, after, then;

	compare(CLOCK_MONOTONIC, clock_monotonic, 20);
	before = kernel_ns(CLOCK_MONOTONIC);
	now = arch_ticks();
	after = kernel_ns(CLOCK_MONOTONIC);
	then = clock_monotonic_at(now);
	check("the time of a moment ago", is_between(before, then, after));
	check("or now", clock_monotonic_at(0) >= then);
	check("ticks of no clock", clock_monotonic_at(1) >= then);
}

static bool stop;

static void *read_on(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		clock_monotonic();
	return arg;
}

/* A thread that updated the line does not exist in a forked child. */
static void test_fork(void)
{
	unsigned failed = 0;
	pthread_t t;
	int status;

	pthread_create(&t, NULL, read_on, NULL);
	for (int i = 0; i < 100; i++) {
		u64 before = kernel_ns(CLOCK_MONOTONIC);

		if (!fork()) {
			u64 now = clock_monotonic();

			_exit(now + CLOSE < before || now > kernel_ns(CLOCK_MONOTONIC) + CLOSE);
		}
		wait(&status);
		failed += !!status;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	check("forked children read the time", !failed);
}

int main(void)
{
	process.clock_gettime = (u64)read_kernel;
	test_beside("without ticks", CLOCK_MONOTONIC, clock_monotonic, 10);
	layout.steady_ticks = clock_source_is_ticks();
	printf("# %s ticks\n", layout.steady_ticks ? "steady" : "no");
	test_beside("monotonic", CLOCK_MONOTONIC, clock_monotonic, 200);
	test_beside("realtime", CLOCK_REALTIME, clock_realtime, 200);
	test_threads();
	test_ticks();
	test_set();
	test_fork();
	return bad;
}
