// SPDX-License-Identifier: GPL-2.0-or-later
// C++ names, for testsuite/unit/test_functions.c.
namespace outer {
class Thing {
public:
	__attribute__((noinline)) int method(int x) { return v + x; }
	int v = 3;
};
__attribute__((noinline)) int freefn(Thing *t) { return t->method(4); }
}

extern "C" __attribute__((noinline)) int plain_c(int x) { return x; }
static __attribute__((noinline)) int hidden_one(int x) { return x + plain_c(x); }

int main(int argc, char **)
{
	outer::Thing t;
	t.v = argc;
	return outer::freefn(&t) + hidden_one(argc) > 1000;
}
