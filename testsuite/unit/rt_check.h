/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit tests of runtime/common: a program with one begin probe, which runs checks(c). main() and
 * the rest of a runtime come from port_hosted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ustap_rt.h"

static void checks(struct ust_ctx *c);

static int bad;

static void check_at(int line, const char *name, int ok, const char *got)
{
	if (ok) {
		printf("ok %s\n", name);
		return;
	}
	printf("not ok %s: line %d, got \"%s\"\n", name, line, got);
	bad = 1;
}

#define check(name, cond) check_at(__LINE__, name, cond, "false")

static inline void check_text_at(int line, const char *name, const char *got, const char *want)
{
	check_at(line, name, !strcmp(got, want), got);
}
#define check_text(name, got, want) check_text_at(__LINE__, name, got, want)

static inline void check_long_at(int line, const char *name, ust_long got, ust_long want)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", got);
	check_at(line, name, got == want, text);
}
#define check_long(name, got, want) check_long_at(__LINE__, name, got, want)

static void on_begin(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);

	checks(c);
	ust_exit(c);
	if (bad) {
		fflush(stdout);
		_Exit(1);
	}
	ust_leave(c);
}

static const struct ust_probe rt_check_probes[] = {
	{.kind = UST_PROBE_BEGIN, .handler = on_begin, .pp = "begin"}};
static const struct ust_where rt_check_wheres[] = {{0, 0, 0, 0},
						   {"a", "identifier", "t.stp:1:2", 0}};

#define PROGRAM(gvars_, n)                                                        \
	const struct ust_program ust_program = {.abi = UST_ABI,                   \
						.probes = rt_check_probes,        \
						.nprobes = 1,                     \
						.gvars = gvars_,                  \
						.ngvars = n,                      \
						.wheres = rt_check_wheres,        \
						.nwheres = 2,                     \
						.maxaction = 100,                 \
						.maxnesting = 3,                  \
						.maxstringlen = UST_MAXSTRINGLEN, \
						.frame_size = 2048,               \
						.script = "test"}
