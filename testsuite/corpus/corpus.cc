// SPDX-License-Identifier: GPL-2.0-or-later
// As corpus.c, what C++ has besides: references, this, base classes, templates, classes with
// constructors.
#include <cstdio>
#include <cstring>
#include <string>

#include "corpus.h"

enum class Level : unsigned char { low = 1, high = 250 };

struct Base { int b; int unsigned base_bits : 4; };
struct Second { long s; };
struct Virtual { int v; };
struct Point { double x, y; };

namespace shop {

class Thing : public Base, public Second {
public:
	Thing(int own, int base, long second) : own(own) { b = base; s = second; base_bits = 9; }
	int method(int x, Level l, const char *t);
	static int unbound(short x);
	int own;
	static int shared;
};
int Thing::shared = 31;

// probe: shop::Thing::method d $this->own
// probe: shop::Thing::method d $this->b
// probe: shop::Thing::method d $this->s
// probe: shop::Thing::method d $this->base_bits
// probe: shop::Thing::method d $this->shared
// probe: shop::Thing::method d $x
// probe: shop::Thing::method d $l
// probe: shop::Thing::method p $l
// probe: shop::Thing::method s $t
// probe: shop::Thing::method r $return
KEPT int Thing::method(int x, Level l, const char *t)
{
	D("shop::Thing::method", "$this->own", own);
	D("shop::Thing::method", "$this->b", b);
	D("shop::Thing::method", "$this->s", s);
	D("shop::Thing::method", "$this->base_bits", base_bits);
	D("shop::Thing::method", "$this->shared", shared);
	D("shop::Thing::method", "$x", x);
	D("shop::Thing::method", "$l", (int)l);
	S("shop::Thing::method", "$l$", "high");
	S("shop::Thing::method", "$t", t);
	D("shop::Thing::method", "$return", x - own);
	return x - own;
}

// probe: Thing::unbound d $x
KEPT int Thing::unbound(short x)
{
	D("Thing::unbound", "$x", x);
	return x;
}

// probe: shop::twice<int> d $x
// probe: shop::twice<double> x $x
template <class T> KEPT T twice(T x)
{
	if (sizeof x == sizeof(int))
		D("shop::twice<int>", "$x", x);
	else
		X("shop::twice<double>", "$x", bits(x));
	return x + x;
}

}

// probe: references d $r
// probe: references d $t->own
// probe: references d $t->s
// probe: references x $p->y
// probe: references d $rr
KEPT int references(int &r, const shop::Thing &t, const Point &p, long &&rr)
{
	D("references", "$r", r);
	D("references", "$t->own", t.own);
	D("references", "$t->s", t.s);
	X("references", "$p->y", bits(p.y));
	D("references", "$rr", rr);
	return r;
}

// probe: by_value x $p->x
// probe: by_value x $p->y
// probe: by_value d $n
KEPT Point by_value(Point p, int n)
{
	X("by_value", "$p->x", bits(p.x));
	X("by_value", "$p->y", bits(p.y));
	D("by_value", "$n", n);
	return p;
}

// Not trivially copied: passed and returned by its address.
struct Heavy {
	Heavy(int v) : v(v), w(v * 2) {}
	Heavy(const Heavy &o) : v(o.v), w(o.w) { sink += 1; }
	~Heavy() { sink -= 1; }
	int v, w;
};

// probe: heavy d $h->v
// probe: heavy d $h->w
// probe: heavy d $n
KEPT Heavy heavy(Heavy h, int n)
{
	D("heavy", "$h->v", h.v);
	D("heavy", "$h->w", h.w);
	D("heavy", "$n", n);
	return h;
}

struct Diamond : virtual Virtual {
	Diamond() { v = 12; d = 13; }
	virtual ~Diamond() {}
	int d;
};

// probe: diamonds d $p->d
// probe: diamonds d $p->v
KEPT int diamonds(Diamond *p)
{
	D("diamonds", "$p->d", p->d);
	D("diamonds", "$p->v", p->v);
	return p->d;
}

struct Counter {
	KEPT Counter(int start);
	KEPT ~Counter();
	KEPT int operator()(int by);
	KEPT int operator[](long i) const;
	int n;
};

// probe: Counter::Counter d $start
Counter::Counter(int start) : n(start)
{
	D("Counter::Counter", "$start", start);
}

// probe: Counter::~Counter d $this->n
Counter::~Counter()
{
	D("Counter::~Counter", "$this->n", n);
}

// probe: Counter::operator() d $by
// probe: Counter::operator() d $this->n
int Counter::operator()(int by)
{
	D("Counter::operator()", "$by", by);
	D("Counter::operator()", "$this->n", n);
	return n + by;
}

// probe: Counter::operator[] d $i
int Counter::operator[](long i) const
{
	D("Counter::operator[]", "$i", i);
	return n + (int)i;
}

// probe: text n $s->_M_dataplus->_M_p $s->_M_string_length
KEPT size_t text(const std::string &s)
{
	printf("text $s->_M_dataplus->_M_p,$s->_M_string_length %s\n", s.c_str());
	return s.size();
}

namespace {
// probe: (anonymous namespace)::hidden d $x
KEPT int hidden(int x)
{
	D("(anonymous namespace)::hidden", "$x", x);
	return x;
}
}

int main(int argc, char **argv)
{
	shop::Thing t(argc - 4, 5, -6);
	int n = argc + 40;
	Point p = {1.5, -2.5};
	Diamond d;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	sink += t.method(n, Level::high, "text") + shop::Thing::unbound((short)(n - 300)) +
		shop::twice(n) + (long)shop::twice(2.5);
	sink += references(n, t, p, n + 7l) + (long)by_value(p, n).x + heavy(Heavy(n), n - 1).v +
		diamonds(&d);
	{
		Counter c(n);
		sink += c(n + 1) + c[-n] + (long)text("a string that is kept on the heap") +
			hidden(n + 5);
	}
	fflush(stdout);
	return 0;
}
