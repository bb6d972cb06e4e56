// SPDX-License-Identifier: GPL-2.0-or-later
// Members that are elsewhere, for testsuite/ustap.process/members_cxx.stp.
struct Top { int t; virtual ~Top() {} };
struct Left : virtual Top { int l; };
struct Right : virtual Top { long r; };
struct Plain { short p; static int counted; };
struct Bottom : Plain, Left, Right {
	static const int limit = 77;
	int b;
	union { unsigned u; float f; };
};
int Plain::counted = 42;
volatile int sink;

__attribute__((noinline)) int take(Bottom *x, const Left &part)
{
	sink = x->b + part.l + Plain::counted + x->t;
	return sink;
}

int main()
{
	Bottom b;
	b.t = -1;
	b.l = 2;
	b.r = -3;
	b.p = 4;
	b.b = -5;
	b.f = 1.5f;
	return take(&b, b) == 0;
}
