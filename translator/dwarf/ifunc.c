/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indirect functions (STT_GNU_IFUNC): their symbol is that of a resolver, which the dynamic linker
 * calls once and which returns the address of the code for this processor. That code often has no
 * symbol; its address is in the resolver's instructions. A resolver that calls through a pointer
 * may also return code of elsewhere: those of glibc's time() and gettimeofday() look it up in the
 * vDSO.
 */
#include "dwarf.h"
#include "arch/arch.h"
#include "bisect.h"

/* A resolver longer than that is damaged. */
enum { RESOLVER_MOST = 4096 };

static bool is_function(const addr_vec *starts, uint64_t addr)
{
	size_t lo = BISECT(mid, starts->n, starts->v[mid] < addr);

	return lo < starts->n && starts->v[lo] == addr;
}

static void add(addr_vec *out, uint64_t addr)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i] == addr)
			return;
	vec_push(out, addr);
}

bool ifunc_targets(struct module *m, const struct elf_symbol *resolver, const addr_vec *starts,
		   addr_vec *out)
{
	uint64_t at = resolver->value;
	size_t len;
	const unsigned char *code = module_bytes(m, at, &len);
	struct machine_insn insn;

	len = !code ? 0 : len < resolver->size ? len : resolver->size;
	if (len > RESOLVER_MOST)
		return false;
	for (size_t i = 0; i < len; i += insn.len) {
		if (!arch_target()->decode(code + i, len - i, at + i, &insn) || !insn.len)
			return false;
		if ((insn.calls && !insn.target) || insn.indirect)
			return false;
		if (insn.makes && insn.makes - at >= len && module_is_code(m, insn.makes) &&
		    is_function(starts, insn.makes))
			add(out, insn.makes);
	}
	return out->n;
}
