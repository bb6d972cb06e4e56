/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to probe the return of a function.
 *
 * A return probe replaces the word on top of the stack at the function's entry. This must be a
 * return address, which the program uses once, to return, and reads for nothing else. The unwind
 * information shows whether it is one: code that the kernel or a jump enters, as handlers' returns,
 * the dynamic linker's resolver and all of Haskell, has other rules at its entry. setjmp() and
 * similar functions keep the address, to return there again; they are known by their code, as many
 * programs have their own. Functions that read the address otherwise are probed at their return
 * instructions, and so are those of Go and OCaml, whose runtimes read it.
 */
#include <stdlib.h>
#include <string.h>
#include "arch/arch.h"
#include "address_maps.h"
#include "bisect.h"
#include "dwarf.h"
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

/* ------------------------------------------------------ code of compilers at run time */

/* V8, the engine of Node.js and Chromium, has functions in the file that its own compiler has made,
 * without unwind information: all of them are in one part of the code. */
static bool add_builtin(const struct elf_symbol *s, void *arg)
{
	static const char prefix[] = "Builtins_";
	struct code_extent *e = arg;

	if (strncmp(s->name, prefix, sizeof prefix - 1) != 0 || !s->size)
		return true;
	if (!e->hi || s->value < e->lo)
		e->lo = s->value;
	if (s->value + s->size > e->hi)
		e->hi = s->value + s->size;
	if (!strncmp(s->name + sizeof prefix - 1, "CEntry_", strlen("CEntry_")))
		e->name = s->name; /* by which it calls functions of C++ */
	return true;
}

static const struct code_extent *builtins_of(struct module *m)
{
	static ARENA_STATE struct code_extent e;
	static ARENA_STATE struct module *of;

	if (of != m) {
		of = m;
		e = (struct code_extent){0};
		module_symbols(m, add_builtin, &e);
	}
	return e.name ? &e : NULL;
}

bool module_made_code(struct module *m, uint64_t *lo, uint64_t *hi)
{
	const struct code_extent *e = builtins_of(m);

	return e && module_file_offset(m, e->lo, lo) && module_file_offset(m, e->hi, hi);
}

static bool is_made_code(const struct function *f)
{
	const struct code_extent *e = builtins_of(f->mod);

	return e && f->entry >= e->lo && f->entry < e->hi;
}

/* Does code made at run time call F?  That of V8 calls its Runtime_... and Builtin_..., and
 * functions that have the type of its callbacks; that of Java calls native methods and
 * the functions of its ABI. */
static bool has_made_callers(const struct function *f)
{
	const char *name = f->linkage ? f->linkage : "";

	if (!strncmp(name, "Java_", strlen("Java_")) || !strncmp(name, "JVM_", strlen("JVM_")))
		return true;
	if (strncmp(name, "_Z", 2) != 0 || !builtins_of(f->mod))
		return false;
	return strstr(name, "CallbackInfoI") ||
	       (strstr(name, "8internal") &&
		(strstr(name, "Runtime_") || strstr(name, "Builtin_")));
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

/* ------------------------------------------------------- the address of the caller */

/* Does the code [LO, HI) use the word DISP bytes above the register REG? */
static bool uses(struct module *m, uint64_t lo, uint64_t hi, int reg, int32_t disp)
{
	const struct arch *arch = arch_target();
	struct machine_insn insn;
	size_t len;
	const unsigned char *code = module_bytes(m, lo, &len);

	if (!code || len < hi - lo || !arch->may_use || !arch->may_use(code, hi - lo, reg, disp))
		return false;
	for (uint64_t at = lo; at < hi; at += insn.len) {
		if (!arch->decode(code + (at - lo), hi - at, at, &insn))
			return false;
		if (insn.base == reg && insn.disp == disp && !insn.only_touches)
			return true;
	}
	return false;
}

/* Does the code use the word that its callers have pushed?  dlsym() and dlopen() look for the
 * caller's library by it. */
static bool uses_return_address(const struct function *f)
{
	static ARENA_STATE frame_vec rows;
	uint64_t end = f->entry + f->size;
	const struct arch *arch = arch_target();

	rows.n = 0;
	module_frames_of(f->mod, f->entry, end, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct frame_row *row = &rows.v[i];
		int32_t disp = row->cfa - (int32_t)arch->convention->call_pushes;
		uint64_t next = i + 1 < rows.n ? rows.v[i + 1].at : end;

		if (row->kind == FRAME_SP && uses(f->mod, row->at, next, arch->sp_reg, disp))
			return true;
		if (row->kind == FRAME_BP &&
		    uses(f->mod, row->at, next, arch->frames->fp_reg, disp))
			return true;
	}
	return false;
}

/* --------------------------------------------------------------------- exits */

uint64_t function_start(const struct function *f)
{
	return function_is_go(f) ? go_body(f->mod, f->entry) : f->entry;
}

/* In Go the check of a function that needs at most 128 bytes, and with it any other, passes only
 * where the 928 bytes of StackGuard are left (src/internal/abi/stack.go). Functions without a check
 * share what their callers have left, down to nothing. Those of OCaml 5 without one take up to 256
 * bytes (Stack_threshold_words in runtime/caml/config.h), which is all that is kept free. */
size_t function_stack_room(const struct function *f, uint64_t addr)
{
	enum { GO_GUARD = 928 };

	if (function_stack_moves(f))
		return 0;
	if (!function_is_go(f))
		return SIZE_MAX;
	return addr == function_start(f) && addr != f->entry ? GO_GUARD : 0;
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

/* A function, and its parts elsewhere that compilers make of unlikely code. */
struct parts {
	const struct function *f;
	bool go, ocaml;
	VEC(struct code_extent) v;
	frame_vec rows; /* of the part that is looked at */
	addr_vec *exits, *jumps;
};

static bool is_inside(const struct parts *p, uint64_t addr)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (addr >= p->v.v[i].lo && addr < p->v.v[i].hi)
			return true;
	return false;
}

/* Is the return address on top of the stack at the instruction AT?  True if that is not known. */
static bool at_caller(const struct parts *p, uint64_t at)
{
	size_t next = BISECT(mid, p->rows.n, p->rows.v[mid].at <= at);
	const struct frame_row *row = next ? &p->rows.v[next - 1] : NULL;

	return !row || row->kind != FRAME_SP ||
	       row->cfa == (int32_t)arch_target()->convention->call_pushes;
}

/* The jump at AT to TARGET leaves what is known of the function: add the part that it goes to.
 * False: it goes to another function. */
static bool add_part(struct parts *p, uint64_t at, uint64_t target)
{
	struct code_extent part;
	const char *cold;

	if (p->go || p->ocaml || !module_symbol_extent(p->f->mod, target, &part))
		return false;
	cold = strstr(part.name, ".cold");
	/* without a frame it could be a call's jump */
	if (!cold || (at_caller(p, at) && (strncmp(part.name, p->f->linkage, cold - part.name) ||
					   p->f->linkage[cold - part.name])))
		return false;
	vec_push(&p->v, part);
	return true;
}

/* A jump to an address from a register or from memory: that of a case is a sum, or from a table,
 * but that of a function is not. */
static bool jumps_away(const struct parts *p, const struct machine_insn *insn,
		       const struct machine_insn *last, uint64_t at)
{
	if (p->go || !insn->indirect || (last->adds && !last->changes_sp))
		return false;
	return p->ocaml || (!insn->indexed && at_caller(p, at));
}

static bool part_exits(struct parts *p, struct code_extent part, const char **why)
{
	struct machine_insn insn, last = {0}, before = {0};
	size_t len;
	const unsigned char *code = module_bytes(p->f->mod, part.lo, &len);

	*why = "its code cannot be decoded";
	if (!code || len < part.hi - part.lo)
		return false;
	p->rows.n = 0;
	if (!p->go && !p->ocaml)
		module_frames_of(p->f->mod, part.lo, part.hi, &p->rows);
	for (uint64_t at = part.lo; at < part.hi; at += insn.len, before = last, last = insn) {
		if (!arch_target()->decode(code + (at - part.lo), part.hi - at, at, &insn))
			return false;
		/* OCaml raises an exception by a return to its handler's stack */
		if (insn.returns && !(p->ocaml && before.loads_sp))
			vec_push(p->exits, at);
		if (!(insn.jumps && !is_inside(p, insn.target) && !add_part(p, at, insn.target)) &&
		    !jumps_away(p, &insn, &last, at))
			continue;
		if (p->go || p->ocaml || !insn.always_jumps || !at_caller(p, at)) {
			*why = "it ends with a jump to another function";
			return false;
		}
		vec_push(p->jumps, at);
	}
	return true;
}

bool function_exits(const struct function *f, addr_vec *exits, addr_vec *jumps, const char **why)
{
	struct parts p = {.f = f,
			  .go = function_is_go(f),
			  .ocaml = is_ocaml(f),
			  .exits = exits,
			  .jumps = jumps};

	vec_push(&p.v, ((struct code_extent){f->linkage, f->entry, f->entry + f->size}));
	for (size_t i = 0; i < p.v.n; i++)
		if (!part_exits(&p, p.v.v[i], why))
			return false;
	*why = "it never returns";
	return exits->n || jumps->n;
}

/* --------------------------------------------------------------------- rules */

/* Code of GHC that was compiled without -g has no unwind information, all of C has. */
static bool is_haskell(const struct function *f)
{
	return !f->die && module_has_section(f->mod, ".debug-ghc-link-info");
}

/* Can all returns of F be probed at its return instructions? */
static bool only_returns(const struct function *f)
{
	addr_vec exits = {0}, jumps = {0};
	const char *why;

	return function_exits(f, &exits, &jumps, &why) && !jumps.n;
}

enum return_way function_return_way(const struct function *f, const char **why)
{
	enum entered entered;

	*why = "Go moves stacks, which would lose a replaced return address";
	if (function_is_go(f))
		return RETURN_OF_GO;
	*why = "OCaml looks for return addresses on the stack, and ends the program at a replaced "
	       "one";
	if (is_ocaml(f))
		return RETURN_AT_EXITS;
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
	*why = "it reads its return address, as dlsym() does to find its caller's library";
	if (uses_return_address(f))
		return RETURN_AT_EXITS;
	*why = "it is code of V8's compiler, which reads return addresses on the stack";
	if (is_made_code(f))
		return RETURN_REFUSED;
	*why = "code that the program makes at run time calls it, and may read return addresses";
	if (has_made_callers(f) && only_returns(f))
		return RETURN_AT_EXITS;
	*why = NULL;
	return RETURN_REPLACED;
}
