/* `recorded [MS [BEFORE]]': calls that `ustap record' records: threads, tail calls, recursion,
 * longjmp(), one request of MS milliseconds, which SIGUSR1 ends, BEFORE milliseconds after the one
 * before. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ITEMS = 1000 };

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP     __asm__ volatile("" ::: "memory")

static jmp_buf env;
static volatile int sum;

NOINLINE int leaf(int x)
{
	KEEP;
	return x + 1;
}

NOINLINE int item(int x)
{
	KEEP;
	return leaf(2 * x);
}

NOINLINE void jumper(void) { longjmp(env, 1); }

static inline __attribute__((always_inline)) int tiny(int x) { return 3 * x; }

NOINLINE void recurse(int n)
{
	if (n)
		recurse(n - 1);
	KEEP;
}

NOINLINE void pause_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
	KEEP;
}

NOINLINE void request(int ms)
{
	recurse(9);
	pause_ms(ms);
	KEEP;
}

NOINLINE void *worker(void *arg)
{
	for (int i = 0; i < ITEMS; i++)
		sum += item(i) + tiny(i);
	return arg;
}

static void wake(int number) { (void)number; }

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	signal(SIGUSR1, wake);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (argc < 2 && !setjmp(env))
		jumper();
	request(1);
	if (argc > 2)
		usleep((useconds_t)atoi(argv[2]) * 1000);
	request(argc > 1 ? atoi(argv[1]) : 30);
	request(1);
	return 0;
}
