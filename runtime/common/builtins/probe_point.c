/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: the probe point that fired, as in the script, and its probe type. */
#include "common.h"

/* SystemTap's names. */
static const char *const probe_types[] = {
	[UST_PROBE_BEGIN] = "begin_end",
	[UST_PROBE_END] = "begin_end",
	[UST_PROBE_ERROR] = "begin_end",
	[UST_PROBE_TIMER_NS] = "hrtimer",
	[UST_PROBE_TIMER_JIFFIES] = "timer",
	[UST_PROBE_PROFILE] = "profile_timer",
	[UST_PROBE_MONITOR] = "procfs",
	[UST_PROBE_RESET] = "procfs",
	[UST_PROBE_SEND] = "procfs",
	[UST_PROBE_PROCESS_BEGIN] = "utrace",
	[UST_PROBE_PROCESS_END] = "utrace",
	[UST_PROBE_THREAD_BEGIN] = "utrace",
	[UST_PROBE_THREAD_END] = "utrace",
	[UST_PROBE_SYSCALL] = "utrace_syscall",
	[UST_PROBE_SYSCALL_RETURN] = "utrace_syscall",
	[UST_PROBE_PROCFS_READ] = "procfs",
	[UST_PROBE_PROCFS_WRITE] = "procfs",
	[UST_PROBE_PERF] = "perf",
	[UST_PROBE_DATA] = "hwbkpt",
	[UST_PROBE_NETFILTER] = "netfilter",
	[UST_PROBE_INPUT] = "procfs",
};

const char *ust_probe_type(struct ust_ctx *c, char *dst)
{
	const struct ust_hit *hit = c->hit;

	(void)dst;
	if (hit->site && hit->site->flags & UST_SITE_WATCH)
		return "hwbkpt";
	if (hit->site)
		return hit->site->flags & UST_SITE_RETURN ? "uretprobe" : "uprobe";
	return hit->probe && hit->probe->kind < sizeof probe_types / sizeof *probe_types
		       ? probe_types[hit->probe->kind]
		       : "";
}

const char *ust_pn(struct ust_ctx *c, char *dst)
{
	const struct ust_hit *hit = c->hit;
	const char *name = NULL;

	if (ust_program.names && hit->site)
		name = ust_program.names[hit->site - ust_program.sites];
	else if (ust_program.names && hit->probe)
		name = ust_program
			       .names[ust_program.nsites + (u32)(hit->probe - ust_program.probes)];
	return name ? name : ust_pp(c, dst);
}

/* The argument of `.label("...")'. */
const char *ust_pnlabel(struct ust_ctx *c, char *dst)
{
	static const char before[] = ".label(\"";
	const char *p = ust_pn(c, dst);
	struct ust_out o;

	while (*p && (strlen(p) < sizeof before || memcmp(p, before, sizeof before - 1)))
		p++;
	ust_out_string(&o, dst);
	if (*p)
		for (p += sizeof before - 1; *p && *p != '"'; p++)
			ust_put(&o, p, 1);
	ust_out_finish(&o);
	return dst;
}

const char *ust_input_char(struct ust_ctx *c, char *dst)
{
	const struct ust_probe *p = c->hit->probe;

	dst[0] = p && p->kind == UST_PROBE_INPUT ? (char)c->hit->addr : 0;
	dst[1] = 0;
	return dst;
}
