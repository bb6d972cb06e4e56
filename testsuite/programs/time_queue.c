/*
 * Two threads that use the same processor for 0.5 s each, so one is ready to run while the other
 * runs. Writes to the file of its argument what the scheduler counts of both: microseconds on a
 * processor, and ready without one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

static long sums[2];

static void *spin(void *unused)
{
	struct timespec t = {0};
	long on_cpu, ready;
	FILE *from;

	(void)unused;
	while (t.tv_nsec < 500000000 && !t.tv_sec)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	from = fopen("/proc/thread-self/schedstat", "r");
	if (!from || fscanf(from, "%ld %ld", &on_cpu, &ready) != 2)
		return "";
	__atomic_fetch_add(&sums[0], on_cpu / 1000, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sums[1], ready / 1000, __ATOMIC_RELAXED);
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
	fprintf(to, "%ld %ld\n", sums[0], sums[1]);
	return failed != NULL;
}
