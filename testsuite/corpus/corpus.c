/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that print what they were given; testsuite/corpus/run compares that
 * with what ustap reads.  A line `probe: FUNCTION KIND EXPRESSION...' says what to read; KIND is
 *   d x       a number, in decimal or hexadecimal (the bits of floating-point ones)
 *   s         a string at that address
 *   n         a string of so many bytes: two expressions
 *   p         as text, like $x$
 *   r         like d, when the function returns; q: like p
 */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "corpus.h"

/* probe: chars d $a */
/* probe: chars d $b */
/* probe: chars d $c */
/* probe: chars d $d */
/* probe: chars r $return */
KEPT signed char chars(signed char a, unsigned char b, bool c, char d)
{
	D("chars", "$a", a);
	D("chars", "$b", b);
	D("chars", "$c", c);
	D("chars", "$d", d);
	D("chars", "$return", (signed char)(a - 1));
	return (signed char)(a - 1);
}

/* probe: shorts d $a */
/* probe: shorts d $b */
/* probe: shorts r $return */
KEPT unsigned short shorts(short a, unsigned short b)
{
	D("shorts", "$a", a);
	D("shorts", "$b", b);
	D("shorts", "$return", (unsigned short)(b - 1));
	return (unsigned short)(b - 1);
}

/* probe: ints d $a */
/* probe: ints d $b */
/* probe: ints d $c */
/* probe: ints x $d */
/* probe: ints r $return */
KEPT int ints(int a, unsigned b, long c, unsigned long long d)
{
	D("ints", "$a", a);
	D("ints", "$b", b);
	D("ints", "$c", c);
	X("ints", "$d", d);
	D("ints", "$return", a + 1);
	return a + 1;
}

/* probe: many d $a */
/* probe: many d $b */
/* probe: many d $c */
/* probe: many d $d */
/* probe: many d $e */
/* probe: many d $f */
/* probe: many d $g */
/* probe: many d $h */
/* probe: many d $i */
/* probe: many d $j */
/* probe: many r $return */
KEPT long many(char a, short b, int c, long d, int e, int f, int g, char h, long i,
	       unsigned short j)
{
	D("many", "$a", a);
	D("many", "$b", b);
	D("many", "$c", c);
	D("many", "$d", d);
	D("many", "$e", e);
	D("many", "$f", f);
	D("many", "$g", g);
	D("many", "$h", h);
	D("many", "$i", i);
	D("many", "$j", j);
	D("many", "$return", i * 3);
	return i * 3;
}

/* probe: floats x $a */
/* probe: floats x $b */
/* probe: floats d $n */
/* probe: floats x $c */
/* probe: floats x $d */
/* probe: floats x $e */
/* probe: floats x $f */
/* probe: floats x $g */
/* probe: floats x $h */
/* probe: floats x $i */
/* probe: floats x $j */
/* probe: floats p $j */
KEPT double floats(float a, double b, int n, float c, double d, float e, double f, float g,
		   double h, float i, double j)
{
	X("floats", "$a", bits(a));
	X("floats", "$b", bits(b));
	D("floats", "$n", n);
	X("floats", "$c", bits(c));
	X("floats", "$d", bits(d));
	X("floats", "$e", bits(e));
	X("floats", "$f", bits(f));
	X("floats", "$g", bits(g));
	X("floats", "$h", bits(h));
	X("floats", "$i", bits(i));
	X("floats", "$j", bits(j));
	S("floats", "$j$", "10.25");
	return a + b;
}

/* probe: wide p $x */
/* probe: wide d $n */
KEPT int wide(long double x, int n)
{
	printf("wide $x$ %g\n", (double)x);
	D("wide", "$n", n);
	return n;
}

/* probe: strings s $s */
/* probe: strings s $t */
/* probe: strings d $s[1] */
/* probe: strings p $t */
/* probe: strings d $v[1] */
KEPT const char *strings(const char *s, char *t, const int *v)
{
	S("strings", "$s", s);
	S("strings", "$t", t);
	D("strings", "$s[1]", s[1]);
	printf("strings $t$ \"%s\"\n", t);
	D("strings", "$v[1]", v[1]);
	return s + 1;
}

enum colour { RED, GREEN = 5, BLUE = 200, NEGATIVE = -7 };
enum big { SMALL_ONE = 1, BIG_ONE = 3000000000u };

/* probe: enums d $a */
/* probe: enums p $a */
/* probe: enums d $b */
/* probe: enums p $b */
/* probe: enums q $return */
KEPT enum colour enums(enum colour a, enum big b)
{
	D("enums", "$a", a);
	S("enums", "$a$", "BLUE");
	D("enums", "$b", b);
	S("enums", "$b$", "BIG_ONE");
	S("enums", "$return$", "NEGATIVE");
	return NEGATIVE;
}

struct one { int a; };
struct two { long a; int b; };
struct eight { char a; short b; int c; };
struct mixed { int n; double d; };
struct floating { float x, y, z; };
struct large { long v[4]; char tag; };
struct inner { short p, q; };
struct nested { struct inner in[2]; union { unsigned u; float f; }; };
struct fields { unsigned a : 3; int b : 5; unsigned c : 9; long d : 40; };

/* probe: small d $a->a */
/* probe: small d $b->a */
/* probe: small d $b->b */
/* probe: small d $c->a */
/* probe: small d $c->b */
/* probe: small d $c->c */
/* probe: small p $c */
KEPT struct one small(struct one a, struct two b, struct eight c)
{
	D("small", "$a->a", a.a);
	D("small", "$b->a", b.a);
	D("small", "$b->b", b.b);
	D("small", "$c->a", c.a);
	D("small", "$c->b", c.b);
	D("small", "$c->c", c.c);
	printf("small $c$ {.a='%c', .b=%d, .c=%d}\n", c.a, c.b, c.c);
	return a;
}

/* probe: mixtures d $m->n */
/* probe: mixtures x $m->d */
/* probe: mixtures x $f->x */
/* probe: mixtures x $f->y */
/* probe: mixtures x $f->z */
/* probe: mixtures x $f->z */
KEPT struct mixed mixtures(struct mixed m, struct floating f)
{
	D("mixtures", "$m->n", m.n);
	X("mixtures", "$m->d", bits(m.d));
	X("mixtures", "$f->x", bits(f.x));
	X("mixtures", "$f->y", bits(f.y));
	X("mixtures", "$f->z", bits(f.z));
	return m;
}

/* probe: larger d $l->v[0] */
/* probe: larger d $l->v[3] */
/* probe: larger d $l->tag */
/* probe: larger d $n->in[1]->q */
/* probe: larger d $n->u */
/* probe: larger d $last */
KEPT struct large larger(struct large l, struct nested n, int last)
{
	D("larger", "$l->v[0]", l.v[0]);
	D("larger", "$l->v[3]", l.v[3]);
	D("larger", "$l->tag", l.tag);
	D("larger", "$n->in[1]->q", n.in[1].q);
	D("larger", "$n->u", n.u);
	D("larger", "$last", last);
	return l;
}

/* probe: bitfields d $f->a */
/* probe: bitfields d $f->b */
/* probe: bitfields d $f->c */
/* probe: bitfields d $f->d */
/* probe: bitfields d $p->b */
/* probe: bitfields d $p->d */
KEPT int bitfields(struct fields f, const struct fields *p)
{
	D("bitfields", "$f->a", f.a);
	D("bitfields", "$f->b", f.b);
	D("bitfields", "$f->c", f.c);
	D("bitfields", "$f->d", f.d);
	D("bitfields", "$p->b", p->b);
	D("bitfields", "$p->d", p->d);
	return f.b;
}

/* probe: exhausted d $s->a */
/* probe: exhausted d $s->b */
/* probe: exhausted d $f */
/* probe: exhausted d $g */
KEPT long exhausted(int a, int b, int c, int d, int e, struct two s, int f, int g)
{
	D("exhausted", "$s->a", s.a);
	D("exhausted", "$s->b", s.b);
	D("exhausted", "$f", f);
	D("exhausted", "$g", g);
	return a + b + c + d + e;
}

/* probe: grids d $g[1][2] */
/* probe: grids d $p->a */
/* probe: grids d $p->b */
KEPT int grids(int (*g)[3], struct two *p, int (*call)(int, unsigned, long, unsigned long long))
{
	D("grids", "$g[1][2]", g[0][5]);
	D("grids", "$p->a", p->a);
	D("grids", "$p->b", p->b);
	return call != NULL;
}

static __thread int local_to_thread = 5;
int everybody = 77;
static short only_here = -9;

/* probe: variables d $local_to_thread */
/* probe: variables d $everybody */
/* probe: variables d $only_here */
/* probe: variables d $x */
KEPT int variables(int x)
{
	local_to_thread += x;
	everybody += x;
	only_here = (short)(only_here + x);
	D("variables", "$local_to_thread", local_to_thread - x);
	D("variables", "$everybody", everybody - x);
	D("variables", "$only_here", only_here - x);
	D("variables", "$x", x);
	return local_to_thread;
}

/* Left to the optimiser: inlined, cloned, parameters dropped. */
/* probe: free_hand d $a */
/* probe: free_hand d $b */
/* probe: free_hand d $unused */
/* probe: free_hand d $p->a */
/* probe: free_hand d $p->b */
static int free_hand(int a, int b, int unused, const struct two *p)
{
	D("free_hand", "$a", a);
	D("free_hand", "$b", b);
	D("free_hand", "$unused", 1234);
	D("free_hand", "$p->a", p->a);
	D("free_hand", "$p->b", p->b);
	return a * b;
}

/* probe: cloned d $x */
/* probe: cloned d $y */
/* probe: cloned d $s->b */
/* probe: cloned r $return */
static __attribute__((noinline)) int cloned(int x, int y, struct two *s, int unused)
{
	D("cloned", "$x", x);
	D("cloned", "$y", y);
	D("cloned", "$s->b", s->b);
	D("cloned", "$return", x / y);
	return x / y;
}

/* probe: address_taken d $x */
/* probe: address_taken d $y */
/* probe: address_taken x $d */
KEPT int address_taken(int x, short y, double d)
{
	volatile int *p = &x;
	volatile short *q = &y;
	volatile double *r = &d;

	D("address_taken", "$x", *p);
	D("address_taken", "$y", *q);
	X("address_taken", "$d", bits(*r));
	*p = 0;
	return *q;
}

int main(int argc, char **argv)
{
	struct two two = {-8000000000L, -4};
	struct fields fields = {5, -9, 300, -123456789012};
	int grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, zero = argc - 1;
	char text[] = "changed";

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	sink += chars((signed char)(zero - 128), 200, true, 'x') +
		shorts((short)(zero - 30000), 60000);
	sink += ints(zero - 2000000000, 4000000000u, -5000000000L, 0xfedcba9876543210ull);
	sink += many((char)(zero + 1), -2, 3, -4, 5, -6, 7, -8, -9000000000L, 65000);
	sink += (long)floats(1.5f, -2.25, zero + 7, 3.5f, 4.5, 5.5f, 6.5, 7.5f, 8.5, 9.5f, 10.25);
	sink += wide(2.5L, zero - 3) + strings("first", text, grid[0])[0] +
		(int)enums(BLUE, BIG_ONE);
	sink += small((struct one){zero - 1}, two, (struct eight){'c', -3, 70000}).a;
	sink += mixtures((struct mixed){zero - 6, 0.125}, (struct floating){1.25f, -2.5f, 3.75f}).n;
	sink += larger((struct large){{1, 2, 3, -4}, 't'},
		       (struct nested){{{1, 2}, {3, -40}}, {99}}, zero + 17).tag;
	sink += bitfields(fields, &fields) + exhausted(1, 2, 3, 4, 5, two, zero + 6, -7);
	sink += grids(grid, &two, ints) + variables(zero + 2) + address_taken(zero - 77, -78, 79.5);
	sink += free_hand(zero + 21, 22, 1234, &two) + cloned(zero + 90, 3, &two, 1) +
		cloned(90, 3, &two, 2);
	fflush(stdout);
	return 0;
}
