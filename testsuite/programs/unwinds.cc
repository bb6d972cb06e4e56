/*
 * Exceptions, the cancellation of threads and backtraces through functions whose returns are
 * probed. Prints what it counts itself, by name of a function: returns, without those by an
 * exception.
 */
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone))
static volatile int destroyed;
struct Guard {
	~Guard() { destroyed++; }
};
static int inner_out, middle_out, outer_out, back_out, sorted_out;

extern "C" {
PROBED int inner(int n)
{
	Guard guard;

	if (n % 3 == 0)
		throw std::runtime_error("three");
	inner_out++;
	return n;
}

/* cleans up only */
PROBED int middle(int n)
{
	Guard guard;
	int r = inner(n) + 1;

	middle_out++;
	return r;
}

/* catches, and returns, below a frame that is probed, too */
PROBED int outer(int n)
{
	int r;

	try {
		r = middle(n);
	} catch (std::exception &) {
		try {
			r = middle(n + 3);
		} catch (std::exception &) {
			r = -1;
		}
	}
	outer_out++;
	return r;
}

PROBED int all(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += outer(i);
	return sum;
}

PROBED int back(void)
{
	void *pcs[50];
	int n = backtrace(pcs, 50);

	back_out++;
	return n;
}

PROBED int deep(int n)
{
	int r = n ? deep(n - 1) : back();

	__asm__ volatile("" : "+r"(r));
	return r;
}

/* called by qsort(), which is C */
PROBED int compare(const void *a, const void *b)
{
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);

	if (x == 7 || y == 7)
		throw std::logic_error("seven");
	sorted_out++;
	return x - y;
}

PROBED void *waits(void *arg)
{
	Guard guard;

	for (;;)
		pause();
	return arg;
}

PROBED void *thread(void *arg)
{
	Guard guard;
	void *r = waits(arg);

	__asm__ volatile("" : "+r"(r));
	return r;
}
}

int main()
{
	int v[] = {3, 1, 2, 7, 5}, rounds = 30;
	pthread_t t;
	void *result;

	printf("sum %d\n", all(rounds));
	for (int i = 0; i < 3; i++)
		printf("depth %d\n", deep(4));
	try {
		qsort(v, 5, sizeof *v, compare);
		puts("sorted");
	} catch (std::exception &e) {
		printf("caught %s\n", e.what());
	}
	pthread_create(&t, nullptr, thread, nullptr);
	usleep(50000);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
	printf("destroyed %d\n", destroyed);
	printf("inner %d middle %d outer %d back %d compare %d\n", inner_out, middle_out, outer_out,
	       back_out, sorted_out);
	return 0;
}
