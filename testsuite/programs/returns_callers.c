/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that read their return address, by the dynamic linker or themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

static void *main_code;

static bool is_mine(const void *addr)
{
	const char *a = addr, *m = main_code;

	return a > m - 65536 && a < m + 65536;
}

/* In the body, behind saved registers. */
NOINLINE long in_body(long n)
{
	char text[100];
	long mine;

	snprintf(text, sizeof text, "%ld", n);
	mine = is_mine(__builtin_return_address(0));
	return 10 * atol(text) + mine;
}

static volatile long unlikely;

NOINLINE long ends_elsewhere(const void *caller, long n)
{
	return 10 * n + is_mine(caller) + unlikely;
}

/* It ends with a jump, whose target is known or not, or with a return instruction. */
NOINLINE long tail_call(long n)
{
	static long (*volatile const indirect)(const void *, long) = ends_elsewhere;
	const void *caller = __builtin_return_address(0);

	if (n == 1)
		return ends_elsewhere(caller, n);
	if (n == 2)
		return indirect(caller, n);
	return 10 * n + is_mine(caller);
}

NOINLINE __attribute__((cold)) void rare(void) { unlikely++; }

/* GCC puts the unlikely code elsewhere, which jumps back. */
NOINLINE long with_cold_part(long n)
{
	const void *caller = __builtin_return_address(0);
	long sum = 0;

	for (long i = 0; i < n; i++) {
		if (i == 2) {
			rare();
			unlikely = 0;
		}
		sum += is_mine(caller);
	}
	return 100 * n + sum;
}

NOINLINE long nested(long n)
{
	long mine = is_mine(__builtin_return_address(0));

	return n ? 10 * n + 10 * (nested(n - 1) / 10) + mine : mine;
}

int main(void)
{
	int (*put)(const char *);

	main_code = main;
	put = dlsym(RTLD_NEXT, "puts");
	printf("dlsym %d\n", put == puts);
	printf("in_body %ld\n", in_body(7));
	for (long n = 1; n <= 3; n++)
		printf("tail_call %ld\n", tail_call(n));
	printf("with_cold_part %ld\n", with_cold_part(5));
	printf("nested %ld\n", nested(3));
	return 0;
}
