/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of tls_main.c: each thread has these variables of its own. */
#include <stdio.h>

__thread int shown = 10;                         /* other modules may see it */
static __thread int own[100] = {1, 2, 3};
__attribute__((visibility("hidden"))) __thread long hidden = -7;
static __thread struct { char name[8]; short n; } pair = {"pair", 5};
static __thread int late;

int where(int step)
{
	shown += step;
	own[2] += step * 10;
	hidden -= step;
	pair.n++;
	late = pair.n * 2;
	return 0;
}

/* This one is called where the thread has used none of them. */
int before(int x) { return x + 1; }

int report(const char *who)
{
	printf("%s: %d %d %ld %s %d %d\n", who, shown, own[2], hidden, pair.name, pair.n, late);
	return shown;
}
