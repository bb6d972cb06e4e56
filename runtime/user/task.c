/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: the task, the time, and the probe that was hit.  What only the kernel knows takes a system call;
 * begin, end and timer probes run in the loader, as they do with the kernel runtime.
 */
#include <asm/unistd.h>
#include <linux/prctl.h>

#include "user.h"

/* -------------------------------------------------------------- the task */

static ust_long ask(long nr)
{
	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return 0;
	return system_call(nr, 0, 0, 0, 0, 0, 0);
}

ust_long ust_pid(struct ust_ctx *c) { (void)c; return identity_pid(); }
ust_long ust_tid(struct ust_ctx *c) { (void)c; return identity_tid(); }
ust_long ust_cpu(struct ust_ctx *c) { (void)c; return arch_cpu(); }
ust_long ust_target(struct ust_ctx *c) { (void)c; return agent.status.target; }
ust_long ust_ppid(struct ust_ctx *c) { (void)c; return ask(__NR_getppid); }
ust_long ust_uid(struct ust_ctx *c) { (void)c; return ask(__NR_getuid); }
ust_long ust_euid(struct ust_ctx *c) { (void)c; return ask(__NR_geteuid); }
ust_long ust_gid(struct ust_ctx *c) { (void)c; return ask(__NR_getgid); }
ust_long ust_egid(struct ust_ctx *c) { (void)c; return ask(__NR_getegid); }

const char *ust_execname(struct ust_ctx *c, char *dst)
{
	char name[17] = "";

	(void)c;
	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	ust_strcpy(dst, name);
	return dst;
}

/* -------------------------------------------------------------- the time */

ust_long ust_gettimeofday_s(struct ust_ctx *c) { (void)c; return clock_realtime() / 1000000000; }
ust_long ust_gettimeofday_ms(struct ust_ctx *c) { (void)c; return clock_realtime() / 1000000; }
ust_long ust_gettimeofday_us(struct ust_ctx *c) { (void)c; return clock_realtime() / 1000; }
ust_long ust_gettimeofday_ns(struct ust_ctx *c) { (void)c; return clock_realtime(); }

/* ------------------------------------------------------------- the probe */

ust_long ust_is_return(struct ust_ctx *c)
{
	return c->hit->site && c->hit->site->flags & UST_SITE_RETURN;
}

ust_long ust_user_mode(struct ust_ctx *c)
{
	return c->hit->regs != NULL;
}

ust_long ust_uaddr(struct ust_ctx *c)
{
	return c->hit->regs ? c->hit->regs->ip : 0;
}

const char *ust_pp(struct ust_ctx *c, char *dst)
{
	(void)dst;
	return c->hit->site ? c->hit->site->pp : c->hit->probe ? c->hit->probe->pp : "";
}

const char *ust_ppfunc(struct ust_ctx *c, char *dst)
{
	(void)dst;
	return c->hit->site && c->hit->site->func ? c->hit->site->func : "";
}

const char *ust_probefunc(struct ust_ctx *c, char *dst)
{
	return ust_ppfunc(c, dst);
}
