/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of every kind with known values, for testsuite/unit/test_dwarf.c. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "vars.h"

#define NOINLINE __attribute__((noinline, noclone, noipa))
/* A place with a name inside a function, where its locals have their values. */
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ":\n\tnop" ::: "memory")

int __attribute__((used)) counter = -12345;
static unsigned short __attribute__((used)) file_static = 65000;
const char *__attribute__((used)) greeting = "hello";
struct outer __attribute__((used)) chain[2];
int __attribute__((used)) table[4] = {10, -20, 30, -40};
__thread int per_thread = 5;
long sink;

NOINLINE void use(const void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }

NOINLINE int scalars(signed char sc, unsigned char uc, short s, unsigned short us, int i,
		     unsigned int ui)
{
	use(&sink);
	return sc + uc + s + us + i + (int)ui;
}

NOINLINE long longs(long l, unsigned long ul, bool yes, bool no, enum color col, char ch)
{
	use(&sink);
	return l + (long)ul + yes + no + col + ch;
}

NOINLINE long structs(struct outer *p, int n, const char *str, outer_t **pp)
{
	use(p);
	return p->i + n + str[0] + (*pp)->i;
}

/* The seventh and later integers come on the stack, doubles take no integer register. */
NOINLINE long many(int a, double d, int b, int c, short e, long f, int g, int h, short i,
		   struct big big)
{
	use(&sink);
	return a + (long)d + b + c + e + f + g + h + i + big.a[1];
}

NOINLINE int taken(int x, char y)
{
	use(&x);
	use(&y);
	return x + y;
}

NOINLINE long by_value(struct pair p, struct two t)
{
	use(&sink);
	return p.a + p.b + t.a + t.b;
}

NOINLINE int locals(int n)
{
	int doubled = n * 2;
	long squares[5];
	struct inner in = {-7, 200, 'c'};
	static int calls = 41;
	int vla[n];
	for (int k = 0; k < 5; k++)
		squares[k] = (long)k * k - 1;
	for (int k = 0; k < n; k++)
		vla[k] = 100 + k;
	calls++;
	use(squares);
	use(&in);
	use(vla);
	{
		int doubled = 1000 + n;          /* hides the outer one */
		int inner_only = -n;
		use(&doubled);
		use(&inner_only);
		MARK(mark_inner);
	}
	use(&doubled);
	MARK(mark_outer);
	return doubled + calls + (int)squares[2] + in.s + vla[1];
}

NOINLINE int big_frame(int x)
{
	char room[100000];
	room[x] = 1;
	use(room);
	return room[x];
}

NOINLINE int variadic(const char *fmt, ...) { use(fmt); return fmt[0]; }

NOINLINE long vla_param(int n, long grid[n][n], int k)
{
	use(grid);
	return grid[k][k];
}

NOINLINE int one_line(short a) { return a + 1; }

NOINLINE int globals(void)
{
	use(chain);
	return counter + file_static + other_global + per_thread;
}

NOINLINE long opaque(struct hidden *h)
{
	use(h);
	return hidden_value(h);
}

NOINLINE static int is_static(int v)
{
	use(&sink);
	return v + 1;
}

NOINLINE float floats(float f, double d)
{
	use(&sink);
	return f + (float)d;
}

NOINLINE int ret_int(void)
{
	use(&sink);
	return -5;
}

NOINLINE unsigned char ret_uc(void)
{
	use(&sink);
	return 250;
}

NOINLINE bool ret_bool(void)
{
	use(&sink);
	return counter < 0;
}

NOINLINE const char *ret_str(void)
{
	use(&sink);
	return greeting;
}

NOINLINE struct outer *ret_ptr(void)
{
	use(&sink);
	return &chain[0];
}

NOINLINE struct pair ret_pair(void)
{
	use(&sink);
	return (struct pair){-1, 2};
}

NOINLINE struct two ret_two(void)
{
	use(&sink);
	return (struct two){-3, 4};
}

NOINLINE struct big ret_big(int k)
{
	use(&sink);
	return (struct big){{k, k + 1, k + 2, k + 3}};
}

NOINLINE double ret_double(void)
{
	use(&sink);
	return 1.5;
}

NOINLINE void ret_void(void) { use(&sink); }

static void fill(void)
{
	struct outer *o = &chain[0];
	o->i = -42;
	o->in = (struct inner){-300, 255, 'x'};
	for (int k = 0; k < 3; k++)
		o->arr[k] = (struct inner){(short)(k - 1), (unsigned char)(k + 10), 'a'};
	o->u_i = 0x01020384;
	o->anon_l = -99;
	o->next = &chain[1];
	strcpy(o->name, "outer zero");
	o->str = "a string";
	for (int r = 0; r < 2; r++)
		for (int k = 0; k < 3; k++)
			o->grid[r][k] = r * 10 - k;
	o->col = BLUE;
	o->flag = true;
	o->bits = (struct bits){.a = 5, .b = -9, .c = 0x1fffffffeULL, .d = -64, .e = 1};
	o->packed = (struct packed_bits){.x = 0x2a, .y = -1000, .z = 77777};
	o->dbl = 2.5;
	chain[1].i = 7;
	chain[1].next = o;
}

int main(void)
{
	struct outer *o = chain;
	long r = 0;
	fill();
	r += scalars(-128, 200, -30000, 60000, -2000000000, 4000000000u);
	r += longs(-5000000000L, 18000000000000000000UL, true, false, GREEN, 'Z');
	r += structs(o, 2, "text", &o);
	r += many(1, 2.0, 3, -4, -5, -6000000000L, 7, -8, -9, (struct big){{1, -2, 3, 4}});
	r += taken(-77, 'y');
	r += by_value((struct pair){-11, 12}, (struct two){-13, 14});
	r += locals(3);
	r += big_frame(77) + variadic("v", 1, 2.0) + one_line(-6);
	r += vla_param(2, (long[2][2]){{1, 2}, {3, -4}}, 1);
	r += globals();
	r += opaque(hidden_new());
	r += is_static(-33);
	r += (long)floats(1, 2);
	r += ret_int() + ret_uc() + ret_bool() + ret_str()[0] + ret_ptr()->i;
	r += ret_pair().a + ret_two().b + ret_big(-20).a[2] + (long)ret_double();
	ret_void();
	sink = r;
	return 0;
}
