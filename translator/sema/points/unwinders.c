/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinders: the functions by which a program reads the return addresses on its stack, for an
 * exception of C++ or Rust, the end of a thread or a backtrace. The kernel runtime probes them
 * where return probes have replaced such addresses (runtime/kernel/probes/unwinders.c).
 */
#include <string.h>
#include "base/proc_root.h"
#include "base/util.h"
#include "point.h"

/* Names in libgcc_s and LLVM's libunwind, by the ABI of C++. A personality routine calls
 * _Unwind_SetIP() when the stack has been read and a landing pad is to be entered. */
static const char *const begins[] = {"_Unwind_RaiseException", "_Unwind_Resume",
				     "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind",
				     "_Unwind_Backtrace"};
static const char *const enters[] = {"_Unwind_SetIP"};
static const char *const ends[] = {"_Unwind_Backtrace"};

bool function_unwinds(const struct function *f)
{
	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (!strcmp(f->name, begins[i]))
			return true;
	return false;
}

static void add(struct module *m, uint64_t addr, bool installs, unwinder_vec *out)
{
	struct unwinder u = {.mod = m, .installs = installs};

	if (module_file_offset(m, addr, &u.offset))
		vec_push(out, u);
}

static void add_functions(struct module *m, const char *name, bool installs, unwinder_vec *out)
{
	function_vec found = {0};

	module_functions(m, &(struct func_pattern){.func = name}, &found);
	for (size_t i = 0; i < found.n; i++)
		if (!found.v[i]->outer)
			add(m, function_site(found.v[i]), installs, out);
}

static void add_returns(struct module *m, const char *name, unwinder_vec *out)
{
	function_vec found = {0};

	module_functions(m, &(struct func_pattern){.func = name}, &found);
	for (size_t i = 0; i < found.n; i++) {
		addr_vec exits = {0};

		if (!found.v[i]->outer)
			function_return_insns(found.v[i], &exits);
		for (size_t k = 0; k < exits.n; k++)
			add(m, exits.v[k], true, out);
	}
}

static void add_module(struct module *m, struct smap *seen, unwinder_vec *out)
{
	const char *path = m ? path_real(module_path(m)) : NULL;

	if (!path || smap_get(seen, path))
		return;
	smap_put(seen, path, m);
	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		add_functions(m, begins[i], false, out);
	for (size_t i = 0; i < ARRAY_LEN(enters); i++)
		add_functions(m, enters[i], true, out);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		add_returns(m, ends[i], out);
}

static void add_library(const char *path, struct smap *seen, unwinder_vec *out)
{
	if (path && module_is_possible(path))
		add_module(module_get(path, (struct loc){0}), seen, out);
}

/* The module M may have an unwinder of its own, or uses one of those that it finds. */
static void add_of_module(struct module *m, struct smap *seen, unwinder_vec *out)
{
	static const char *const libraries[] = {"libgcc_s.so.1", "libunwind.so.1"};

	add_module(m, seen, out);
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++)
		add_library(module_find_library(m, libraries[i]), seen, out);
}

void unwinders_find(const struct program *p, unwinder_vec *out)
{
	struct smap seen = {0};
	const struct module *last = NULL;

	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t k = 0; k < p->probes.v[i]->sites.n; k++) {
			const struct site *s = &p->probes.v[i]->sites.v[k];

			if (!s->is_return || s->at_exit || !s->mod || s->mod == last ||
			    module_is_kernel(s->mod))
				continue;
			last = s->mod;
			add_of_module(s->mod, &seen, out);
		}
}
