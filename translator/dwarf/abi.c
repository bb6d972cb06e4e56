/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register classes of values that functions pass and return, which the architecture's calling
 * convention makes from the scalars that a type consists of. The class is ABI_UNKNOWN where the
 * debug information does not determine it.
 */
#include <string.h>

#include "values.h"
#include "arch/arch.h"

#define MAX_DEPTH 16
/* Structures nest, and a file can put ten of each into each. */
#define MAX_PARTS    100000
#define MAX_ELEMENTS 16 /* more are more than 16 bytes, and all alike */

/* A number of SIZE bytes, or what cannot be classified. */
static void add(struct abi *out, const struct abi_scalar *scalar)
{
	if (!scalar->bit_field && scalar->size > out->align && scalar->size <= 16)
		out->align = (unsigned)scalar->size;
	arch_target()->convention->add_scalar(out, scalar);
}

static void add_integer(struct abi *out, uint64_t at, uint64_t size)
{
	add(out, &(struct abi_scalar){.kind = SCALAR_INTEGER, .at = at, .size = size});
}

static void add_unknown(struct abi *out, uint64_t at)
{
	add(out, &(struct abi_scalar){.kind = SCALAR_UNKNOWN, .at = at, .size = 1});
}

static void classify(struct module *m, Dwarf_Die *type, uint64_t at, int depth, struct abi *out);

static void classify_float(Dwarf_Die *type, uint64_t at, uint64_t size, bool complex,
			   struct abi *out)
{
	const char *name = dwarf_diename(type);
	uint64_t each = complex ? size / 2 : size;
	bool extended = each == 16 && !complex && name && !strcmp(name, "long double");

	for (uint64_t i = 0; each && i < size; i += each)
		add(out, &(struct abi_scalar){.kind = extended ? SCALAR_LONG_DOUBLE : SCALAR_FLOAT,
					      .at = at + i,
					      .size = each});
}

static void classify_base(Dwarf_Die *type, uint64_t at, uint64_t size, struct abi *out)
{
	unsigned enc = type_float_encoding(type);

	if (!size || size > 32 || (size & (size - 1)))
		add_unknown(out, at);
	else if (enc == DW_ATE_float || enc == DW_ATE_complex_float)
		classify_float(type, at, size, enc == DW_ATE_complex_float, out);
	else if (enc)
		add_unknown(out, at);
	else
		add_integer(out, at, size);
}

static void classify_array(struct module *m, Dwarf_Die *type, uint64_t at, int depth,
			   struct abi *out)
{
	int64_t counts[16], count = 1;
	uint64_t size;
	Dwarf_Die elem;

	for (int i = 0, n = array_dims(type, counts, 16); i < n; i++)
		count = count < 0 || counts[i] < 0 ||
					__builtin_mul_overflow(count, counts[i], &count)
				? -1
				: count;
	if (dwarf_hasattr(type, DW_AT_GNU_vector) || !die_type(type, &elem) ||
	    !type_size(m, &elem, &size)) {
		add_unknown(out, at);
		return;
	}
	for (int64_t i = 0; i < count && i < MAX_ELEMENTS; i++)
		classify(m, &elem, at + (uint64_t)i * size, depth + 1, out);
}

/* Does C++ pass the class TYPE by its address, as it has a copy constructor or destructor of its
 * own? *KNOWN is false if the debug information has no DW_AT_calling_convention. */
static bool by_reference(Dwarf_Die *type, bool *known)
{
	Dwarf_Attribute a;
	Dwarf_Word how = 0;

	*known = dwarf_attr_integrate(type, DW_AT_calling_convention, &a) &&
		 dwarf_formudata(&a, &how) == 0;
	return how == DW_CC_pass_by_reference;
}

static void classify_member(struct module *m, Dwarf_Die *member, uint64_t at, int depth,
			    struct abi *out)
{
	struct member mb;

	if (die_is_declaration(member))
		return; /* static */
	if (!member_place(m, member, &mb) || dwarf_hasattr(member, DW_AT_alignment)) {
		add_unknown(out, at);
		return;
	}
	if (!mb.bits)
		classify(m, &mb.type, at + mb.bit_off / 8, depth + 1, out);
	else
		add(out, &(struct abi_scalar){.kind = SCALAR_INTEGER,
					      .at = at + mb.bit_off / 8,
					      .size = (mb.bit_off % 8 + mb.bits + 7) / 8,
					      .bit_field = true});
}

static void classify_struct(struct module *m, Dwarf_Die *type, uint64_t at, int depth,
			    struct abi *out)
{
	Dwarf_Die die;

	if (dwarf_hasattr(type, DW_AT_alignment))
		add_unknown(out, at);
	if (dwarf_child(type, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
			classify_member(m, &die, at, depth, out);
		else if (tag == DW_TAG_variant_part)
			add_unknown(out, at);
	} while (die_sibling(&die, &die) == 0);
}

static void classify(struct module *m, Dwarf_Die *type, uint64_t at, int depth, struct abi *out)
{
	Dwarf_Die t;
	uint64_t size = 0;

	if (depth > MAX_DEPTH || out->nscalars++ > MAX_PARTS || !type_peel(m, type, &t) ||
	    !type_size(m, &t, &size)) {
		add_unknown(out, at);
		return;
	}
	switch (dwarf_tag(&t)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		classify_struct(m, &t, at, depth, out);
		break;
	case DW_TAG_array_type:
		classify_array(m, &t, at, depth, out);
		break;
	case DW_TAG_base_type:
		classify_base(&t, at, size, out);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subrange_type:
		add(out, &(struct abi_scalar){.kind = size <= 8 ? SCALAR_INTEGER : SCALAR_UNKNOWN,
					      .at = at,
					      .size = size});
		break;
	default:
		add_unknown(out, at);
	}
}

struct abi abi_of_type(struct module *m, Dwarf_Die *type, bool cxx)
{
	struct abi out = {.align = 1};
	Dwarf_Die t;
	bool known;

	if (!type_peel(m, type, &t) || !type_size(m, &t, &out.size))
		return (struct abi){.part = {ABI_UNKNOWN}, .size = 8, .align = 8};
	out.aggregate = type_is_struct(&t) || dwarf_tag(&t) == DW_TAG_array_type;
	if (type_is_struct(&t)) {
		bool reference = by_reference(&t, &known);

		if (reference)
			return (struct abi){
				.part = {ABI_INTEGER}, .size = 8, .align = 8, .reference = true};
		if (cxx && !known)
			return (struct abi){.part = {ABI_UNKNOWN}, .size = 8, .align = 8};
	}
	classify(m, &t, 0, 0, &out);
	arch_target()->convention->classify(&out);
	return out;
}

/* ----------------------------------------------------------------- languages */

static bool has_section(struct module *m, const char *name)
{
	size_t strings;

	if (elf_getshdrstrndx(m->elf, &strings) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		const char *n = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
						       : NULL;

		if (n && !strcmp(n, name))
			return true;
	}
	return false;
}

bool module_is_go(struct module *m)
{
	static ARENA_STATE struct module *last;
	static ARENA_STATE bool is_go;

	if (m != last) {
		last = m;
		is_go = !m->is_kernel &&
			(has_section(m, ".gopclntab") || has_section(m, ".data.rel.ro.gopclntab"));
	}
	return is_go;
}

bool function_is_go(const struct function *f)
{
	return f->die ? abi_language(f->die) == LANGUAGE_GO : module_is_go(f->mod);
}

/* ------------------------------------------------------------------- results */

unsigned abi_part_bits(const struct abi *abi)
{
	return abi->part[1] == ABI_NONE && abi->part_bits <= 64 ? 0 : abi->part_bits;
}

/* Each part is in the next register of its kind. */
static void push_parts(const struct abi *abi, struct place *out)
{
	const struct convention *conv = arch_target()->convention;
	int ni = 0, nv = 0;

	for (int i = 0; i < ABI_PARTS && abi->part[i] != ABI_NONE; i++) {
		uint64_t bits = abi_part_bits(abi);

		if (abi->part[i] == ABI_INTEGER)
			push_piece(out, P_VALUE, A_REG, conv->result_regs[ni++], bits);
		else
			push_vector_part((unsigned)bits, nv++, out);
	}
}

/* LLVM, from some version on, marks functions of which it has dropped arguments or the result. */
static bool has_own_convention(Dwarf_Die *func)
{
	Dwarf_Attribute a;
	Dwarf_Word how;

	return dwarf_attr_integrate(func, DW_AT_calling_convention, &a) &&
	       dwarf_formudata(&a, &how) == 0 && how == DW_CC_nocall;
}

bool place_of_return(struct context *c, struct place *out)
{
	enum abi_language language = abi_language(c->func);
	Dwarf_Die type;
	struct abi abi;

	if (language == LANGUAGE_GO)
		return place_of_go_return(c, out, &type);
	if (!die_type(c->func, &type))
		return context_fail(c, E_BAD_ACCESS, "does not exist, the function returns void");
	if (!type_peel(c->mod, &type, &type))
		return context_fail(c, E_BAD_ACCESS, "does not exist, the function returns void");
	if (c->changed & CHANGED_RESULT || has_own_convention(c->func))
		return context_fail(c, E_OPTIMIZED_OUT,
				    "may not exist: the compiler has changed the parameters and "
				    "the result of this function");
	if (language == LANGUAGE_RUST && type_is_struct(&type))
		return place_of_rust_return(c, &type, out);
	if ((language == LANGUAGE_OTHER || language == LANGUAGE_RUST) &&
	    (type_is_struct(&type) || dwarf_tag(&type) == DW_TAG_array_type))
		return context_fail(c, E_UNSUPPORTED,
				    "is returned by the rules of its language, which are known "
				    "only for C and C++");
	abi = abi_of_type(c->mod, &type, language == LANGUAGE_CXX);
	if (abi.part[0] == ABI_UNKNOWN || abi.part[0] == ABI_NONE)
		return context_fail(c, E_UNSUPPORTED,
				    "is of a type whose return location is not known");
	if (abi.part[0] == ABI_UNSAVED || abi.part[1] == ABI_UNSAVED)
		return context_fail(c, E_BAD_ACCESS, "is in a register that probes do not save");
	if (abi.part[0] == ABI_MEMORY || abi.reference)
		return push_result_address(c, out);
	push_parts(&abi, out);
	return true;
}
