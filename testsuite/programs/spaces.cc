/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of namespaces and classes that have the same names; it prints what code sees. */
#include <cstdio>

namespace a {
	int x = 1;
	static volatile int y = 2;
	namespace b {
		int x = 3;
		extern int e;
		int get(int q) { std::printf("a::b::get %d %d %d\n", x, y, e); return x + y + q; }
	}
}
namespace c {
	int x = 4;
	int get() { std::printf("c::get %d\n", x); return x; }
}
namespace { volatile int hidden = 5; }
int a::b::e = 6;

struct counted {
	static int count;
	int get() { std::printf("counted::get %d\n", count); return count; }
};
int counted::count = 7;

int use()
{
	std::printf("use %d %d %d %d\n", hidden, counted::count, a::x, c::x);
	return hidden;
}

int main()
{
	counted s;

	std::fflush(stdout);
	a::b::get(1) + c::get() + use() + s.get();
	if (hidden > 9)
		a::x++, a::b::x++, a::b::e++, c::x++, counted::count++;
	hidden++;
}
