/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One output line for each check, in the format of testsuite/local.mk. */
#ifndef STAPRUN_CHECK_H
#define STAPRUN_CHECK_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int failed;

static inline void check(bool ok, const char *name, const char *why)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failed += !ok;
}

/* Repeatable random numbers (xorshift64). */
static inline uint64_t random64(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

/* Messages of the tested code are discarded until restore_messages(). */
static int kept_stderr = -1;

static inline void drop_messages(void)
{
	int null = open("/dev/null", O_WRONLY);

	kept_stderr = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

static inline void restore_messages(void)
{
	dup2(kept_stderr, STDERR_FILENO);
	close(kept_stderr);
}

#endif
