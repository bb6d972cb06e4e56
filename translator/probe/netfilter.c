/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netfilter.hook("HOOK").pf("FAMILY").priority("PRIORITY"): packets on their way. The names are
 * those of the kernel's headers.
 *
 * $hooknum, $skb, $in and $out are passed as arguments of a function; uses of $verdict become
 * calls of the runtime.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "probe.h"
#include "arch/arch.h"
#include "sema/builtin.h"
#include "sema/points/point.h"
#include "session.h"

/* ----------------------------------------------------------------- names */

struct number {
	const char *name;
	int value;
};

static const struct number families[] = {
	{"NFPROTO_IPV4", 2}, {"NFPROTO_ARP", 3}, {"NFPROTO_BRIDGE", 7}, {"NFPROTO_IPV6", 10}};
enum { NF_IP = 2, NF_ARP = 3, NF_BRIDGE = 7, NF_IP6 = 10 };

/* Behind NF_INET_, NF_IP_, NF_IP6_, NF_BR_; NF_ARP_. */
static const struct number way[] = {
	{"PRE_ROUTING", 0}, {"LOCAL_IN", 1}, {"FORWARD", 2}, {"LOCAL_OUT", 3}, {"POST_ROUTING", 4}};
static const struct number arp_way[] = {{"IN", 0}, {"OUT", 1}, {"FORWARD", 2}};

/* Behind NF_IP_PRI_, NF_IP6_PRI_. */
static const struct number priorities[] = {
	{"FIRST", INT_MIN},
	{"RAW_BEFORE_DEFRAG", -450},
	{"CONNTRACK_DEFRAG", -400},
	{"RAW", -300},
	{"SELINUX_FIRST", -225},
	{"CONNTRACK", -200},
	{"MANGLE", -150},
	{"NAT_DST", -100},
	{"FILTER", 0},
	{"SECURITY", 50},
	{"NAT_SRC", 100},
	{"SELINUX_LAST", 225},
	{"CONNTRACK_HELPER", 300},
	{"CONNTRACK_CONFIRM", INT_MAX},
	{"LAST", INT_MAX},
};

/* NAME is PREFIX and a name of V. */
static bool find(const struct number *v, size_t n, const char *prefix, const char *name,
		 int64_t *to)
{
	if (strncmp(name, prefix, strlen(prefix)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name + strlen(prefix))) {
			*to = v[i].value;
			return true;
		}
	return false;
}

static bool is_number(const char *text, int64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 0);
	return *text && !*end && !errno && *to >= INT_MIN && *to <= INT_MAX;
}

static bool find_hook(int64_t family, const char *name, int64_t *to)
{
	switch (family) {
	case NF_ARP:
		return find(arp_way, ARRAY_LEN(arp_way), "NF_ARP_", name, to);
	case NF_BRIDGE:
		return find(way, ARRAY_LEN(way), "NF_BR_", name, to);
	case NF_IP:
		return find(way, ARRAY_LEN(way), "NF_INET_", name, to) ||
		       find(way, ARRAY_LEN(way), "NF_IP_", name, to);
	case NF_IP6:
		return find(way, ARRAY_LEN(way), "NF_INET_", name, to) ||
		       find(way, ARRAY_LEN(way), "NF_IP6_", name, to);
	}
	return false;
}

static bool find_priority(int64_t family, const char *name, int64_t *to)
{
	return is_number(name, to) ||
	       (family == NF_IP &&
		find(priorities, ARRAY_LEN(priorities), "NF_IP_PRI_", name, to)) ||
	       (family == NF_IP6 &&
		find(priorities, ARRAY_LEN(priorities), "NF_IP6_PRI_", name, to));
}

/* The N names of V, each behind PREFIX, for a hint. */
static void hint_names(const struct number *v, size_t n, const char *prefix, const char *more)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < n; i++)
		sb_printf(&sb, "%s%s%s", i ? ", " : "", prefix, v[i].name);
	diag_hint("there are %s%s", sb.s, more);
}

/* Hint: the names that component C can have for a protocol family. */
static void hint_known(const struct point_comp *c, int64_t family)
{
	if (!strcmp(c->name, "pf"))
		hint_names(families, ARRAY_LEN(families), "", "");
	else if (!strcmp(c->name, "hook") && family == NF_ARP)
		hint_names(arp_way, ARRAY_LEN(arp_way), "NF_ARP_", "");
	else if (!strcmp(c->name, "hook"))
		hint_names(way, ARRAY_LEN(way), family == NF_BRIDGE ? "NF_BR_" : "NF_INET_", "");
	else if (family == NF_IP || family == NF_IP6)
		hint_names(priorities, ARRAY_LEN(priorities),
			   family == NF_IP ? "NF_IP_PRI_" : "NF_IP6_PRI_", ", and numbers");
	else
		diag_hint("here it is a number, as \"0\"");
}

static void add_names(const struct number *v, size_t n, const char *prefix, name_vec *out)
{
	for (size_t i = 0; i < n; i++)
		vec_push(out, xprintf("%s%s", prefix, v[i].name));
}

void netfilter_names(const char *word, name_vec *out)
{
	if (!strcmp(word, "pf"))
		add_names(families, ARRAY_LEN(families), "", out);
	if (!strcmp(word, "hook")) {
		add_names(way, ARRAY_LEN(way), "NF_INET_", out);
		add_names(arp_way, ARRAY_LEN(arp_way), "NF_ARP_", out);
		add_names(way, ARRAY_LEN(way), "NF_BR_", out);
	}
	if (!strcmp(word, "priority")) {
		add_names(priorities, ARRAY_LEN(priorities), "NF_IP_PRI_", out);
		add_names(priorities, ARRAY_LEN(priorities), "NF_IP6_PRI_", out);
	}
}

/* Only these numbers: the kernel warns about others. */
static bool has_number(const struct point_comp *c, int64_t family, int64_t n)
{
	if (!strcmp(c->name, "hook"))
		return n >= 0 &&
		       n < (int64_t)(family == NF_ARP ? ARRAY_LEN(arp_way) : ARRAY_LEN(way));
	for (size_t i = 0; !strcmp(c->name, "pf") && i < ARRAY_LEN(families); i++)
		if (families[i].value == n)
			return true;
	return !strcmp(c->name, "priority");
}

/* True if the name in C was FOUND for FAMILY, or is a number in guru mode; else an error is
 * reported. */
static bool known(const struct session *s, const struct point_comp *c, int64_t family, bool found,
		  int64_t *to)
{
	if (found || (s->opt.guru && is_number(c->arg->str.s, to) && has_number(c, family, *to)))
		return true;
	diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" is not a %s of netfilter%s", c->arg->str.s,
		   !strcmp(c->name, "pf") ? "protocol family" : c->name,
		   strcmp(c->name, "pf") ? " for this protocol family" : "");
	hint_known(c, family);
	return false;
}

static bool read_names(const struct session *s, struct probe *p, const struct point *pt)
{
	const struct point_comp *pf = point_comp(pt, "pf"), *hook = point_comp(pt, "hook"),
				*priority = point_comp(pt, "priority");
	int64_t family = 0, number = 0;

	if (!known(s, pf, 0, find(families, ARRAY_LEN(families), "", pf->arg->str.s, &family),
		   &family) ||
	    !known(s, hook, family, find_hook(family, hook->arg->str.s, &number), &number))
		return false;
	p->packet.family = family;
	p->packet.hook = number;
	return !priority || known(s, priority, family,
				  find_priority(family, priority->arg->str.s, &p->packet.priority),
				  &p->packet.priority);
}

/* ------------------------------------------------------------- variables */

static bool no(struct var_error *err, enum errtag tag, const struct node *n, const char *msg,
	       const char *hint)
{
	*err = (struct var_error){tag, n->loc, msg, hint, NULL};
	return false;
}

static bool variable(const struct node *n, struct access *out, struct var_error *err)
{
	static const char *const names[] = {"$hooknum", "$skb", "$in", "$out"};
	const char *name = n->target.name;
	size_t i = 0;

	while (i < ARRAY_LEN(names) && strcmp(name, names[i]))
		i++;
	if (!strcmp(name, "$verdict"))
		return no(err, E_CONTEXT, n, "$verdict can be set but not read here",
			  "it is 1, NF_ACCEPT, unless a handler sets it");
	if (i == ARRAY_LEN(names))
		return no(err, E_NO_VARIABLE, n,
			  xprintf("%s: unknown variable of a netfilter hook", name),
			  "the variables are $hooknum, $skb, $in and $out, and $verdict, which can "
			  "only be set");
	if (n->target.written)
		return no(err, E_BAD_ACCESS, n, xprintf("%s cannot be set", name), NULL);
	if (n->target.ncomps || n->target.addrof || n->target.pretty)
		return no(err, E_BAD_ACCESS, n, xprintf("%s is a number without a C type", name),
			  "cast it: @cast($skb, \"sk_buff\", \"kernel\")->len");
	access_register(arch_target()->convention->arg_regs[i], out);
	out->ctype = "long";
	out->is_signed = true;
	return true;
}

static bool see_verdict(struct node *n, void *unused)
{
	struct node *value = n->bin.r;

	(void)unused;
	if (n->kind != N_ASSIGN || n->bin.op != OP_SET || n->bin.l->kind != N_TARGET ||
	    strcmp(n->bin.l->target.name, "$verdict"))
		return true;
	n->kind = N_CALL;
	memset(&n->call, 0, sizeof n->call);
	n->call.name = "__netfilter_verdict";
	n->call.builtin = builtin_find(n->call.name);
	n->call.args = value;
	n->call.nargs = 1;
	return true;
}

/* ---------------------------------------------------------------- points */

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	node_walk(p->body, see_verdict, NULL, NULL);
	if (!read_names(s, p, pt) || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

#define HOOK(text)                                                                                 \
	{                                                                                          \
		.pattern = "netfilter." text, .rt = "UST_PROBE_NETFILTER", .holds = HOLDS_PACKET,  \
		.in_irq = true, .lacking = 1u << RT_USER, .resolve = resolve, .variable = variable \
	}
const struct probe_kind probe_netfilters[] = {
	HOOK("hook(s).pf(s)"),
	HOOK("pf(s).hook(s)"),
	HOOK("hook(s).pf(s).priority(s)"),
	HOOK("pf(s).hook(s).priority(s)"),
	{0},
};

/* ustap-probes.7, NETFILTER HOOKS
.TP
.BI netfilter.hook(\(dqHOOK\(dq).pf(\(dqFAMILY\(dq)
.TQ
.BI netfilter.pf(\(dqFAMILY\(dq).hook(\(dqHOOK\(dq)
.TQ
.BI netfilter.hook(\(dqHOOK\(dq).pf(\(dqFAMILY\(dq).priority(\(dqPRIORITY\(dq)
.TQ
.BI netfilter.pf(\(dqFAMILY\(dq).hook(\(dqHOOK\(dq).priority(\(dqPRIORITY\(dq)
A packet passes a hook of netfilter. Names are those of the kernel's headers: families
.BR NFPROTO_IPV4 ", " NFPROTO_IPV6 ", " NFPROTO_ARP ", " NFPROTO_BRIDGE ,
hooks
.BR NF_INET_LOCAL_IN ,
.B NF_ARP_IN
and others, priorities
.B NF_IP_PRI_FILTER
and others, or a number; the default is 0. Variables are
.IR $hooknum ", " $skb ", " $in " and " $out ;
with
.B \-g
.I $verdict
can be set. The aliases
.BR netfilter.ip.* ", " netfilter.ipv4.* ", " netfilter.ipv6.* " and " netfilter.arp.*
have variables for the fields of the packet.
*/
