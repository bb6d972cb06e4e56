/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netfilter.*: packet hooks in the initial network namespace.
 *
 * They run in softirqs and in tasks, without registers: the handler finds the hook's arguments
 * where those of a function would be.
 */
#include <linux/preempt.h>
#include <linux/slab.h>
#if IS_ENABLED(CONFIG_NETFILTER)
#include <linux/netfilter.h>
#include <net/net_namespace.h>
#endif

#include "probes/probes.h"
#include "rt.h"
#include "reentry_guard.h"
#include "wire_records.h"

void ust_netfilter_verdict(struct ust_ctx *c, ust_long v)
{
	if (c->hit->probe && c->hit->probe->kind == UST_PROBE_NETFILTER && c->hit->subject)
		*(unsigned int *)c->hit->subject = v;
	else
		ctx_fail(c, "no packet is available here");
}

#if IS_ENABLED(CONFIG_NETFILTER)

struct hook {
	struct nf_hook_ops ops;
	bool registered;
};

static struct hook *hooks;
static u32 nhooks;

static unsigned int on_packet(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const unsigned long a[ARCH_ARGS] = {state->hook, (unsigned long)skb,
					    (unsigned long)state->in, (unsigned long)state->out};
	struct pt_regs regs = {};
	unsigned int verdict = NF_ACCEPT;
	struct ust_hit hit = {.probe = priv,
			      .regs = (struct ust_regs *)&regs,
			      .mode = RT_KERNEL,
			      .subject = &verdict};
	int level;

	if (unlikely(!READ_ONCE(rt.armed)))
		return NF_ACCEPT;
	arch_set_args(&regs, a);
	preempt_disable_notrace();
	level = guard_try();
	if (likely(level >= 0)) {
		hit.probe->handler(&hit);
		guard_leave(level);
	}
	preempt_enable_notrace();
	return verdict;
}

static void register_hook(struct hook *h, const struct ust_probe *p)
{
	int err;

	h->ops = (struct nf_hook_ops){.hook = on_packet,
				      .priv = (void *)p,
				      .pf = p->packet.family,
				      .hooknum = p->packet.hook,
				      .priority = p->packet.priority};
	err = nf_register_net_hook(&init_net, &h->ops);
	h->registered = !err;
	if (err)
		relay_message(
			UST_REC_WARN,
			"probe %s cannot be armed: the kernel does not support this hook (%d)",
			p->pp, err);
}

int netfilter_start(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		nhooks += ust_program.probes[i].kind == UST_PROBE_NETFILTER;
	if (!nhooks)
		return 0;
	hooks = kcalloc(nhooks, sizeof *hooks, GFP_KERNEL);
	if (!hooks)
		return -ENOMEM;
	for (i = 0, nhooks = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == UST_PROBE_NETFILTER)
			register_hook(&hooks[nhooks++], &ust_program.probes[i]);
	return 0;
}

void netfilter_stop(void)
{
	u32 i;

	for (i = 0; hooks && i < nhooks; i++)
		if (hooks[i].registered)
			nf_unregister_net_hook(&init_net, &hooks[i].ops);
	if (hooks)
		synchronize_rcu(); /* wait for running handlers */
	kfree(hooks);
	hooks = NULL;
	nhooks = 0;
}

#else

int netfilter_start(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == UST_PROBE_NETFILTER)
			relay_message(UST_REC_WARN,
				      "probe %s cannot be armed: this kernel has no netfilter",
				      ust_program.probes[i].pp);
	return 0;
}

void netfilter_stop(void) {}

#endif
