/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other unit of vars.c: what that one only declares, and what it never names. */
#include "vars.h"

struct hidden { int first; int secret; struct outer *back; };

long __attribute__((used)) other_global = -987654321012L;
int __attribute__((used)) unmentioned = 4321;
static struct hidden the_one = {1, -2, 0};

struct hidden *hidden_new(void) { return &the_one; }
int hidden_value(struct hidden *h) { return h->secret; }
