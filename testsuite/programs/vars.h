/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VARS_H
#define VARS_H

#include <stdbool.h>

enum color { RED = -1, GREEN, BLUE = 5 };

struct inner { short s; unsigned char uc; char c; };
struct bits { unsigned a : 3; int b : 5; unsigned long c : 33; int d : 7; bool e : 1; };
struct __attribute__((packed)) packed_bits { unsigned x : 6; int y : 15; unsigned z : 20; };

typedef struct outer outer_t;
struct outer {
	int i;
	struct inner in, arr[3];
	union { int u_i; signed char u_c[4]; };
	struct { volatile long anon_l; long anon_pad; };
	outer_t *next;
	char name[16];
	const char *str;
	int grid[2][3];
	enum color col;
	bool flag;
	struct bits bits;
	struct packed_bits packed;
	double dbl;
};

struct pair { int a, b; };
struct two { long a, b; };
struct big { long a[4]; };

/* Defined in vars2.c; here only its name is known. */
struct hidden;
struct hidden *hidden_new(void);
int hidden_value(struct hidden *h);
extern long other_global;

#endif
