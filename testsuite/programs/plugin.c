/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that maps a library only when it runs.  With -DLIBRARY it is
 * that library, whose path is the program's argument.  Prints its calls' sum.
 */
#include <stdio.h>

#ifdef LIBRARY
struct pair { int left, right; };

__attribute__((noipa)) int weigh(const struct pair *p) { return p->left + p->right; }

int plugin(int i)
{
	struct pair p = {i, -2 * i};

	return weigh(&p);
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
	int sum = 0;

	for (int round = 0; argc > 1 && round < 3; round++) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		int (*plugin)(int) = lib ? (int (*)(int))dlsym(lib, "plugin") : NULL;

		if (!plugin)
			return 1;
		sum += plugin(round + 1);
		dlclose(lib);
	}
	printf("%d\n", sum);
	fflush(stdout);
	return 0;
}
#endif
