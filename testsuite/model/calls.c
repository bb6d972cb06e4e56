/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of scripts.py, which the scripts probe. */
#include <string.h>

__attribute__((noipa)) static long work(long n, const char *s) { return n * 3 + (long)strlen(s); }

int main(void)
{
	static const long n[] = {3, 0, -2, 1, 1, 4, 1l << 40, 2, 0, 3, 3, -1};
	static const char *const s[] = {"a", "ab", "", "b", "x y", "a", "ab", "100%"};
	long sum = 0;

	for (unsigned i = 0; i < sizeof n / sizeof *n; i++)
		sum += work(n[i], s[i % (sizeof s / sizeof *s)]);
	return sum == 0;
}
