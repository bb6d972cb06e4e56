/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of the user runtime that are not array elements: those of any number of threads,
 * processes and handlers of signals are exact, readers see whole additions only, and most additions
 * are made to a thread's own cell.
 */
#include "user_rt_check.h"
#include "arrays/arrays.h"
#include <sys/resource.h>

enum {
	MANY = 3 * THREAD_CELLS,
	EACH = 20000,
	SIGNALLED = 4000000,
	READINGS = 20000,
	CLEARINGS = 2000,
	VALUE = 7
};

static struct ust_stat all(void)
{
	struct ust_stat st;

	ust_stat_read(&agg, &st);
	return st;
}

/* Number of samples in the cells of CPUs. */
static u64 of_cpus(void)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < port_ncpus(); i++)
		n += ((struct stat_cell *)port_percpu(agg.impl, i))->st.count;
	return n;
}

static struct thread_stat *own_cell(void) { return &agg.threads->cells[thread_cell(lock_self())]; }

/* True if ST is of N samples that are all VALUE. */
static bool is_of(struct ust_stat st, u64 n)
{
	return (u64)st.count == n && (u64)st.sum == n * VALUE &&
	       (!n || (st.min == VALUE && st.max == VALUE));
}

static void add(u64 n)
{
	while (n--)
		ust_stat_add(&agg, VALUE);
}

static void *add_together(void *arg)
{
	pthread_barrier_wait(&all_run);
	add((u64)arg);
	return NULL;
}

static void run_process(long n) { run_threads((u32)n, add_together, (void *)(u64)EACH); }

static void test_own_cell(void)
{
	check("empty", is_of(all(), 0));
	add(1001);
	check_count("a thread adds to its own cell", of_cpus(), 0);
	check("... which readers see", is_of(all(), 1001));
	ust_stat_add(&agg, -5);
	ust_stat_add(&agg, 50);
	check("least and greatest", all().min == -5 && all().max == 50);
	ust_stat_clear(&agg);
	check("cleared", is_of(all(), 0));
	add(3);
	check("and begun anew", is_of(all(), 3));
	ust_stat_clear(&agg);
}

static void test_many(void)
{
	u32 i;

	run_threads(MANY, add_together, (void *)(u64)EACH);
	check("more threads than cells", is_of(all(), (u64)MANY * EACH));
	check("... most of which have none", of_cpus() > MANY / 2);
	ust_stat_clear(&agg);
	for (i = 0; i < PROCESSES; i++)
		child(run_process, THREADS);
	for (i = 0; i < PROCESSES; i++)
		wait(NULL);
	check("threads of several processes", is_of(all(), (u64)PROCESSES * THREADS * EACH));
	ust_stat_clear(&agg);
}

/* --------------------------------------------------------- while others add */

static bool enough;
static u64 added;

static void *add_always(void *arg)
{
	u64 n = 0;

	pthread_barrier_wait(&all_run);
	while (!READ_ONCE(enough)) {
		add(100);
		n += 100;
	}
	__atomic_fetch_add(&added, n, __ATOMIC_SEQ_CST);
	return arg;
}

static void begin_others(pthread_t *t, u32 n)
{
	enough = false;
	added = 0;
	begin_threads(t, n, add_always, NULL);
	while (!all().count)
		sched_yield();
}

static void end_others(pthread_t *t, u32 n)
{
	u32 i;

	WRITE_ONCE(enough, true);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void test_readers(void)
{
	u64 torn = 0, back = 0, last = 0, i;
	pthread_t t[THREADS];

	begin_others(t, THREADS);
	for (i = 0; i < READINGS; i++) {
		struct ust_stat st = all();

		torn += !is_of(st, st.count);
		back += (u64)st.count < last;
		last = st.count;
	}
	end_others(t, THREADS);
	check_count("readers see whole additions", torn, 0);
	check_count("... and never fewer", back, 0);
	check("... and at last all", is_of(all(), added));
	ust_stat_clear(&agg);
}

static void test_clearing(void)
{
	pthread_t t[THREADS];
	u64 torn = 0, i;

	begin_others(t, THREADS);
	for (i = 0; i < CLEARINGS; i++) {
		struct ust_stat st;

		ust_stat_clear(&agg);
		st = all();
		torn += !is_of(st, st.count);
	}
	end_others(t, THREADS);
	check_count("cleared while threads add", torn, 0);
	check("... what is left is whole", is_of(all(), all().count));
	ust_stat_clear(&agg);
	check("... and can be cleared", is_of(all(), 0));
}

/* ----------------------------------------------------------------- signals */

static volatile u64 interrupted;

static void on_alarm(int sig)
{
	(void)sig;
	ust_stat_add(&agg, VALUE);
	interrupted++;
}

static void test_signals(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	add(SIGNALLED);
	setitimer(ITIMER_REAL, &never, NULL);
	check("handlers of signals", interrupted && is_of(all(), SIGNALLED + interrupted));
	ust_stat_clear(&agg);
}

/* An addition in whose midst a handler of a signal adds. */
static void test_nested(void)
{
	struct ust_stat *st = thread_stat_begin(agg.threads);
	u64 before = of_cpus();

	add(10);
	check_count("in the midst of an addition", of_cpus() - before, 10);
	stat_put(st, VALUE);
	thread_stat_end(st);
	check("... which is not lost", is_of(all(), 11));
	ust_stat_clear(&agg);
}

/* --------------------------------------------------------------- abandoned */

/* As if none had ever had an owner. */
static void free_cells(void)
{
	u32 i;

	for (i = 0; i < THREAD_CELLS; i++)
		agg.threads->cells[i].of.owner = 0;
}

/* The sample counts, but is not in the sum. */
static void begin_and_die(long arg)
{
	thread_stat_begin(agg.threads)->count++;
	told->hits = own_cell() - agg.threads->cells;
	(void)arg;
	_exit(0);
}

/* Number of times that this thread slept. The time by the clock would depend on what else runs. */
static long sleeps(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw;
}

static void test_abandoned(void)
{
	u64 before;
	long slept;
	struct thread_stat *c;

	add(1);
	c = own_cell();
	thread_stat_begin(agg.threads);
	lock_abandon(lock_self());
	before = of_cpus();
	add(1);
	check("after longjmp out of an addition",
	      !(c->version & 1) && of_cpus() == before && is_of(all(), 2));
	ust_stat_clear(&agg);

	free_cells();
	child(begin_and_die, 0);
	wait(NULL);
	slept = sleeps();
	check_count("killed in an addition", all().count, 1);
	/* a reader that does not notice the owner's death sleeps more than 20 times */
	check("... no reader waits for long", sleeps() - slept < 10);
	c = &agg.threads->cells[told->hits];
	check("... its cell is taken over",
	      c->version & 1 && !thread_stat_begin_slowly(agg.threads, c->of.owner));
	c->of.owner = 0;
	check("... by another thread",
	      thread_stat_begin_slowly(agg.threads, told->hits | THREAD_CELLS) == &c->st);
	thread_stat_end(&c->st);
	check("... and is whole", !(c->version & 1));
	free_cells();
	ust_stat_clear(&agg);
}

/* While two threads may seem to be one, all use the cells of CPUs. */
static void test_shared(void)
{
	u64 before = of_cpus();

	local.vforks = 1;
	add(1000);
	check_count("while a child of vfork() runs", of_cpus() - before, 1000);
	local.vforks = 0;
	add(1000);
	check_count("... and after it", of_cpus() - before, 1000);
	check("sum", is_of(all(), 2000));
}

int main(void)
{
	start();
	catch_faults();
	test_own_cell();
	test_many();
	test_readers();
	test_clearing();
	test_signals();
	test_nested();
	test_abandoned();
	test_shared();
	return bad;
}
