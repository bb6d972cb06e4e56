// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions through functions that are probed: thrown, caught and thrown again, by destructors' frames,
// through the C library's qsort, in threads.  `throw N': N rounds.  Prints its own counts.
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define OUTSIDE __attribute__((noipa))

static __thread long in, out, wrong, destroyed;
static void check(long got, long want, int line)
{
	if (got != want && wrong++ < 10)
		printf("line %d: %ld, not %ld\n", line, got, want);
}
#define CHECK(got, want) check(got, want, __LINE__)

struct Guard {
	long n;
	OUTSIDE ~Guard() { destroyed++; }
};

extern "C" {
OUTSIDE long thrower(long n)
{
	in++;
	if (n)
		throw std::runtime_error(std::to_string(n));
	out++;
	return 1;
}

OUTSIDE long frames(long depth, long n)
{
	Guard guard = {n};
	in++;
	volatile long r = depth ? frames(depth - 1, n) : thrower(n);
	out++;
	return r + 1;
}

OUTSIDE long again(long n)
{
	in++;
	try {
		volatile long r = frames(3, n);
		out++;
		return r;
	} catch (std::exception &) {
		throw;
	}
}

OUTSIDE long catcher(long n)
{
	volatile long r = 0;
	in++;
	try {
		r = again(n);
	} catch (std::runtime_error &e) {
		r = atol(e.what());
	}
	out++;
	return r;
}

OUTSIDE int compare(const void *a, const void *b)
{
	in++;
	throw 5;
}

OUTSIDE long sorter(void)
{
	int v[] = {3, 1, 2};
	in++;
	try {
		qsort(v, 3, sizeof *v, compare);
	} catch (int n) {
		out++;
		return n;
	}
	out++;
	return 0;
}

// an exception while another one is handled
OUTSIDE long two(long n)
{
	in++;
	try {
		frames(2, n);
	} catch (std::exception &first) {
		volatile long inner = catcher(n + 1);
		CHECK(inner, n + 1);
		out++;
		return atol(first.what());
	}
	out++;
	return 0;
}
}

struct Counts { long n, in, out, wrong; };

static void *rounds(void *arg)
{
	Counts *c = (Counts *)arg;

	for (long i = 1; i <= c->n; i++) {
		CHECK(catcher(i), i);
		CHECK(catcher(0), 5);
		CHECK(sorter(), 5);
		CHECK(two(i), i);
	}
	CHECK(destroyed, c->n * (4 + 4 + 3 + 4));
	c->in = in, c->out = out, c->wrong = wrong;
	return nullptr;
}

int main(int argc, char **argv)
{
	Counts c[3] = {};
	pthread_t t[2];

	for (auto &k : c)
		k.n = argc > 1 ? atol(argv[1]) : 10;
	pthread_create(&t[0], nullptr, rounds, &c[0]);
	pthread_create(&t[1], nullptr, rounds, &c[1]);
	rounds(&c[2]);
	pthread_join(t[0], nullptr);
	pthread_join(t[1], nullptr);
	printf("%ld in, %ld out, %s\n", c[0].in + c[1].in + c[2].in, c[0].out + c[1].out + c[2].out,
	       c[0].wrong + c[1].wrong + c[2].wrong ? "wrong" : "right");
	return 0;
}
