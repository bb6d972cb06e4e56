// SPDX-License-Identifier: GPL-2.0-or-later
// Names of C++, each called once, for testsuite/ustap.process/names_cxx.stp.
#define NOINLINE __attribute__((noipa))

int sink;

namespace ns {
struct Class {
	__attribute__((noinline)) Class(int x) : v(x) { sink += x; }
	__attribute__((noinline)) ~Class() { sink -= v; }
	NOINLINE int method(int x) { return v + x; }
	NOINLINE int method(const char *s) const { return v + *s; }
	NOINLINE int operator*(int x) { return v * x; }
	NOINLINE int operator+(int x) { return v + x; }
	NOINLINE int operator()(int x) { return v - x; }
	int v;
};
struct Other {
	NOINLINE int method(int x) { return sink + x; }
};
template <class T> NOINLINE T twice(T x) { return x + x + sink; }
template <class T> struct Box {
	NOINLINE T put(T x) { return x + sink; }
};
}

namespace {
NOINLINE int hidden(int x) { return x + sink; }
}

struct Derived : virtual ns::Class {
	__attribute__((noinline)) Derived(int x) : ns::Class(x) { sink += 2 * x; }
};

int main(int argc, char **argv)
{
	ns::Class c(argc);
	ns::Other o;
	ns::Box<int> b;
	ns::Box<long> l;
	Derived d(argc);

	sink += c.method(argc) + c.method(argv[0]) + c * argc + (c + argc) + c(argc) + o.method(1);
	sink += ns::twice(argc) + (int)ns::twice(2.5) + b.put(1) + (int)l.put(2) + hidden(argc);
	return sink == 0;
}
