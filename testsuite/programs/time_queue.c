/*
 * Two threads that use the same processor for 0.5 s each, so one is ready to run while the other
 * runs. Writes to the file of its argument what the scheduler counts of both while they run their
 * function: microseconds on a processor, and ready without one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum { ON_CPU, READY, COUNTS };

static long sums[COUNTS];

/* Set COUNT to what the scheduler has counted of this thread, in nanoseconds; 0: not available. */
static int read_counts(long count[COUNTS])
{
	FILE *from = fopen("/proc/thread-self/schedstat", "r");
	int all = from && fscanf(from, "%ld %ld", &count[ON_CPU], &count[READY]) == COUNTS;

	if (from)
		fclose(from);
	return all;
}

/* A thread may have been ready for long before it began to run. */
static void *spin(void *unused)
{
	struct timespec t = {0};
	long before[COUNTS], after[COUNTS];

	(void)unused;
	if (!read_counts(before))
		return "";
	while (t.tv_nsec < 500000000 && !t.tv_sec)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	if (!read_counts(after))
		return "";
	__atomic_fetch_add(&sums[ON_CPU], after[ON_CPU] / 1000, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sums[READY], (after[READY] - before[READY]) / 1000, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	FILE *to = argc > 1 ? fopen(argv[1], "w") : NULL;
	pthread_t threads[2];
	void *failed = NULL;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (!to || sched_setaffinity(0, sizeof first, &first))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < 2 && !failed; i++)
		pthread_join(threads[i], &failed);
	fprintf(to, "%ld %ld\n", sums[ON_CPU], sums[READY]);
	return failed != NULL;
}
