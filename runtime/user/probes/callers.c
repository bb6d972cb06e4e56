/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of probed functions: is their code from a file, or has the program made it at run time?
 *
 * Runtimes that compile while the program runs, as those of Java and JavaScript, find the frames of
 * their code by the return addresses on the stack, when they collect garbage or throw an exception.
 * They would end the program where one is replaced, so an address in such code is left as it is.
 *
 * Code from ELF files is in the loader's list of mappings, or, if a library has just been loaded,
 * in the dynamic linker's list, which is as gdb knows it (struct r_debug). All other code was made
 * by the program, also that in files which are not ELF, and so is the part of a file that contains
 * such code (struct ust_module.made). Addresses in trampolines are those of a tail call.
 *
 * No caller is allowed in a program that has loaded continuations (return_slots.c). The loader has
 * cleared the table before their code runs.
 */
#include "probes/callers.h"
#include "probes/libraries.h"
#include "probes/return_slots.h"

PRIVATE u64 caller_pages[UST_CALLERS];

void callers_init(void) { layout.callers = (u64)caller_pages; }

/* --------------------------------------------------------- the loader's list */

static const struct ust_mapped *mapping_at(u64 addr)
{
	u32 lo = 0, hi = process.nmapped <= UST_MAPPED ? process.nmapped : 0;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		const struct ust_mapped *m = &process.mapped[mid];

		if (addr >= m->end)
			lo = mid + 1;
		else if (addr < m->start)
			hi = mid;
		else
			return m;
	}
	return NULL;
}

/* Is ADDR in the part of M's file that has code made by a compiler at run time?  *MIXED: its page
 * has some of both. */
static bool in_made_part(const struct ust_mapped *m, u64 addr, bool *mixed)
{
	const struct ust_module *of = m->module < ust_program.nmodules
					      ? &ust_program.modules[m->module]
					      : NULL;
	u64 at = addr - m->start + m->offset, page = at & ~(u64)(UST_PAGE - 1);

	if (!of || !of->made_end)
		return false;
	*mixed = (of->made > page && of->made < page + UST_PAGE) ||
		 (of->made_end > page && of->made_end < page + UST_PAGE);
	return at >= of->made && at < of->made_end;
}

/* ------------------------------------------------------------------- lookups */

static bool is_from_file(u64 addr, bool *mixed)
{
	const struct ust_mapped *m = mapping_at(addr);

	if (m)
		return library_is_elf(m->file) && !in_made_part(m, addr, mixed);
	/* a longer list has no room for all */
	return process.nmapped >= UST_MAPPED || library_has_code(addr);
}

extern char text_begin[] __attribute__((weak)), text_end[] __attribute__((weak));

/* The runtime's own code is where handlers of signals return to. */
static bool is_own(u64 ret) { return ret >= (u64)text_begin && ret < (u64)text_end; }

static noinline bool caller_look_up(u64 ret)
{
	bool mixed = false, from_file;

	if (library_reenters_stacks())
		from_file = false;
	else if (area_at(ret) || is_own(ret) || slot_is_others(ret))
		return true;
	else
		from_file = is_from_file(ret, &mixed);
	if (!mixed)
		WRITE_ONCE(*caller_page(ret), from_file ? ret / UST_PAGE : ~(ret / UST_PAGE));
	return from_file;
}

bool caller_allows(u64 ret)
{
	u64 known = READ_ONCE(*caller_page(ret));

	if (likely(known == ret / UST_PAGE) || (known != ~(ret / UST_PAGE) && caller_look_up(ret)))
		return true;
	__atomic_fetch_add(library_reenters_stacks() ? &shared.status.copied_stacks
						     : &shared.status.made_callers,
			   1, __ATOMIC_RELAXED);
	return false;
}
