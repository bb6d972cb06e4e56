/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Site: the cheapest correct instruction for each site.
 *
 * Kernels emulate a few instructions at a probe and single-step all others, at several times the
 * price. So a site moves on to the first that is emulated, where that makes no difference: the
 * skipped instructions change only registers that no handler there reads, nothing else leads to
 * what follows it, and neither another line nor another site begins on the way, so that all
 * handlers run in the same order and as often as they would have. Instructions that kernels
 * refuse are passed over in the same way, forward or back; where that is not possible, the site
 * is dropped (site_refusal.c). The user runtime puts a jump there instead, for which the first
 * instruction leaves most room.
 */
#include <stdlib.h>
#include <string.h>
#include "arch/arch.h"
#include "base/kernel_target.h"
#include "base/kernel_uprobes.h"
#include "sema/sema.h"
#include "session.h"

enum { MAX_PASSED = 6 }; /* instructions */

/* ------------------------------------------------------ what handlers look at */

static bool sees_registers(struct node *n, void *arg)
{
	bool *sees = arg;

	*sees |= n->kind == N_EMBEDDED || (n->kind == N_TARGET && n->target.written) ||
		 (n->kind == N_CALL && n->call.builtin &&
		  n->call.builtin->flags & (BF_REGS | BF_ALL_REGS | BF_STACK));
	return !*sees;
}

static uint64_t registers_of(const struct probe *p)
{
	uint64_t used = p->kind->is_return ? 1ull << arch_target()->sp_reg : 0;
	func_vec funcs = {0};
	bool all = false;

	calls_of(p->body, &funcs);
	node_walk(p->body, sees_registers, NULL, &all);
	for (size_t i = 0; i < funcs.n; i++)
		node_walk(funcs.v[i]->body, sees_registers, NULL, &all);
	for (size_t i = 0; i < p->accesses.n; i++) {
		const struct access *a = &p->accesses.v[i];

		for (size_t k = 0; k < a->nops; k++)
			if (a->ops[k].kind == A_REG)
				used |= a->ops[k].a < 64 ? 1ull << a->ops[k].a : ~0ull;
	}
	if (p->entry)
		used |= registers_of(p->entry);
	return all ? ~0ull : used;
}

/* --------------------------------------------------------- other ways to the code */

/* Far jumps of a module's text. */
struct text {
	struct module *mod;
	const unsigned char *code;
	uint64_t addr;
	size_t len;
	unsigned char *targets;
};

static const struct text *text_of(struct module *m)
{
	static ARENA_STATE VEC(struct text) texts;
	struct text t = {.mod = m};
	uint64_t off;

	for (size_t i = 0; i < texts.n; i++)
		if (texts.v[i].mod == m)
			return &texts.v[i];
	if (module_code(m, &t.addr, &off))
		t.code = module_bytes(m, t.addr, &t.len);
	if (t.code) {
		t.targets = xalloc(t.len / 8 + 1);
		arch_target()->far_targets(t.code, t.len, t.addr, t.targets);
	}
	vec_push(&texts, t);
	return &texts.v[texts.n - 1];
}

/* May code outside of [FROM, TO) go to (LO, HI]?  That of another part of the function may, and
 * assembler code. */
static bool entered_from_outside(struct module *m, uint64_t from, uint64_t to, uint64_t lo,
				 uint64_t hi)
{
	const struct arch *arch = arch_target();
	const struct text *t = text_of(m);
	uint64_t reach = arch->near_reach, end = t->addr + t->len, before, after;

	if (!t->code || from < t->addr || to > end)
		return true;
	for (uint64_t a = lo + 1; a <= hi; a++)
		if (t->targets[(a - t->addr) / 8] >> (a - t->addr) % 8 & 1)
			return true;
	before = from - t->addr < reach ? from - t->addr : reach;
	after = end - to < reach ? end - to : reach;
	return arch->may_jump_near(t->code + (from - before - t->addr), before, from - before, lo,
				   hi) ||
	       arch->may_jump_near(t->code + (to - t->addr), after, to, lo, hi);
}

/* Why something else in its function may go to (LO, HI]; NULL: nothing does. */
static const char *entered(struct module *m, uint64_t lo, uint64_t hi)
{
	const struct function *f = module_function_at(m, lo);
	uint64_t end = f->entry + f->size;
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = module_bytes(m, f->entry, &len);

	if (!code || lo < f->entry || hi >= end || end - f->entry > len)
		return "where its function ends is not known";
	if (lo != f->entry && module_has_section(m, ".gcc_except_table"))
		return "exceptions may lead to what follows";
	for (uint64_t at = f->entry; at < end; at += insn.len) {
		if (!arch_target()->decode(code + (at - f->entry), end - at, at, &insn))
			return "not all instructions of its function are known";
		if (insn.indirect)
			return "its function jumps to unknown addresses";
		if (insn.target > lo && insn.target <= hi)
			return "a branch leads to what follows";
	}
	return entered_from_outside(m, f->entry, end, lo, hi) ? "a branch may lead to what follows"
							      : NULL;
}

/* ----------------------------------------------------------------- the choice */

/* Sites of one instruction. */
struct place {
	struct module *mod;
	uint64_t pc, prev, next; /* prev, next: sites of the module before and after it */
	uint64_t used;           /* registers that the handlers look at */
	uint64_t addr;
	const char *why;
	const char *refused; /* why kernels do not probe the instruction at pc; NULL: they do */
	struct uprobe_traits traits;
	bool inside;   /* the instruction may be one of a leaf function behind its entry */
	bool clobbers; /* the kernel would overwrite data of the program there */
	bool called;   /* the kernel replaces the instruction at addr by a call */
};

#define BY_A_CALL                                                                             \
	"by a call, whose return address overwrites what the function keeps below the stack " \
	"pointer"

/* May the code at PC keep data below the stack pointer?  A function does not at its entry, and one
 * that calls others cannot. */
static bool keeps_red_zone(struct module *m, uint64_t pc)
{
	const struct function *f = module_function_at(m, pc);
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = f ? module_bytes(m, f->entry, &len) : NULL;

	if (!code)
		return true;
	if (pc == f->entry)
		return false;
	for (uint64_t at = 0; at < f->size && at < len; at += insn.len) {
		if (!arch_target()->decode(code + at, len - at, f->entry + at, &insn))
			return true;
		if (insn.target && !insn.jumps)
			return false;
	}
	return true;
}

/* Is INSN emulated, or replaced by a call without harm? */
static bool is_cheap(const struct place *pl, const struct machine_insn *insn)
{
	return insn->emulated ||
	       (insn->call_sized && pl->traits.emulates_nops && !(pl->traits.calls && pl->inside));
}

static const char *single_stepped(const char *why)
{
	return xprintf("single-stepped by kernels%s", why);
}

/*
 * Is the instruction behind INSN, a nop at AT bytes of CODE, one that the kernel replaces by a call
 * without harm?  Markers have such a pair with SDT_LONG_NOP.
 */
static bool leads_to_call(const struct place *pl, const struct machine_insn *insn, uint64_t limit,
			  const unsigned char *code, size_t len)
{
	size_t behind = pl->addr - pl->pc + insn->len;
	struct machine_insn next;

	return pl->traits.calls && !pl->inside && insn->plain && !insn->writes &&
	       pl->pc + behind < limit && behind < len &&
	       arch_target()->decode(code + behind, len - behind, pl->pc + behind, &next) &&
	       next.call_sized && !entered(pl->mod, pl->pc, pl->pc + behind);
}

/*
 * Go on from PL->pc to the first instruction that is emulated, or that is accepted where that at
 * PL->pc is refused; false if none is found; PL->why is the reason.
 */
static bool pass_on(struct place *pl, uint64_t limit)
{
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = module_bytes(pl->mod, pl->pc, &len);

	pl->addr = pl->pc;
	for (int i = 0; code && i < MAX_PASSED && pl->addr < limit; i++) {
		size_t at = pl->addr - pl->pc;

		if (at >= len || !arch_target()->decode(code + at, len - at, pl->addr, &insn))
			break;
		if (!i) {
			pl->clobbers = insn.call_sized && pl->traits.calls && pl->inside;
			pl->refused = pl->clobbers ? BY_A_CALL : insn.refused;
		}
		if (is_cheap(pl, &insn) ||
		    (pl->refused && !insn.refused && !(insn.call_sized && pl->clobbers))) {
			pl->called = insn.call_sized && pl->traits.calls;
			if (!pl->called && leads_to_call(pl, &insn, limit, code, len)) {
				pl->addr += insn.len;
				pl->called = true;
			}
			return true;
		}
		pl->why = single_stepped(!insn.plain
						 ? ", and no other is near"
						 : "; what follows changes what the handler reads");
		if (!insn.plain || insn.writes & pl->used)
			return false;
		pl->addr += insn.len;
	}
	pl->why = single_stepped(", and no other is near");
	return false;
}

/* The instructions of F before PC that lead to it alone, change nothing that USED has, and lie at
 * or behind FROM; the last is the nearest. */
static void before(const struct function *f, uint64_t pc, uint64_t from, uint64_t used,
		   addr_vec *out)
{
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = module_bytes(f->mod, f->entry, &len);

	for (uint64_t at = f->entry; code && at < pc && at - f->entry < len; at += insn.len) {
		if (!arch_target()->decode(code + (at - f->entry), len - (at - f->entry), at,
					   &insn))
			return;
		if (!insn.plain || insn.writes & used || at < from)
			out->n = 0;
		else
			vec_push(out, at);
	}
}

/* Go back from PL->pc, whose instruction is refused, to the nearest one that is not; false if
 * none is found. */
static bool go_back(struct place *pl)
{
	const struct function *f = module_function_at(pl->mod, pl->pc);
	struct machine_insn insn;
	addr_vec found = {0};
	size_t len;
	const unsigned char *code;

	if (f && pl->pc > f->entry)
		before(f, pl->pc, pl->prev + 1, pl->used, &found);
	for (size_t i = found.n; i-- > 0;) {
		code = module_bytes(pl->mod, found.v[i], &len);
		if (entered(pl->mod, found.v[i], pl->pc))
			return false;
		if (!arch_target()->decode(code, len, found.v[i], &insn) || insn.refused)
			continue;
		pl->addr = found.v[i];
		return true;
	}
	return false;
}

static const char *moved(const struct place *pl)
{
	bool on = pl->addr > pl->pc;
	unsigned long long n = on ? pl->addr - pl->pc : pl->pc - pl->addr;

	if (pl->called)
		return xprintf("moved on by %llu bytes, where the handler reads the same values, "
			       "to a nop that this kernel replaces by a call",
			       n);
	if (pl->clobbers)
		return xprintf("moved %s by %llu bytes, where the handler reads the same values: "
			       "this kernel replaces the original instruction " BY_A_CALL,
			       on ? "on" : "back", n);
	return pl->refused ? xprintf("moved %s by %llu bytes, where the handler reads the same "
				     "values: kernels cannot probe the original instruction, as %s",
				     on ? "on" : "back", n, pl->refused)
			   : xprintf("moved on by %llu bytes, where the handler reads the same "
				     "values, to an instruction that kernels emulate",
				     n);
}

/* Kernels refuse the instruction at PL->pc: take one near it, if that is as good. */
static void avoid_refused(struct place *pl, bool found)
{
	if ((found && !entered(pl->mod, pl->pc, pl->addr)) || go_back(pl)) {
		pl->why = moved(pl);
		pl->refused = NULL;
		pl->clobbers = false;
		return;
	}
	pl->addr = pl->pc;
	if (pl->clobbers) {
		pl->refused = NULL;
		pl->why = "this kernel replaces it " BY_A_CALL;
		return;
	}
	pl->why = xprintf("kernels cannot probe it: %s", pl->refused);
}

static void choose_for_kernel(struct place *pl)
{
	uint64_t line = module_next_line(pl->mod, pl->pc);
	bool found = pass_on(pl, line < pl->next ? line : pl->next);
	const char *why;

	if (pl->refused) {
		avoid_refused(pl, found);
		return;
	}
	if (!found) {
		pl->addr = pl->pc;
		return;
	}
	if (pl->addr == pl->pc) {
		pl->why = pl->called ? "this kernel replaces it by a call" : "emulated by kernels";
		return;
	}
	why = entered(pl->mod, pl->pc, pl->addr);
	if (why)
		pl->addr = pl->pc;
	pl->why = why ? single_stepped(xprintf("; %s", why)) : moved(pl);
}

struct entry {
	struct site *site;
	uint64_t used; /* registers that its handler looks at */
	struct loc loc;
};
typedef VEC(struct entry) entry_vec;

static int by_place(const void *a, const void *b)
{
	const struct site *x = ((const struct entry *)a)->site,
			  *y = ((const struct entry *)b)->site;

	if (x->mod != y->mod)
		return (uintptr_t)x->mod < (uintptr_t)y->mod ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void warn_red_zone(struct loc loc, const struct site *site)
{
	diag_warn(W_RED_ZONE, loc, "%s: this kernel replaces the instruction " BY_A_CALL, site->pp);
	diag_hint("probe another line or the function's entry, or use --runtime=user");
}

/* The sites V[0..N) are all of one instruction. */
static void choose(const struct entry *v, size_t n, uint64_t prev, uint64_t next,
		   struct uprobe_traits traits)
{
	struct site *first = v->site;
	struct place pl = {
		.mod = first->mod, .pc = first->pc, .prev = prev, .next = next, .traits = traits};

	pl.inside = traits.calls && keeps_red_zone(first->mod, first->pc);

	for (size_t i = 0; i < n; i++)
		pl.used |= v[i].used;
	choose_for_kernel(&pl);
	for (size_t i = 0; i < n; i++) {
		struct site *site = v[i].site;

		site->cost = pl.why;
		site->refused = pl.refused;
		if (pl.clobbers)
			warn_red_zone(v[i].loc, site);
		if (module_file_offset(pl.mod, pl.addr, &site->offset))
			site->addr = pl.addr;
	}
}

/* The user runtime replaces any instruction but a breakpoint, whose hit it could not tell from one
 * of its own. */
static void choose_for_jump(struct site *site)
{
	site->cost = "a jump replaces it, and the first instruction leaves the most room";
	if (site_is_breakpoint(site))
		site->refused = "it is a breakpoint of the program";
}

/* Are the sites of P at instructions of programs? */
static bool is_instruction(const struct probe *p)
{
	return !p->kind->in_kernel && !p->kind->is_syscall && !p->kind->is_watch;
}

void choose_sites(struct session *s)
{
	bool jumps = early_runtime(s) == RT_USER;
	struct uprobe_traits traits = {0};
	entry_vec all = {0};

	for (size_t i = 0; i < s->program.probes.n; i++) {
		struct probe *p = s->program.probes.v[i];
		uint64_t used = jumps ? 0 : registers_of(p);

		for (size_t k = 0; k < p->sites.n && is_instruction(p); k++)
			vec_push(&all, ((struct entry){&p->sites.v[k], used, p->loc}));
		for (size_t k = 0; k < p->sites.n && jumps && is_instruction(p); k++)
			choose_for_jump(&p->sites.v[k]);
	}
	if (jumps) {
		drop_refused_sites(s);
		return;
	}
	if (all.n) {
		traits = uprobe_traits(kernel_target(s->opt.release).build);
		qsort(all.v, all.n, sizeof *all.v, by_place);
	}
	for (size_t i = 0, n; i < all.n; i += n) {
		const struct site *last = i ? all.v[i - 1].site : NULL, *then;

		for (n = 1; i + n < all.n && !by_place(&all.v[i], &all.v[i + n]); n++)
			;
		then = i + n < all.n ? all.v[i + n].site : NULL;
		choose(&all.v[i], n, last && last->mod == all.v[i].site->mod ? last->pc : 0,
		       then && then->mod == all.v[i].site->mod ? then->pc : UINT64_MAX, traits);
	}
	drop_refused_sites(s);
}
