/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pointers that are optimised away with what they point to kept in registers, for testsuite/ustap.process/implicit.stp. */
struct pair { int a; long b; };
volatile long sink;

static inline __attribute__((always_inline)) long sum(const struct pair *p, const int *n, const char *text)
{
	long s = p->a;

	__asm__ volatile("nop; nop; nop; nop; nop" : "+r"(s));
	return s + p->b + *n + text[1];
}

__attribute__((noipa)) long f(int x, long y)
{
	struct pair p = {x, y};
	int n = x + 1;

	return sum(&p, &n, "text");
}

int main(void)
{
	sink = f(-5, 77);
	return 0;
}
