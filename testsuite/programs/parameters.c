/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters that optimised code has changed or replaced by the time a debugger looks. */
/* Compilers count it down in the first instruction, before that in the debug information. */
__attribute__((noinline)) int length(const int *s, unsigned long n)
{
	int r = 0;

	while (n-- > 0 && *s)
		r += *s++ > 3 ? 2 : 1;
	return r;
}

/* Always called with the same number, of which a byte is enough. */
static __attribute__((noinline)) int slot(int a, int at, signed char minus)
{
	__asm__ volatile("" : : "r"(a), "r"(at), "r"(minus));
	return a + at + minus;
}

int main(void)
{
	int v[] = {1, 5, 3, 0};

	if (length(v, 40) + length(v, 2) != 7)
		return 1;
	return slot(1, 184, -3) + slot(2, 184, -3) != 365;
}
