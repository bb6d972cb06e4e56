/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to probe the return of a function.
 *
 * A return probe replaces the word on top of the stack at the function's entry. This must be a
 * return address, which the program uses once, to return, and reads for nothing else. The unwind
 * information shows whether it is one: code that the kernel or a jump enters, as handlers' returns,
 * the dynamic linker's resolver and all of Haskell, has other rules at its entry. setjmp() and
 * similar functions keep the address, to return there again; they are known by their code, as many
 * programs have their own. The runtimes of Go and OCaml read return addresses: their functions are
 * probed at the return instructions.
 */
#include <stdlib.h>
#include <string.h>
#include "arch/arch.h"
#include "address_maps.h"
#include "values.h"

/* --------------------------------------------------------------------- OCaml */

/* The code of each OCaml unit is between two symbols, caml*code_begin and caml*code_end; so is that
 * of its runtime in assembly language. */
struct ocaml_unit {
	uint64_t lo, hi;
};
struct ocaml {
	struct module *of;
	bool moves_stacks; /* OCaml 5 copies them to larger ones */
	VEC(struct ocaml_unit) units;
	addr_vec begins, ends;
};

static bool ends_with(const struct elf_symbol *s, const char *end)
{
	size_t n = strlen(end);

	return s->bare > n && !memcmp(s->name + s->bare - n, end, n);
}

static bool add_ocaml(const struct elf_symbol *s, void *arg)
{
	struct ocaml *o = arg;

	if (strncmp(s->name, "caml", 4) != 0)
		return true;
	if (ends_with(s, "code_begin"))
		vec_push(&o->begins, s->value);
	else if (ends_with(s, "code_end"))
		vec_push(&o->ends, s->value);
	else if (s->bare == strlen("caml_try_realloc_stack") && ends_with(s, "_try_realloc_stack"))
		o->moves_stacks = true;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Units do not overlap, but some are empty: each begin goes to the first end that is left. */
static void pair_units(struct ocaml *o)
{
	size_t e = 0;

	if (!o->begins.n || !o->ends.n)
		return;
	qsort(o->begins.v, o->begins.n, sizeof *o->begins.v, by_address);
	qsort(o->ends.v, o->ends.n, sizeof *o->ends.v, by_address);
	for (size_t i = 0; i < o->begins.n; i++) {
		while (e < o->ends.n && o->ends.v[e] < o->begins.v[i])
			e++;
		if (e == o->ends.n)
			return;
		vec_push(&o->units, ((struct ocaml_unit){o->begins.v[i], o->ends.v[e++]}));
	}
}

static const struct ocaml *ocaml_of(struct module *m)
{
	static ARENA_STATE struct ocaml o;

	if (o.of == m)
		return &o;
	o = (struct ocaml){.of = m};
	module_symbols(m, add_ocaml, &o);
	pair_units(&o);
	return &o;
}

static bool is_ocaml(const struct function *f)
{
	const struct ocaml *o = ocaml_of(f->mod);

	for (size_t lo = 0, hi = o->units.n; lo < hi;) {
		size_t mid = (lo + hi) / 2;

		if (f->entry < o->units.v[mid].lo)
			hi = mid;
		else if (f->entry >= o->units.v[mid].hi)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

bool function_stack_moves(const struct function *f)
{
	return is_ocaml(f) && ocaml_of(f->mod)->moves_stacks;
}

/* ----------------------------------------------------------------- setjmp() */

/* Longer code before the first branch or push is not looked at. */
enum { MOST_INSNS = 64, MOST_JUMPS = 4 };

/* Does the code read the return address and compute the stack pointer that the caller has after the
 * return?  It does so before it pushes or calls anything. */
static bool saves_caller(const struct function *f)
{
	uint64_t at = f->entry;
	bool address = false, stack = false;
	int jumps = 0;

	for (int i = 0; i < MOST_INSNS; i++) {
		size_t len;
		const unsigned char *code = module_bytes(f->mod, at, &len);
		struct machine_insn insn;

		if (!code || !arch_target()->decode(code, len, at, &insn) || insn.changes_sp)
			return false;
		address |= insn.reads_return;
		stack |= insn.takes_caller_sp;
		if (address && stack)
			return true;
		if (insn.always_jumps && (!insn.target || ++jumps > MOST_JUMPS))
			return false;
		at = insn.always_jumps ? insn.target : at + insn.len;
	}
	return false;
}

/* --------------------------------------------------------------------- rules */

/* Code of GHC that was compiled without -g has no unwind information, all of C has. */
static bool is_haskell(const struct function *f)
{
	return !f->die && module_has_section(f->mod, ".debug-ghc-link-info");
}

enum return_way function_return_way(const struct function *f, const char **why)
{
	enum entered entered;

	*why = NULL;
	if (function_is_go(f))
		return RETURN_OF_GO;
	if (is_ocaml(f))
		return RETURN_OF_OCAML;
	entered = module_entered(f->mod, f->entry);
	*why = "it is not called: by the unwind information its stack does not begin with a return "
	       "address";
	if (entered == ENTERED_OTHERWISE)
		return RETURN_REFUSED;
	*why = "without unwind information it may be code of Haskell, which is not called";
	if (entered == ENTERED_UNKNOWN && is_haskell(f))
		return RETURN_REFUSED;
	*why = "it saves its return address, and may return there again, as setjmp() does";
	if (saves_caller(f))
		return RETURN_REFUSED;
	*why = NULL;
	return RETURN_REPLACED;
}

/* --------------------------------------------------------------------- exits */

uint64_t function_start(const struct function *f)
{
	return function_is_go(f) ? go_body(f->mod, f->entry) : f->entry;
}

void function_return_insns(const struct function *f, addr_vec *out)
{
	uint64_t end = f->entry + f->size;
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = module_bytes(f->mod, f->entry, &len);

	for (uint64_t at = f->entry; code && len >= f->size && at < end; at += insn.len) {
		if (!arch_target()->decode(code + (at - f->entry), end - at, at, &insn))
			return;
		if (insn.returns)
			vec_push(out, at);
	}
}

bool function_exits(const struct function *f, addr_vec *out, const char **why)
{
	uint64_t end = f->entry + f->size;
	struct machine_insn insn, last = {0}, before = {0};
	bool ocaml = is_ocaml(f);
	size_t len;
	const unsigned char *code = module_bytes(f->mod, f->entry, &len);

	*why = "its code cannot be decoded";
	if (!code || len < f->size)
		return false;
	for (uint64_t at = f->entry; at < end; at += insn.len, before = last, last = insn) {
		if (!arch_target()->decode(code + (at - f->entry), end - at, at, &insn))
			return false;
		/* OCaml raises an exception by a return to its handler's stack */
		if (insn.returns && !(ocaml && before.loads_sp))
			vec_push(out, at);
		/* the address of a case is a sum, that of a function is not */
		if ((insn.jumps && (insn.target < f->entry || insn.target >= end)) ||
		    (ocaml && insn.indirect && !last.adds)) {
			*why = "it ends with a jump to another function";
			return false;
		}
	}
	*why = "it never returns";
	return out->n;
}
