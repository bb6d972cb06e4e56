/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounded reads of the traced process's memory (runtime/common/memory/target_read.c). */
#include "rt_check.h"
#include "common.h"

PROGRAM(NULL, 0);

enum { MOST = 131072 / 8, PER_ACTION = BYTES_PER_ACTION / 8 };

static const u64 word = 0x1122334455667788;
static u64 address(void) { return (u64)(uintptr_t)&word; }

static u32 reads_until_refused(struct ust_ctx *c)
{
	u32 n = 0;
	u64 v;

	target_begin(c);
	while (n <= MOST && target_read(c, address(), 8, &v))
		n++;
	return n;
}

static void limited(struct ust_ctx *c)
{
	struct ctx *x = ctx_of(c);
	u32 limit = hosted_max_actions;
	u64 v;

	hosted_max_actions = x->checkpoint = 1 << 20;
	c->actions = 0;
	check_long("as much as the kernel passes to a program", reads_until_refused(c), MOST);
	check_long("which is charged", c->actions, MOST / PER_ACTION);
	check("no more of this builtin", !target_read(c, address(), 8, &v) && !v && !c->failed);
	target_begin(c);
	check("but of the next one", target_read(c, address(), 8, &v) && v == word);
	hosted_max_actions = x->checkpoint = limit;
}

static void charged(struct ust_ctx *c)
{
	struct ctx *x = ctx_of(c);
	u32 limit = hosted_max_actions;
	u64 v;

	hosted_max_actions = x->checkpoint = 3;
	c->actions = 0;
	check_long("ends with the handler's actions", reads_until_refused(c), 4 * PER_ACTION - 1);
	check("which is an error", c->failed && !ust_catch(c, NULL));
	check("for good", !target_read(c, address(), 8, &v) && !target_load(c, address(), 8));
	check("that no other error hides", !ust_catch(c, NULL));
	c->failed = false;
	c->actions = 0;
	hosted_max_actions = x->checkpoint = limit;
}

static void unreadable(struct ust_ctx *c)
{
	u64 v = 1;

	target_begin(c);
	check("nothing there", !target_read(c, 8, 8, &v) && !v && !c->failed);
	check_long("touched", (ust_long)target_touch(c, 8, 8), 0);
	check("loaded", !target_load(c, 8, 8) && c->failed && ust_catch(c, NULL));
}

static void checks(struct ust_ctx *c)
{
	limited(c);
	charged(c);
	unreadable(c);
}
