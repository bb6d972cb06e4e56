/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers in C++: templates, references, lambdas, classes that cannot be copied. */
#include <sys/sdt.h>

struct large { long a[3]; } large;
enum class scoped : signed char { a = -1 } scoped;
enum class unsigned_scoped : unsigned short { a } unsigned_scoped;
wchar_t w;
char16_t c16;
char32_t c32;
int i;
int &ref = i;
long large::*pm;

class single {
	single(const single &);

public:
	single();
	long x;
};

template <class T> __attribute__((noinline)) T pass(T x)
{
	STAP_PROBE1(types, pass, x);
	return x;
}

template <class T> struct box {
	T t;
	__attribute__((noinline)) void open() { STAP_PROBE2(types, box, t, &t); }
};

namespace inside {
void all(single &one, const char *const &q)
{
	enum { la, lb } local = la;
	box<short> b = {3};
	auto lambda = [&](int k) { STAP_PROBE2(types, lambda, k, i); };

	STAP_PROBE3(types, classes, large, one, one.x);
	STAP_PROBE3(types, enumerations, scoped, unsigned_scoped, local);
	STAP_PROBE3(types, characters, w, c16, c32);
	STAP_PROBE4(types, references, ref, q, pm, nullptr);
	pass(3);
	pass('c');
	pass(2.5);
	pass(one.x);
	b.open();
	lambda(4);
}
}
