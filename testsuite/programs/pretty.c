/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call for each kind of type, with known values.  Prints nothing. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOIPA __attribute__((noipa))

enum mood { CALM, CROSS = 5, FAR = -3 };
typedef unsigned char byte;
typedef struct { short lo, hi; } span;
struct leaf { int v; char tag; };
union either { int32_t number; char text[4]; };
struct deep { struct { struct { struct { int x; } c; } b; } a; };
struct bits { unsigned a : 3; int b : 4; unsigned c : 9; unsigned long long d : 40; int after; };
struct mixed {
	char name[8];
	const char *label;
	struct leaf leaf;
	struct leaf leaves[3];
	struct leaf *link;
	union either either;
	enum mood mood;
	double ratio;
	float ratios[2];
	void *any;
	int (*call)(int);
	bool yes;
	char letter;
	byte small;
	long long wide;
	unsigned long uwide;
	int grid[2][2];
	struct { int inner; };
	union { int one; unsigned other; };
	volatile span range;
	int one_only[1];
};
struct open { int n; int rest[]; };
struct huge { int m00, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
	m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
	m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63; };

volatile long sink;
struct mixed shared;
static int numbers[4] = {7, 8, 9, 10};

struct part { const span fixed; };
NOIPA int take_const(const struct part *p) { sink += p->fixed.lo; return 0; }
NOIPA int take_mixed(struct mixed *m) { sink += m->leaf.v; return 1; }
NOIPA struct leaf *take_leaf(struct leaf *l, int n) { sink += n; return l; }
NOIPA int take_scalars(int i, unsigned char c, const char *s, enum mood m, double d, void *p, long l)
{
	sink += i + c + s[0] + m + (long)d + (p != NULL) + l;
	return -i;
}
NOIPA int take_bits(struct bits *b) { sink += b->a; return 0; }
NOIPA int take_deep(struct deep *d) { sink += d->a.b.c.x; return 0; }
NOIPA int take_open(struct open *o, union either *u) { sink += o->n + u->number; return 0; }
NOIPA int take_huge(struct huge *h) { sink += h->m00; return 0; }
NOIPA int take_bad(struct mixed *m, const char *s, struct leaf **ll) { sink += (long)m + (long)s + (long)ll; return 0; }
NOIPA int take_value(struct mixed m) { sink += m.mood; return 0; }
NOIPA int take_array(int (*a)[4]) { int local[3] = {1, 2, (*a)[0]}; for (int i = 0; i < 3; i++) sink += local[i]; return 0; }
NOIPA enum mood make_mood(int n) { return n ? CROSS : FAR; }
NOIPA char make_char(void) { return '\n'; }
NOIPA void make_nothing(void) { sink++; }

int main(int argc, char **argv)
{
	struct mixed m = {.name = "abc\n\"q", .label = "hello \t world", .leaf = {-3, 'x'}, .leaves = {{1, 'a'}, {11, 'b'}},
		.either.number = 0x41424344, .mood = CROSS, .ratio = 1.5, .any = (void *)0x1234, .yes = true,
		.letter = 'z', .small = 200, .wide = -1, .uwide = -1, .grid = {{4, 5}, {6, 7}}, .inner = 77,
		.one = -1, .range = {-5, 6}, .one_only = {31}};
	struct bits b = {.a = 5, .b = -3, .c = 300, .d = 0x123456789aull, .after = 9};
	struct deep d = {.a.b.c.x = 42};
	struct { struct open o; int rest[2]; } o = {{2}, {1, 2}};
	struct huge h;

	(void)argc;
	(void)argv;
	memset(&h, 0x11, sizeof h);
	memcpy(&shared, &m, sizeof m);
	take_mixed(&m);
	take_leaf(&m.leaves[1], 3);
	take_scalars(-7, 'A', "xyz\\", FAR, 2.5, &m, 1l << 40);
	take_bits(&b);
	take_deep(&d);
	take_open(&o.o, &m.either);
	take_huge(&h);
	take_bad((struct mixed *)8, (const char *)16, NULL);
	take_value(m);
	take_array(&numbers);
	take_const(&(struct part){{1, -2}});
	make_mood(1);
	make_char();
	make_nothing();
	return 0;
}
