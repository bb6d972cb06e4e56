/* A handler of signals interrupts recorded calls, also while a full buffer is written. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP     __asm__ volatile("" ::: "memory")

enum { CALLS = 1000000 };

static volatile int hits;

NOINLINE int inner(int x)
{
	KEEP;
	return x + 7;
}

NOINLINE void handler(int signal)
{
	hits += inner(signal) > 0;
	KEEP;
}

NOINLINE int leaf(int x)
{
	KEEP;
	return x + 1;
}

static void every_us(int us)
{
	const struct itimerval t = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

int main(void)
{
	int sum = 0;

	signal(SIGALRM, handler);
	every_us(50);
	for (int i = 0; i < CALLS; i++)
		sum += leaf(i);
	every_us(0);
	printf("%d %d\n", CALLS, hits);
	return sum == 1;
}
