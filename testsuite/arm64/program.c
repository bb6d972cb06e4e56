/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of each class of AAPCS64, SDT markers and calls of a library. */
#include <stdio.h>
#include <stdlib.h>

#define NOIPA __attribute__((noipa))

struct small {
	int a;
	char b;
};
struct pair {
	long a, b;
};
struct large {
	long a, b, c;
};
struct three {
	double x, y, z;
};
struct two {
	float x, y;
};
struct mixed {
	double x;
	int n;
};
struct nested {
	struct two p;
	float w;
};
union number {
	float f, g;
};

NOIPA long integers(char a, short b, int c, long d, unsigned char e, unsigned f, long g, long h,
		    long i, char j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

NOIPA double floats(float a, double b, int n, float c, double d, double e, double f, double g,
		    double h, double i)
{
	return a + b + n + c + d + e + f + g + h + i;
}

NOIPA long structs(struct small s, struct pair p, struct large l, int n)
{
	return s.a + s.b + p.a + p.b + l.a + l.c + n;
}

NOIPA double homogeneous(struct three v, struct two f, struct mixed m, struct nested k, float last)
{
	return v.x + v.y + v.z + f.x + f.y + m.x + m.n + k.p.x + k.w + last;
}

NOIPA double homogeneous_stack(double a, double b, double c, double d, double e, double f,
			       struct three v, double last)
{
	return a + b + c + d + e + f + v.x + v.y + v.z + last;
}

NOIPA long wide(int n, __int128 w, int m) { return n + (long)w + (long)(w >> 64) + m; }

NOIPA long pair_stack(long a, long b, long c, long d, long e, long f, long g, struct pair p,
		      int last)
{
	return a + b + c + d + e + f + g + p.a + p.b + last;
}

NOIPA float of_union(union number u) { return u.f; }

NOIPA struct large make_large(int n) { return (struct large){n, n, n}; }
NOIPA struct three make_three(double x) { return (struct three){x, x, x}; }
NOIPA struct small make_small(int x) { return (struct small){x, 1}; }

NOIPA int increment(int n) { return n + 1; }

/* A note as that of <sys/sdt.h>, with operands as compilers write them. */
#define MARK(name, args, ...)                                                                 \
	__asm__ volatile("990:\tnop\n"                                                        \
			 "\t.pushsection .note.stapsdt, \"\", \"note\"\n"                     \
			 "\t.balign 4\n\t.4byte 992f-991f, 994f-993f, 3\n"                    \
			 "991:\t.asciz \"stapsdt\"\n992:\t.balign 4\n"                        \
			 "993:\t.8byte 990b, 0, 0\n"                                          \
			 "\t.asciz \"arm64\"\n\t.asciz \"" name "\"\n\t.asciz \"" args "\"\n" \
			 "994:\t.balign 4\n\t.popsection\n" ::__VA_ARGS__)

int counter = 3;

NOIPA void marks(int n, long m, double d, int *p)
{
	MARK("values", "-4@%w0 8@%1 -4@%2 8f@%3", "r"(n), "r"(m), "n"(7), "w"(d));
	MARK("memory", "-4@%0 -4@[sp, 12] -4@[x0, x1, lsl 2] -4@[x0, w1, sxtw #2]", "m"(*p));
}

int main(int argc, char **argv)
{
	struct large l = make_large(argc);

	printf("%ld %f\n", integers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
	       floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%ld\n", structs((struct small){1, 2}, (struct pair){3, 4}, l, 5) + increment(argc));
	printf("%f\n", homogeneous(make_three(2), (struct two){4, 5}, (struct mixed){6, 7},
				   (struct nested){{1, 2}, 3}, 8));
	printf("%f %ld\n",
	       homogeneous_stack(1, 2, 3, 4, 5, 6, make_three(7), 8) + of_union((union number){1}),
	       wide(1, 2, 3));
	printf("%ld\n", pair_stack(1, 2, 3, 4, 5, 6, 7, (struct pair){8, 9}, atoi(argv[0])));
	marks(1, 2, 3, &counter);
	return make_small(0).a;
}
