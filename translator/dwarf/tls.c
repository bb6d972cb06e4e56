/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations of thread-local variables. Those of a program are at a fixed distance from the thread
 * pointer; those of a shared library are in a block that is found as its own code finds it: by the
 * words that the dynamic linker has written for the library's relocations.
 */
#include <string.h>

#include "values.h"
#include "arch/arch.h"

/* A word of the library's data that leads to its block: as the relocation TYPE fills it, for a
 * variable at offset VALUE. */
struct slot {
	uint32_t type;
	uint64_t addr;
	int64_t value;
	unsigned rank;
};
struct search {
	struct module *m;
	uint64_t offset;
	struct slot best;
};

bool module_tls_offset(struct module *m, int64_t *off)
{
	GElf_Phdr tls;
	if (!module_is_program(m) || !module_tls(m, &tls) ||
	    (tls.p_align && tls.p_vaddr % tls.p_align))
		return false;
	*off = arch_target()->tls_block(tls.p_memsz, tls.p_align ? tls.p_align : 1);
	return true;
}

/* ---------------------------------------------------------------- relocations */

/* Preference for a relocation of TYPE: 3 for a module number, 2 for a TLS descriptor, 1 for an
 * offset from the thread pointer; 0: not usable. */
static unsigned rank_of(uint32_t type)
{
	const struct relocations *types = &arch_target()->relocations;

	return type == types->tls_module       ? 3
	       : type == types->tls_descriptor ? 2
	       : type == types->tls_offset     ? 1
					       : 0;
}

/* Symbols that other modules may define instead are only asked for what they are themselves. */
static bool is_own(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && (GELF_ST_BIND(sym->st_info) == STB_LOCAL ||
					      GELF_ST_VISIBILITY(sym->st_other) != STV_DEFAULT);
}

static void see_relocation(struct search *s, const GElf_Rela *rela, Elf_Data *symbols)
{
	struct slot slot = {.type = (uint32_t)GELF_R_TYPE(rela->r_info),
			    .addr = rela->r_offset,
			    .value = rela->r_addend};
	int number = (int)GELF_R_SYM(rela->r_info);
	GElf_Sym sym = {.st_shndx = SHN_ABS};

	slot.rank = rank_of(slot.type);
	if (!slot.rank || (number && (!symbols || !gelf_getsym(symbols, number, &sym) ||
				      sym.st_shndx == SHN_UNDEF)))
		return;
	slot.value += (int64_t)sym.st_value;
	if (number && !is_own(&sym) && (uint64_t)slot.value != s->offset)
		return;
	/* the others may belong to another module */
	slot.rank = slot.rank * 2 + (!number || is_own(&sym));
	if (slot.rank > s->best.rank)
		s->best = slot;
}

static bool find_slot(struct search *s)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela rela;

	while ((scn = elf_nextscn(s->m->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC))
			continue;
		Elf_Scn *link = sh.sh_link ? elf_getscn(s->m->elf, sh.sh_link) : NULL;
		Elf_Data *relocations = elf_getdata(scn, NULL),
			 *symbols = link ? elf_getdata(link, NULL) : NULL;
		for (int i = 0; relocations && gelf_getrela(relocations, i, &rela); i++)
			see_relocation(s, &rela, symbols);
	}
	return s->best.rank;
}

/* ------------------------------------------------------------------ addresses */

/* The last constant of OUT, if it is all that was
 * pushed: the offset, which picks the relocation. */
static int64_t *constant_offset(const aop_vec *out)
{
	return out->n && out->v[out->n - 1].kind == A_CONST ? &out->v[out->n - 1].a : NULL;
}

static bool push_library_block(struct context *c, aop_vec *out)
{
	const struct relocations *types = &arch_target()->relocations;
	const int64_t *offset = constant_offset(out);
	struct search s = {.m = c->mod, .offset = offset ? (uint64_t)*offset : UINT64_MAX};

	if (!find_slot(&s))
		return context_fail(c, E_UNSUPPORTED,
				    "is thread-local, and no relocation of %s gives the offset of "
				    "such variables",
				    c->mod->path);
	if (s.best.type != types->tls_offset && module_uses_musl(c->mod))
		return context_fail(
			c, E_UNSUPPORTED,
			"is thread-local in a library for musl, which is not supported");
	if (s.best.type == types->tls_offset)
		push_op(out, A_TLS, 0);
	push_op(out, A_ADDR, (int64_t)s.best.addr);
	if (s.best.type == types->tls_offset) {
		vec_push(out, ((struct aop){.kind = A_DEREF, .size = 8}));
		push_op(out, A_ADD, 0);
	} else {
		push_op(out, s.best.type == types->tls_module ? A_TLS_MODULE : A_TLS_DESC, 0);
	}
	push_op(out, A_ADD, 0);
	if (s.best.type != types->tls_module)
		push_add(out, -s.best.value);
	return true;
}

bool push_thread_local(struct context *c, aop_vec *out)
{
	GElf_Phdr tls;
	int64_t off, *at = constant_offset(out);

	if (!module_tls(c->mod, &tls))
		return context_fail(c, E_BAD_ELF, "is thread-local, but %s has no such data",
				    c->mod->path);
	/* gcc has the address in the initial image instead of the offset where it splits debug
	 * information off */
	if (at && tls.p_vaddr >= tls.p_memsz && (uint64_t)*at >= tls.p_vaddr &&
	    (uint64_t)*at < tls.p_vaddr + tls.p_memsz)
		*at -= (int64_t)tls.p_vaddr;
	if (!module_is_program(c->mod))
		return push_library_block(c, out);
	if (!module_tls_offset(c->mod, &off))
		return context_fail(c, E_UNSUPPORTED, "is thread-local with an unusual alignment");
	push_op(out, A_TLS, 0);
	push_op(out, A_ADD, 0);
	push_add(out, off);
	return true;
}
