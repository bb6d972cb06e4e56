/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites of a function. The calls are found in the code, which is exact about their target:
 * direct calls, those of the function's entry in the procedure linkage table, and those through its
 * slot of the global offset table. The debug information of each is then looked up by its return
 * address.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"
#include "bisect.h"

/* A call instruction: what it goes to (or through), and what is behind it. */
struct call {
	uint64_t to, ret;
};
struct calls {
	VEC(struct call) v;
	bool named;
	struct smap functions; /* symbol -> address */
};

/* More functions that call each other by jumps are not looked at. */
#define MAX_TAILS 64

/* ------------------------------------------------------------------------ code */

/* The addresses that a module takes up. */
struct extent {
	uint64_t start, end;
};

/* Calls that go out of the module are none: such bytes stand within other instructions. */
struct call_search {
	struct calls *out;
	struct extent extent;
};

static void see_call(uint64_t to, uint64_t ret, void *arg)
{
	struct call_search *s = arg;

	if (to >= s->extent.start && to < s->extent.end)
		vec_push_large(&s->out->v, ((struct call){to, ret}));
}

/* Calls by their targets, those of one in the order that they have: a large module has millions of
 * them, which is why they are put in order digit by digit. */
static void sort_calls(struct calls *c, struct extent e)
{
	enum { BITS = 11, DIGITS = 1 << BITS };
	struct call *from = c->v.v, *to = xalloc(c->v.n * sizeof *to), *other;

	for (unsigned shift = 0; shift < 64 && (e.end - e.start) >> shift; shift += BITS) {
		size_t at[DIGITS + 1] = {0};

		for (size_t i = 0; i < c->v.n; i++)
			at[((from[i].to - e.start) >> shift) % DIGITS + 1]++;
		for (size_t d = 1; d < DIGITS; d++)
			at[d] += at[d - 1];
		for (size_t i = 0; i < c->v.n; i++)
			to[at[((from[i].to - e.start) >> shift) % DIGITS]++] = from[i];
		other = from;
		from = to;
		to = other;
	}
	c->v.v = from;
	c->v.cap = c->v.n;
}

static struct extent module_extent(struct module *m)
{
	struct extent e = {UINT64_MAX, 0};
	GElf_Phdr ph;
	size_t n;

	for (size_t i = 0; !elf_getphdrnum(m->elf, &n) && i < n; i++) {
		if (!gelf_getphdr(m->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (ph.p_vaddr < e.start)
			e.start = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > e.end)
			e.end = ph.p_vaddr + ph.p_memsz;
	}
	return e;
}

/* All calls of M, by what they go to; read once. */
static struct calls *all_calls(struct module *m)
{
	struct extent e;
	GElf_Phdr ph;
	size_t n;

	if (m->calls)
		return m->calls;
	e = module_extent(m);
	m->calls = xalloc(sizeof *m->calls);
	for (size_t i = 0; !elf_getphdrnum(m->elf, &n) && i < n; i++) {
		size_t len;
		const unsigned char *code;

		if (!gelf_getphdr(m->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X))
			continue;
		code = module_bytes(m, ph.p_vaddr, &len);
		if (code)
			arch_target()->calls(code, len < ph.p_filesz ? len : ph.p_filesz,
					     ph.p_vaddr, see_call,
					     &(struct call_search){m->calls, e});
	}
	sort_calls(m->calls, e);
	return m->calls;
}

static bool see_symbol(const struct elf_symbol *s, void *arg)
{
	struct calls *c = arg;
	const char *name;
	uint64_t *at;

	if (s->type != STT_FUNC || !s->value)
		return true;
	name = xstrndup(s->name, s->bare);
	if (smap_get(&c->functions, name))
		return true;
	at = xalloc(sizeof *at);
	*at = s->value;
	smap_put(&c->functions, name, at);
	return true;
}

/* The address of the function with the symbol NAME; false: M does not have this symbol. */
static bool symbol_address(struct module *m, const char *name, uint64_t *addr)
{
	struct calls *c = all_calls(m);
	const uint64_t *at;

	if (!c->named)
		module_symbols(m, see_symbol, c);
	c->named = true;
	at = smap_get(&c->functions, name);
	if (at)
		*addr = *at;
	return at;
}

/* ------------------------------------------------------------ debug information */

static bool return_address(Dwarf_Die *site, uint64_t *ret)
{
	Dwarf_Attribute a;

	return (dwarf_attr(site, DW_AT_call_return_pc, &a) && dwarf_formaddr(&a, ret) == 0) ||
	       dwarf_lowpc(site, ret) == 0;
}

static bool is_flagged(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	bool flag = false;

	return dwarf_attr(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

static bool is_site(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_call_site || dwarf_tag(die) == DW_TAG_GNU_call_site;
}

static bool is_tail(Dwarf_Die *site)
{
	return is_flagged(site, DW_AT_call_tail_call) || is_flagged(site, DW_AT_GNU_tail_call);
}

/* Call F for each call site in SCOPE and what is in it, or if PC is not 0 in those blocks of it
 * that hold PC, until it returns false. */
static bool each_site(Dwarf_Die *scope, int depth, uint64_t pc, bool (*f)(Dwarf_Die *, void *),
		      void *arg)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(scope, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);

		if (is_site(&die) && !f(&die, arg))
			return false;
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    (!pc || die_haspc(&die, pc) == 1) && !each_site(&die, depth + 1, pc, f, arg))
			return false;
	} while (die_sibling(&die, &die) == 0);
	return true;
}

struct by_return {
	uint64_t ret;
	Dwarf_Die *out;
	bool found;
};

static bool see_return(Dwarf_Die *site, void *arg)
{
	struct by_return *b = arg;
	uint64_t ret;

	if (is_tail(site) || !return_address(site, &ret) || ret != b->ret)
		return true;
	*b->out = *site;
	b->found = true;
	return false;
}

/* ------------------------------------------------------------------ tail calls */

struct tails {
	struct module *m;
	addr_vec *out;
	bool unknown;
};

/* Add the entries of DIE, the target of a jump: of an abstract function, each instance in the unit
 * that holds NEAR. False: no instance found. */
static bool add_instances(struct tails *t, Dwarf_Die *origin, uint64_t near)
{
	struct unit *u = unit_at(t->m, near);
	bool any = false;

	unit_function(t->m, near); /* which reads the functions of the unit */
	for (size_t i = 0; u && i < u->funcs.n; i++)
		if (die_is_instance_of(&u->funcs.v[i].die, origin)) {
			vec_push(t->out, u->funcs.v[i].entry);
			any = true;
		}
	return any;
}

struct from {
	struct tails *t;
	uint64_t at;
};

static bool see_tail(Dwarf_Die *site, void *arg)
{
	struct from *f = arg;
	Dwarf_Attribute a;
	Dwarf_Die what;
	uint64_t entry;
	const char *name;

	if (!is_tail(site))
		return true;
	if (!(dwarf_attr(site, DW_AT_call_origin, &a) ||
	      dwarf_attr(site, DW_AT_abstract_origin, &a)) ||
	    !dwarf_formref_die(&a, &what)) {
		f->t->unknown = true;
		return false;
	}
	if (die_entry(&what, &entry)) {
		vec_push(f->t->out, entry);
		return true;
	}
	name = die_linkage_name(&what);
	name = name ? name : dwarf_diename(&what);
	if (add_instances(f->t, &what, f->at))
		return true;
	if (name && symbol_address(f->t->m, name, &entry))
		vec_push(f->t->out, entry);
	else
		f->t->unknown = true;
	return !f->t->unknown;
}

/* May the function at ENTRY come to itself again by jumps, with other arguments and the same return
 * address?  So it may where such a jump goes to something that is not known. */
bool reaches_itself(struct module *m, uint64_t entry)
{
	addr_vec seen = {0};
	struct tails t = {.m = m, .out = &seen};

	vec_push(&seen, entry);
	for (size_t i = 0; i < seen.n; i++) {
		struct unit_func *f = unit_function(m, seen.v[i]);
		size_t first = seen.n, n = first;

		if (!f || seen.n > MAX_TAILS)
			return true;
		each_site(&f->die, 0, 0, see_tail, &(struct from){&t, seen.v[i]});
		if (t.unknown)
			return true;
		for (size_t k = first; k < seen.n; k++) {
			bool known = false;

			if (seen.v[k] == entry)
				return true;
			for (size_t j = 0; j < n && !known; j++)
				known = seen.v[j] == seen.v[k];
			if (!known)
				seen.v[n++] = seen.v[k];
		}
		seen.n = n;
	}
	return false;
}

/* ----------------------------------------------------------------------- callers */

static bool tell_caller(struct module *m, uint64_t ret, uint64_t slot, caller_fn *fn, void *arg)
{
	struct caller c = {.ret = ret, .slot = slot};
	struct unit_func *f = unit_function_around(m, ret - 1);
	struct by_return b = {.ret = ret, .out = &c.site};

	if (!f)
		return true;
	each_site(&f->die, 0, ret - 1, see_return, &b);
	if (!b.found)
		each_site(&f->die, 0, 0, see_return, &b);
	if (!b.found)
		return true;
	c.func = f->die;
	return fn(&c, arg);
}

static bool each_call(struct module *m, uint64_t to, uint64_t slot, caller_fn *fn, void *arg)
{
	const struct calls *calls = all_calls(m);
	size_t lo = BISECT(mid, calls->v.n, calls->v.v[mid].to < to);

	for (; lo < calls->v.n && calls->v.v[lo].to == to; lo++)
		if (!tell_caller(m, calls->v.v[lo].ret, slot, fn, arg))
			return false;
	return true;
}

void function_callers(struct module *m, uint64_t entry, caller_fn *fn, void *arg)
{
	const own_slot_vec *slots = module_own_slots(m);
	bool more = each_call(m, entry, 0, fn, arg);

	for (size_t i = 0; more && i < slots->n; i++)
		if (slots->v[i].target == entry)
			more = each_call(m,
					 slots->v[i].entry ? slots->v[i].entry : slots->v[i].addr,
					 slots->v[i].addr, fn, arg);
}
