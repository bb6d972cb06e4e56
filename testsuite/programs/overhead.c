/*
 * Calls a function ten million times a second, as far as the machine allows, in turns with one that
 * does the same and is not probed. overhead RATIO SECONDS LENGTH: after 0.1 s of CPU time the first
 * one may cost at most RATIO per cent of the second one. Prints the calls, and the cost if that is
 * more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURN = 20000 };
static int length; /* of a call */
static volatile int sink;
static long calls;

__attribute__((noinline)) static void work(int n)
{
	for (volatile int i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) void probed(int n) { work(n); }
__attribute__((noinline)) void plain(int n) { work(n); }

/* A call and its return, for probes whose hits depend on each other. */
__attribute__((noinline)) int outer(int n)
{
	probed(n);
	return sink;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double turn(int (*run)(int))
{
	double begin = seconds();

	for (int i = 0; i < TURN; i++)
		run(length);
	return seconds() - begin;
}

static int run_plain(int n)
{
	plain(n);
	return 0;
}

int main(int argc, char **argv)
{
	double limit = argc > 1 ? atof(argv[1]) : 0, cost[2] = {0}, begin = seconds();

	length = argc > 3 ? atoi(argv[3]) : 140;
	while (seconds() < begin + (argc > 2 ? atof(argv[2]) : 0.5)) {
		double probed_cost = turn(outer), plain_cost = turn(run_plain);

		calls += TURN;
		if (seconds() < begin + 0.1)
			continue;
		cost[0] += probed_cost;
		cost[1] += plain_cost;
	}
	if (limit > 0)
		printf("calls %ld, cost %s\n", calls,
		       cost[0] <= cost[1] * limit / 100 ? "ok" : "too much");
	if (limit > 0 && cost[0] > cost[1] * limit / 100)
		printf("%.0f %%\n", 100 * cost[0] / cost[1]);
	return 0;
}
