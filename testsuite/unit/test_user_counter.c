/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of the user runtime: sums of any number of threads and processes are exact, and most
 * additions are made to a thread's own cell.
 */
#include "user_rt_check.h"

enum {
	MANY = 4 * THREAD_CELLS,
	EACH = 20000,
	SHORT_THREADS = 1000,
	SHORT_EACH = 300,
	LATER_THREADS = 8
};

static struct counter_cell *cells(void) { return counter.impl; }

static u64 total(void) { return (u64)ust_counter_read(&counter); }

/* Sum of the cells of CPUs. */
static u64 total_of_cpus(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < port_ncpus(); i++)
		sum += cells()[THREAD_CELLS + i].value;
	return sum;
}

static void *add(void *arg)
{
	u64 n = (u64)arg;

	while (n--)
		ust_counter_add(&counter, 1);
	return NULL;
}

static void *add_together(void *arg)
{
	pthread_barrier_wait(&all_run);
	return add(arg);
}

static void run_process(long n) { run_threads((u32)n, add_together, (void *)(u64)EACH); }

static void test_own_cell(void)
{
	u64 before;

	add((void *)1ul);
	before = total_of_cpus();
	add((void *)1000ul);
	check_count("a thread adds to its own cell", total_of_cpus() - before, 0);
	check_count("... which readers see", total(), 1001);
}

static void test_many(void)
{
	u64 before = total(), of_cpus = total_of_cpus(), i;

	run_threads(MANY, add_together, (void *)(u64)EACH);
	check_count("more threads than cells", total() - before, (u64)MANY * EACH);
	check("... most of which have none", total_of_cpus() - of_cpus > MANY / 2);
	before = total();
	for (i = 0; i < PROCESSES; i++)
		child(run_process, THREADS);
	for (i = 0; i < PROCESSES; i++)
		wait(NULL);
	check_count("threads of several processes", total() - before,
		    (u64)PROCESSES * THREADS * EACH);
}

/* All cells belong to threads that have ended; new threads take them over. */
static void test_ended(void)
{
	u64 before = total(), of_cpus = total_of_cpus(), all = (u64)SHORT_THREADS * SHORT_EACH, i;

	for (i = 0; i < SHORT_THREADS; i++)
		run_threads(1, add_together, (void *)(u64)SHORT_EACH);
	check_count("threads that end soon", total() - before, all);
	before = total();
	of_cpus = total_of_cpus();
	/* one of them may have the cell of the main thread, which lives */
	for (i = 0; i < LATER_THREADS; i++)
		run_threads(1, add_together, (void *)(u64)EACH);
	all = (u64)LATER_THREADS * EACH;
	check_count("threads that come later", total() - before, all);
	check("... take over cells", total_of_cpus() - of_cpus < all / 2);
}

/* While two threads may seem to be one, all add atomically. */
static void test_shared(void)
{
	u64 before = total(), of_cpus = total_of_cpus();

	local.vforks = 1;
	add((void *)1000ul);
	check_count("while a child of vfork() runs", total_of_cpus() - of_cpus, 1000);
	local.vforks = 0;
	add((void *)1000ul);
	check_count("... and after it", total_of_cpus() - of_cpus, 1000);
	local.tid_offset = TID_NOWHERE;
	add((void *)1000ul);
	check_count("with a shared thread pointer", total_of_cpus() - of_cpus, 2000);
	local.tid_offset = 0;
	process.pid_space = 512;
	add((void *)1000ul);
	check_count("in a pid namespace without a number of its own", total_of_cpus() - of_cpus,
		    3000);
	process.pid_space = 0;
	check_count("sum", total() - before, 4000);
}

/* Reads of the thread pointer where the processor or the hypervisor has no RDFSBASE. */
static void test_no_rdfsbase(void)
{
	u32 features = arch_features;
	u64 before = total(), of_cpus = total_of_cpus();
	volatile u64 *word = (volatile u64 *)pthread_self();
	u64 quick;

	arch_features &= ~ARCH_RDFSBASE;
	check("the thread pointer by the kernel", arch_thread_pointer() == (u64)pthread_self());
	check("... by its own word", arch_thread_pointer_quick() == (u64)pthread_self());
	*word = (u64)&quick;
	quick = arch_thread_pointer_quick();
	*word = (u64)word;
	check("... but not another word", !quick);
	add((void *)1000ul);
	check_count("without RDFSBASE a thread adds to its own cell", total_of_cpus() - of_cpus, 0);
	process.flags &= ~UST_PROCESS_CATCH_FAULTS;
	check("the word is not read where faults are not handled", !arch_thread_pointer_quick());
	add((void *)1000ul);
	check_count("... and all add atomically", total_of_cpus() - of_cpus, 1000);
	process.flags |= UST_PROCESS_CATCH_FAULTS;
	arch_features = features;
	check_count("sum without RDFSBASE", total() - before, 2000);
}

int main(void)
{
	start();
	catch_faults();
	test_own_cell();
	test_no_rdfsbase();
	test_many();
	test_ended();
	test_shared();
	return bad;
}
