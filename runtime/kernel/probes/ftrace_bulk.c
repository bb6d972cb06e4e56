/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk arming: attaches probes to many kernel functions at once through ftrace.
 *
 * A single kprobe costs the kernel 1.6 million instructions, because it searches all addresses that
 * it may patch itself; one at a function entry costs as much again or more, because ftrace walks
 * all functions; and before 6.2 a lookup by name walks all symbols. Therefore the loader passes
 * /proc/kallsyms, and ftrace gets the functions as one list: two thousand of them take ten
 * milliseconds.
 *
 * Functions that ftrace cannot reach and those that the kernel protects from probes are left to
 * kprobe.c.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "probes/kprobe.h"

/* ---------------------------------------------------------------- symbols */

static bool knows_guarded;

static bool is_first(const struct kprobe_point *p, bool clone)
{
	if (kprobe_point_is_tracepoint(p) || (clone && !symbol_variant_fits(p)))
		return false;
	return !p->addr || (p->loose && !clone); /* the first symbol of a name counts, as in the
						  * kernel */
}

static void found(char *name, unsigned long addr, bool guarded)
{
	char *dot = strchr(name, '.');
	bool clone = dot && symbol_variant_is_suffix(dot);
	struct kprobe_point *end, *p;

	if (clone)
		*dot = 0;
	p = kprobe_point_by_symbol(name, &end);
	for (; p && p < end; p++) {
		if (guarded) {
			p->guarded = true;
		} else if (is_first(p, clone)) {
			p->addr = addr + p->sites[0]->offset;
			p->loose = clone;
		}
	}
}

/* Parse a line "ADDRESS TYPE NAME", with the module after a tab. A function that must not be probed
 * has an additional symbol that marks it. */
void ftrace_bulk_symbol(char *line)
{
	static const char guard[] = "_kbl_addr_";
	unsigned long addr;
	char *name, *tab;

	addr = simple_strtoull(line, &name, 16);
	if (!addr || !name[0] || !name[1] || name[2] != ' ')
		return;
	tab = strchr(name, '\t');
	if (tab)
		return;
	if (strchr("tTwW", name[1])) {
		found(name + 3, addr, false);
	} else if (!strncmp(name + 3, guard, sizeof guard - 1)) {
		knows_guarded = true;
		found(name + 3 + sizeof guard - 1, 0, true);
	}
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

/* ------------------------------------------------------------------- hits */

static struct {
	unsigned long ip;
	struct kprobe_point *p;
} * table; /* by hash of ftrace's address of the function */
static unsigned int bits;

/* The slot of IP in the table, or the next free one. */
static __always_inline u32 slot_of(unsigned long ip)
{
	u32 i = hash_long(ip, bits);

	while (table[i].ip != ip && table[i].ip)
		i = (i + 1) & ((1u << bits) - 1);
	return i;
}

/* One kretprobe, which is not armed anywhere, holds the pending returns of all the functions; the
 * instance data of each call begins with its probe point. It is not used on kernels that take locks
 * for this that may be probed themselves. */
static struct kretprobe carrier;
static bool carried;

struct carried {
	struct kprobe_point *point;
	ust_long kept[];
};

static int on_bulk_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct carried *c = (struct carried *)ri->data;
	struct kprobe_point *p = (struct kprobe_point *)*arch_scratch(regs);

	c->point = p;
	return kprobe_point_enter(p, c->kept, regs, true);
}
NOKPROBE_SYMBOL(on_bulk_entry);

static int on_bulk_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct carried *c = (struct carried *)ri->data;

	compat_returned_to(ri, regs);
	if (likely(!c->point->keeps))
		kprobe_point_hit(c->point, regs);
	else
		kprobe_point_returned(c->point, c->kept, regs);
	return 0;
}
NOKPROBE_SYMBOL(on_bulk_return);

static __always_inline void await_return(struct kprobe_point *p, struct pt_regs *regs)
{
	unsigned long *scratch = arch_scratch(regs), was = *scratch;
	int level;

	if (!READ_ONCE(rt.armed))
		return;
	/* functions that the kernel calls for this may be probed themselves */
	level = guard_try();
	if (level < 0)
		return;
	*scratch = (unsigned long)p;
	carrier.kp.pre_handler(&carrier.kp, regs);
	*scratch = was;
	guard_leave(level);
}

/* ftrace_set_filter_ip() copies the hash for each address, so without a list the addresses are
 * split among several ops; and a new set is registered before the set that it replaces is
 * removed. */
enum {
	GROUP = IS_ENABLED(HAVE_FTRACE_FILTER_IPS) ? INT_MAX : 512,
	SETS = IS_ENABLED(HAVE_FTRACE_FILTER_IPS) ? 1 : 2
};
static struct ftrace_ops *ops, trial;  /* SETS times ngroups */
static struct ftrace_ops *current_set; /* the first nplaced of it are registered */
static u32 ngroups, nplaced;

static __always_inline bool is_current(const struct ftrace_ops *op)
{
	const struct ftrace_ops *set = READ_ONCE(current_set);

	return SETS == 1 || (op >= set && op < set + ngroups);
}

static void notrace on_ftrace(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			      compat_ftrace_regs *fregs)
{
	struct pt_regs *regs = compat_ftrace_pt_regs(fregs);
	struct kprobe_point *p = table[slot_of(ip)].p;
	unsigned long was = instruction_pointer(regs);

	if (!is_current(op))
		return;
	/* an interrupt's functions before irq_enter() would look like a hit inside a handler */
	raw_local_irq_disable();
	instruction_pointer_set(regs, ip + 1); /* as in a kprobe handler */
	for (; p; p = p->next) {
		if (unlikely(!READ_ONCE(p->registered)))
			continue;
		if (kprobe_point_is_return(p))
			await_return(p, regs);
		else
			kprobe_point_hit(p, regs);
	}
	instruction_pointer_set(regs, was);
	if (likely(arch_irqs_were_on(regs)))
		raw_local_irq_enable();
}

/* ----------------------------------------------------------------- choice */

static bool is_traceable(unsigned long ip) { return !ftrace_set_filter_ip(&trial, ip, 0, 1); }

/* The address by which ftrace knows the function at ADDR, or 0. A landing pad may precede
 * it. */
static unsigned long traced_at(unsigned long addr)
{
	u32 i;

	for (i = 0; i <= ARCH_LANDING_PAD; i += ARCH_LANDING_PAD)
		if (arch_is_ftrace_site(addr + i))
			return is_traceable(addr + i) ? addr + i : 0;
	return 0;
}

/* True if one kretprobe may hold the returns of all points: it has as many instances as theirs
 * together, up to a limit. */
static bool can_carry(const struct kprobe_point *p, u32 n)
{
#ifdef HAVE_GET_KRETPROBE
	if (p->sites[0]->maxactive || !strcmp(p->sites[0]->symbol, "__switch_to"))
		return false;
	if (carried)
		return true;
	carrier = (struct kretprobe){.kp.addr = (void *)p->addr,
				     .kp.flags = KPROBE_FLAG_DISABLED,
				     .handler = on_bulk_return,
				     .entry_handler = on_bulk_entry,
				     .maxactive = min_t(u32, n * kprobe_point_maxactive(n), 8192),
				     .data_size = sizeof(struct carried) +
						  ust_program.saved_words * sizeof(ust_long)};
	carried = !register_kretprobe(&carrier);
	return carried;
#else
	return false;
#endif
}

static bool fits(struct kprobe_point *p, u32 n)
{
	unsigned long ip;
	u32 i;

	if (!p->addr || p->guarded || kprobe_point_is_tracepoint(p))
		return false;
	for (i = 0; i < p->n; i++)
		if (p->sites[i]->maxactive)
			return false;
	ip = traced_at(p->addr);
	if (!ip || (kprobe_point_is_return(p) && !can_carry(p, n)))
		return false;
	p->addr = ip;
	return true;
}

static bool make_tables(u32 n)
{
	u32 i;

	ngroups = n / GROUP + 1;
	for (bits = 6; 1u << bits < 2 * n; bits++)
		;
	table = kvcalloc(1u << bits, sizeof *table, GFP_KERNEL);
	ops = kcalloc(SETS * ngroups, sizeof *ops, GFP_KERNEL);
	for (i = 0; ops && i < SETS * ngroups; i++) {
		ops[i].func = on_ftrace;
		ops[i].flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			       COMPAT_FTRACE_FLAGS;
	}
	current_set = ops;
	return table && ops;
}

/* Insert P; points of one function are adjacent. */
static void put(struct kprobe_point *p)
{
	u32 i = slot_of(p->addr);
	struct kprobe_point **to = &table[i].p;

	while (*to)
		to = &(*to)->next;
	table[i].ip = p->addr;
	*to = p;
	p->many = true;
	p->next = NULL;
}

void ftrace_bulk_select(struct kprobe_point *v, u32 n)
{
	u32 i;

	if (n < FTRACE_BULK_MIN || !knows_guarded || !make_tables(n))
		return;
	for (i = 0; i < n; i++) {
		if (fits(&v[i], n))
			put(&v[i]);
		cond_resched();
	}
	ftrace_set_filter(&trial, NULL, 0, 1);
}

/* ------------------------------------------------------------------ place */

static int set_filter(struct ftrace_ops *op, unsigned long *ips, u32 n)
{
#ifdef HAVE_FTRACE_FILTER_IPS
	return ftrace_set_filter_ips(op, ips, n, 0, 1);
#else
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = ftrace_set_filter_ip(op, ips[i], 0, !i);
	cond_resched();
	return err;
#endif
}

static bool is_wanted(const struct kprobe_point *p)
{
	for (; p; p = p->next)
		if (p->registered)
			return true;
	return false;
}

static void take_out(struct ftrace_ops *from, u32 n)
{
	while (n)
		unregister_ftrace_function(&from[--n]); /* waits for running handlers */
}

/* Make SET, of which *PLACED are registered, trace the N addresses IPS. */
static int place_set(struct ftrace_ops *set, u32 *placed, unsigned long *ips, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i * (u64)GROUP < n && !err; i++) {
		err = set_filter(&set[i], ips + i * GROUP, min_t(u32, GROUP, n - i * GROUP));
		if (!err && i >= *placed) {
			err = register_ftrace_function(&set[i]);
			*placed += !err;
		}
	}
	return err;
}

/* Trace the N addresses IPS. Functions that were traced before do not lose hits. */
static int place(unsigned long *ips, u32 n)
{
	struct ftrace_ops *was = current_set, *next = SETS == 1 || was != ops ? ops : ops + ngroups;
	u32 stay = SETS == 1 ? nplaced : 0, placed = stay;
	int err = n ? place_set(next, &placed, ips, n) : 0;

	if (err) {
		take_out(next + stay, placed - stay);
		return err;
	}
	WRITE_ONCE(current_set, next);
	if (SETS > 1 || !n) { /* an empty list would mean all functions */
		take_out(was, nplaced);
		placed -= stay;
	}
	nplaced = placed;
	return 0;
}

int ftrace_bulk_arm(void)
{
	unsigned long *ips = table ? kvmalloc_array(1u << bits, sizeof *ips, GFP_KERNEL) : NULL;
	bool changed = false;
	u32 n = 0, i;
	int err;

	if (!table)
		return 0;
	for (i = 0; ips && i < 1u << bits; i++) {
		struct kprobe_point *p = table[i].p;
		bool wanted = is_wanted(p);

		if (wanted)
			ips[n++] = table[i].ip;
		changed |= p && p->placed != wanted;
		if (p)
			p->placed = wanted;
	}
	err = !ips ? -ENOMEM : changed ? place(ips, n) : 0;
	kvfree(ips);
	return err;
}

void ftrace_bulk_exit(void)
{
	u32 i;

	take_out(current_set, nplaced);
	nplaced = 0;
	for (i = 0; ops && i < SETS * ngroups; i++)
		ftrace_set_filter(&ops[i], NULL, 0, 1);
	if (carried) {
		unregister_kretprobe(&carrier);
		atomic64_add(carrier.nmissed, &rt.missed_returns);
	}
	carried = false;
	kvfree(table);
	kfree(ops);
	table = NULL;
	ops = NULL;
}

#else

void ftrace_bulk_select(struct kprobe_point *v, u32 n) {}
int ftrace_bulk_arm(void) { return 0; }
void ftrace_bulk_exit(void) {}

#endif
