/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads a library at run time, which calls leaf() of the program, from a function that it exports and from one that it does not. */
#include <stdio.h>

#define OUTSIDE __attribute__((noipa))

#ifdef LIBRARY
typedef int (*call_fn)(int);

OUTSIDE static int hidden(call_fn f, int x) { return f(x) + 1; }
OUTSIDE int shown(call_fn f, int x)
{
	char room[x * 8 + 100];
	int v = hidden(f, x) + f(x);

	__asm__ volatile("" : : "r"(room) : "memory");
	return v;
}
#else
#include <dlfcn.h>

OUTSIDE int leaf(int x)
{
	__asm__ volatile("" : : : "memory");
	return x;
}

int main(int argc, char **argv)
{
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*shown)(int (*)(int), int) = lib ? (int (*)(int (*)(int), int))dlsym(lib, "shown") : NULL;

	printf("%d\n", shown ? shown(leaf, 3) : 0);
	return 0;
}
#endif
