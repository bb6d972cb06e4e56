// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions: thrown, caught, passed on; destructors that run meanwhile, and throw and catch
// themselves.
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define OUTSIDE __attribute__((noinline, noclone))

static volatile int sink;

OUTSIDE int leaf(int x) { return x + sink; }

struct Guard {
	int n;
	OUTSIDE explicit Guard(int n) : n(n) { sink += leaf(n); }
	OUTSIDE ~Guard() { sink -= leaf(n); }
};

struct Noisy {
	OUTSIDE ~Noisy()
	{
		try {
			if (sink & 1)
				throw 1;
			sink += leaf(1);
		} catch (int v) {
			sink += leaf(v);
		}
	}
};

struct Shape {
	virtual ~Shape() {}
	virtual int area(int x) const = 0;
};
struct Square : Shape {
	OUTSIDE int area(int x) const override
	{
		Guard g(x);

		if (x > 3)
			throw std::out_of_range("too large " + std::to_string(x));
		return leaf(x * x);
	}
};

template <typename T> OUTSIDE T sum(const std::vector<T> &v)
{
	T all{};
	Guard g(2);

	for (const T &x : v)
		all += static_cast<T>(leaf(static_cast<int>(x)));
	return all;
}

OUTSIDE int deep(int n, const Shape &s)
{
	Guard g(n);
	Noisy noisy;

	return n ? deep(n - 1, s) + leaf(n) : s.area(5);
}

OUTSIDE int passes_on(const Shape &s)
{
	try {
		return deep(3, s);
	} catch (const std::out_of_range &e) {
		sink += leaf(static_cast<int>(std::string(e.what()).size()));
		throw std::runtime_error("passed on");
	}
}

OUTSIDE int catches(const Shape &s)
{
	try {
		return passes_on(s) + s.area(2);
	} catch (const std::exception &e) {
		return leaf(e.what()[0]);
	}
}

int main()
{
	std::unique_ptr<Shape> s(new Square);
	std::function<int(int)> f = [&](int x) { return s->area(x) + leaf(x); };
	int total = 0;

	for (int i = 0; i < 3; i++) {
		total += catches(*s) + f(i) + static_cast<int>(sum(std::vector<double>{1, 2, 3}));
		try {
			total += f(7);
		} catch (...) {
			total++;
		}
	}
	std::printf("%d\n", total != 0);
}
