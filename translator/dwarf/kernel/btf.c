/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversion of the kernel's BTF to debug information.
 *
 * Kernels carry BTF: their types, the prototypes of their functions and of their tracepoints. It is
 * written out once as an ELF file with DWARF, which is cached; from then on a kernel is a module
 * like others, with members, casts, pretty-printing and listings. Functions have made-up addresses,
 * which only distinguish them; the calling convention determines where their arguments are at the
 * entry (args.c).
 *
 * Offsets in BTF's strings serve as those of .debug_str and of the symbols' names; of a module,
 * which has few strings and types of the kernel's many, only the needed ones are written.
 */
#include "config.h"

#include "btf.h"
#include "arch/arch.h"

#ifndef HAVE_LIBBPF
bool btf_to_elf(const char *path, const char *base_path, struct strbuf *out)
{
	(void)path, (void)base_path, (void)out;
	return false;
}

bool names_to_elf(const name_vec *names, struct strbuf *out)
{
	(void)names, (void)out;
	return false;
}
#else
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BASE      0x1000000ull
#define FUNCTION_BYTES 16
#define PERCPU_BASE    0x80000000ull

/* ------------------------------------------------------------ abbreviations */

enum abbrev {
	AB_NONE,
	AB_UNIT,
	AB_BASE,
	AB_PLAIN,
	AB_POINTER,
	AB_POINTER_VOID,
	AB_ARRAY,
	AB_RANGE,
	AB_STRUCT,
	AB_STRUCT_ANON,
	AB_UNION,
	AB_UNION_ANON,
	AB_STRUCT_DECL,
	AB_UNION_DECL,
	AB_MEMBER,
	AB_MEMBER_ANON,
	AB_FIELD,
	AB_ENUM,
	AB_ENUM_ANON,
	AB_ENUMERATOR,
	AB_TYPEDEF,
	AB_TYPEDEF_VOID,
	AB_CONST,
	AB_CONST_VOID,
	AB_VOLATILE,
	AB_VOLATILE_VOID,
	AB_RESTRICT,
	AB_RESTRICT_VOID,
	AB_PROTO,
	AB_PROTO_VOID,
	AB_FUNCTION,
	AB_FUNCTION_VOID,
	AB_PARAMETER,
	AB_REST,
	AB_VARIABLE,
	AB_COUNT
};

#define NAME                             \
	{                                \
		DW_AT_name, DW_FORM_strp \
	}
#define TYPE                             \
	{                                \
		DW_AT_type, DW_FORM_ref4 \
	}
#define SIZE1                                  \
	{                                      \
		DW_AT_byte_size, DW_FORM_data1 \
	}
#define SIZE4                                  \
	{                                      \
		DW_AT_byte_size, DW_FORM_data4 \
	}
#define PLACE                                             \
	{                                                 \
		DW_AT_data_member_location, DW_FORM_data4 \
	}
#define RANGE \
	{DW_AT_low_pc, DW_FORM_addr}, { DW_AT_high_pc, DW_FORM_data4 }
#define YES(at)                          \
	{                                \
		at, DW_FORM_flag_present \
	}

static const struct {
	unsigned char tag, children;
	struct {
		unsigned char at, form;
	} attrs[6];
} abbrevs[AB_COUNT] = {
	[AB_UNIT] = {DW_TAG_compile_unit, 1, {{DW_AT_language, DW_FORM_data1}, RANGE}},
	[AB_BASE] = {DW_TAG_base_type, 0, {NAME, SIZE1, {DW_AT_encoding, DW_FORM_data1}}},
	[AB_PLAIN] = {DW_TAG_base_type, 0, {SIZE1, {DW_AT_encoding, DW_FORM_data1}}},
	[AB_POINTER] = {DW_TAG_pointer_type, 0, {SIZE1, TYPE}},
	[AB_POINTER_VOID] = {DW_TAG_pointer_type, 0, {SIZE1}},
	[AB_ARRAY] = {DW_TAG_array_type, 1, {TYPE}},
	[AB_RANGE] = {DW_TAG_subrange_type, 0, {{DW_AT_count, DW_FORM_data4}}},
	[AB_STRUCT] = {DW_TAG_structure_type, 1, {NAME, SIZE4}},
	[AB_STRUCT_ANON] = {DW_TAG_structure_type, 1, {SIZE4}},
	[AB_UNION] = {DW_TAG_union_type, 1, {NAME, SIZE4}},
	[AB_UNION_ANON] = {DW_TAG_union_type, 1, {SIZE4}},
	[AB_STRUCT_DECL] = {DW_TAG_structure_type, 0, {NAME, YES(DW_AT_declaration)}},
	[AB_UNION_DECL] = {DW_TAG_union_type, 0, {NAME, YES(DW_AT_declaration)}},
	[AB_MEMBER] = {DW_TAG_member, 0, {NAME, TYPE, PLACE}},
	[AB_MEMBER_ANON] = {DW_TAG_member, 0, {TYPE, PLACE}},
	[AB_FIELD] = {DW_TAG_member,
		      0,
		      {NAME,
		       TYPE,
		       {DW_AT_bit_size, DW_FORM_data1},
		       {DW_AT_data_bit_offset, DW_FORM_data4}}},
	[AB_ENUM] = {DW_TAG_enumeration_type, 1, {NAME, SIZE1, TYPE}},
	[AB_ENUM_ANON] = {DW_TAG_enumeration_type, 1, {SIZE1, TYPE}},
	[AB_ENUMERATOR] = {DW_TAG_enumerator, 0, {NAME, {DW_AT_const_value, DW_FORM_data8}}},
	[AB_TYPEDEF] = {DW_TAG_typedef, 0, {NAME, TYPE}},
	[AB_TYPEDEF_VOID] = {DW_TAG_typedef, 0, {NAME}},
	[AB_CONST] = {DW_TAG_const_type, 0, {TYPE}},
	[AB_CONST_VOID] = {DW_TAG_const_type, 0, {{0}}},
	[AB_VOLATILE] = {DW_TAG_volatile_type, 0, {TYPE}},
	[AB_VOLATILE_VOID] = {DW_TAG_volatile_type, 0, {{0}}},
	[AB_RESTRICT] = {DW_TAG_restrict_type, 0, {TYPE}},
	[AB_RESTRICT_VOID] = {DW_TAG_restrict_type, 0, {{0}}},
	[AB_PROTO] = {DW_TAG_subroutine_type, 1, {TYPE, YES(DW_AT_prototyped)}},
	[AB_PROTO_VOID] = {DW_TAG_subroutine_type, 1, {YES(DW_AT_prototyped)}},
	[AB_FUNCTION] = {DW_TAG_subprogram, 1, {NAME, RANGE, TYPE, YES(DW_AT_prototyped)}},
	[AB_FUNCTION_VOID] = {DW_TAG_subprogram, 1, {NAME, RANGE, YES(DW_AT_prototyped)}},
	[AB_PARAMETER] = {DW_TAG_formal_parameter, 0, {NAME, TYPE}},
	[AB_VARIABLE] = {DW_TAG_variable,
			 0,
			 {NAME, TYPE, YES(DW_AT_external), {DW_AT_location, DW_FORM_exprloc}}},
	[AB_REST] = {DW_TAG_unspecified_parameters, 0, {{0}}},
};

static void write_abbrevs(struct strbuf *out)
{
	for (int i = 1; i < AB_COUNT; i++) {
		char head[] = {(char)i, (char)abbrevs[i].tag, (char)abbrevs[i].children};

		sb_addn(out, head, sizeof head);
		for (int k = 0; k < 6 && abbrevs[i].attrs[k].at; k++) {
			unsigned at = abbrevs[i].attrs[k].at;
			char pair[] = {(char)(at & 0x7f), (char)abbrevs[i].attrs[k].form};

			/* a ULEB128 of up to 14 bits */
			if (at >= 0x80) {
				char wide[] = {(char)(at | 0x80), 1};

				sb_addn(out, wide, 2);
				sb_addn(out, pair + 1, 1);
			} else {
				sb_addn(out, pair, 2);
			}
		}
		sb_addn(out, "\0", 2);
	}
	sb_addn(out, "", 1);
}

/* ----------------------------------------------------------------- entries */

/* Debug information is gone through twice: to learn where each type will be, and to write. */
struct writer {
	const struct btf *btf;
	uint32_t *place;      /* of each type */
	uint32_t plain[2][9]; /* of nameless integers, by sign and size */
	struct strbuf out, strings;
	VEC(Elf64_Sym) symbols;
	uint32_t first;     /* of its own types: those before are the base's */
	unsigned char *use; /* of each type, see btf_reach(); NULL: all are written */
	uint32_t *moved;    /* with that: where strings are in the file, by where BTF has them */
};

static const struct btf_type *type_at(const struct writer *w, uint32_t id)
{
	return btf__type_by_id(w->btf, id);
}

static void put(struct writer *w, const void *p, size_t n) { sb_addn(&w->out, p, n); }
static void put1(struct writer *w, unsigned v) { put(w, &(char){(char)v}, 1); }
static void put4(struct writer *w, uint64_t v) { put(w, &(uint32_t){(uint32_t)v}, 4); }
static void put8(struct writer *w, uint64_t v) { put(w, &v, 8); }

/* Where the string at OFF of BTF is in the file. */
static uint32_t name_place(struct writer *w, uint32_t off)
{
	const char *name = w->moved && off ? btf__name_by_offset(w->btf, off) : NULL;

	if (!name)
		return off;
	if (!w->moved[off]) {
		w->moved[off] = (uint32_t)w->strings.n;
		sb_addn(&w->strings, name, strlen(name) + 1);
	}
	return w->moved[off];
}

static void put_name(struct writer *w, uint32_t off) { put4(w, name_place(w, off)); }

/* The type ID without type tags, which are marks for checkers and do not affect the layout; 0:
 * void. */
static uint32_t bare(const struct writer *w, uint32_t id)
{
	while (id && btf_is_type_tag(type_at(w, id)))
		id = type_at(w, id)->type;
	return id;
}

/* Begin an entry of abbreviation A for type ID, or, for void, of the next abbreviation, which is
 * the one without a type. */
static bool begin(struct writer *w, enum abbrev a, uint32_t id)
{
	put1(w, bare(w, id) ? a : a + 1);
	return bare(w, id);
}

static void put_type(struct writer *w, uint32_t id)
{
	id = bare(w, id);
	if (id)
		put4(w, w->place[id]);
}

static void put_bits(struct writer *w, const struct btf_member *m, uint32_t off, uint32_t bits)
{
	put1(w, AB_FIELD);
	put_name(w, m->name_off);
	put_type(w, m->type);
	put1(w, bits);
	put4(w, off);
}

static void put_members(struct writer *w, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t); i++, m++) {
		uint32_t off = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);

		if (bits && m->name_off) {
			put_bits(w, m, off, bits);
		} else if (!bits) {
			put1(w, m->name_off ? AB_MEMBER : AB_MEMBER_ANON);
			if (m->name_off)
				put_name(w, m->name_off);
			put_type(w, m->type);
			put4(w, off / 8);
		}
	}
	put1(w, 0);
}

static void put_struct(struct writer *w, const struct btf_type *t)
{
	enum abbrev a = btf_is_union(t) ? AB_UNION : AB_STRUCT;

	put1(w, t->name_off ? a : a + 1);
	if (t->name_off)
		put_name(w, t->name_off);
	put4(w, t->size);
	put_members(w, t);
}

static void put_enum(struct writer *w, const struct btf_type *t)
{
	bool sign = btf_kflag(t);

	put1(w, t->name_off ? AB_ENUM : AB_ENUM_ANON);
	if (t->name_off)
		put_name(w, t->name_off);
	put1(w, t->size);
	put4(w, w->plain[sign][t->size <= 8 ? t->size : 8]);
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_is_enum64(t);
		uint32_t low = wide ? 0 : (uint32_t)btf_enum(t)[i].val;

		put1(w, AB_ENUMERATOR);
		put_name(w, wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off);
		put8(w, wide   ? btf_enum64_value(&btf_enum64(t)[i])
			: sign ? (uint64_t)(int32_t)low
			       : low);
	}
	put1(w, 0);
}

static void put_base(struct writer *w, const struct btf_type *t)
{
	unsigned how = btf_is_float(t) ? 0 : btf_int_encoding(t);
	unsigned encoding = btf_is_float(t)      ? DW_ATE_float
			    : how & BTF_INT_BOOL ? DW_ATE_boolean
			    : how & BTF_INT_SIGNED
				    ? t->size == 1 ? DW_ATE_signed_char : DW_ATE_signed
			    : t->size == 1 ? DW_ATE_unsigned_char
					   : DW_ATE_unsigned;

	/* "char" has no sign of its own in BTF, and one in C */
	if (!btf_is_float(t) && !strcmp(btf__name_by_offset(w->btf, t->name_off), "char"))
		encoding = DW_ATE_signed_char;
	put1(w, AB_BASE);
	put_name(w, t->name_off);
	put1(w, t->size);
	put1(w, encoding);
}

static void put_parameters(struct writer *w, const struct btf_type *proto, uint32_t first)
{
	for (uint32_t i = first; i < btf_vlen(proto); i++) {
		const struct btf_param *p = &btf_params(proto)[i];

		if (!p->type) {
			put1(w, AB_REST);
			continue;
		}
		put1(w, AB_PARAMETER);
		put_name(w, p->name_off);
		put_type(w, p->type);
	}
	put1(w, 0);
}

static void put_array(struct writer *w, const struct btf_type *t)
{
	put1(w, AB_ARRAY);
	put_type(w, btf_array(t)->type);
	put1(w, AB_RANGE);
	put4(w, btf_array(t)->nelems);
	put1(w, 0);
}

static void put_proto(struct writer *w, const struct btf_type *t)
{
	begin(w, AB_PROTO, t->type);
	put_type(w, t->type);
	put_parameters(w, t, 0);
}

static void put_pointer(struct writer *w, const struct btf_type *t)
{
	begin(w, AB_POINTER, t->type);
	put1(w, 8);
	put_type(w, t->type);
}

static void put_modifier(struct writer *w, const struct btf_type *t)
{
	begin(w,
	      btf_is_const(t)      ? AB_CONST
	      : btf_is_volatile(t) ? AB_VOLATILE
				   : AB_RESTRICT,
	      t->type);
	put_type(w, t->type);
}

static void put_declaration(struct writer *w, const struct btf_type *t, bool is_union)
{
	put1(w, is_union ? AB_UNION_DECL : AB_STRUCT_DECL);
	put_name(w, t->name_off);
}

static void put_one(struct writer *w, const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		put_base(w, t);
		break;
	case BTF_KIND_PTR:
		put_pointer(w, t);
		break;
	case BTF_KIND_ARRAY:
		put_array(w, t);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		put_struct(w, t);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		put_enum(w, t);
		break;
	case BTF_KIND_FWD:
		put_declaration(w, t, btf_kflag(t));
		break;
	case BTF_KIND_TYPEDEF:
		begin(w, AB_TYPEDEF, t->type);
		put_name(w, t->name_off);
		put_type(w, t->type);
		break;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		put_modifier(w, t);
		break;
	case BTF_KIND_FUNC_PROTO:
		put_proto(w, t);
		break;
	default: /* functions come later, the others are not types */
		break;
	}
}

/* The function NAME with parameters from FIRST on, and a symbol for it. */
static void put_function(struct writer *w, uint32_t name, const struct btf_type *proto,
			 uint32_t first, bool global)
{
	uint64_t addr = TEXT_BASE + w->symbols.n * FUNCTION_BYTES;

	begin(w, AB_FUNCTION, proto->type);
	put_name(w, name);
	put8(w, addr);
	put4(w, FUNCTION_BYTES);
	put_type(w, proto->type);
	put_parameters(w, proto, first);
	vec_push(&w->symbols,
		 ((Elf64_Sym){.st_name = name_place(w, name),
			      .st_info = ELF64_ST_INFO(global ? STB_GLOBAL : STB_LOCAL, STT_FUNC),
			      .st_shndx = 1,
			      .st_value = addr,
			      .st_size = FUNCTION_BYTES}));
}

/* Does FUNC call the probes of a tracepoint? The parameters after its first one are theirs. */
static bool is_tracepoint(const struct writer *w, const struct btf_type *func)
{
	return !strncmp(btf__name_by_offset(w->btf, func->name_off), BTF_TRACE, strlen(BTF_TRACE));
}

/* The variable V of each processor, which is at OFF among them. */
static void put_variable(struct writer *w, const struct btf_type *v, uint32_t off, uint32_t size)
{
	uint64_t addr = PERCPU_BASE + off;

	if (!bare(w, v->type))
		return;
	put1(w, AB_VARIABLE);
	put_name(w, v->name_off);
	put_type(w, v->type);
	put1(w, 9);
	put1(w, DW_OP_addr);
	put8(w, addr);
	vec_push(&w->symbols, ((Elf64_Sym){.st_name = name_place(w, v->name_off),
					   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
					   .st_shndx = 1,
					   .st_value = addr,
					   .st_size = size}));
}

/* BTF knows no others. */
static void put_variables(struct writer *w)
{
	for (uint32_t i = w->first, n = btf__type_cnt(w->btf); i < n; i++) {
		const struct btf_type *t = type_at(w, i);

		for (uint32_t k = 0; btf_is_datasec(t) && k < btf_vlen(t); k++) {
			const struct btf_var_secinfo *v = &btf_var_secinfos(t)[k];

			put_variable(w, type_at(w, v->type), v->offset, v->size);
		}
	}
}

static void put_functions(struct writer *w)
{
	for (uint32_t i = w->first, n = btf__type_cnt(w->btf); i < n; i++) {
		const struct btf_type *t = type_at(w, i);

		if (btf_is_func(t))
			put_function(w, t->name_off, type_at(w, t->type), is_tracepoint(w, t),
				     btf_vlen(t) != BTF_FUNC_STATIC);
	}
}

static void put_plain(struct writer *w)
{
	for (int sign = 0; sign < 2; sign++)
		for (unsigned size = 1; size <= 8; size++) {
			w->plain[sign][size] = (uint32_t)w->out.n;
			put1(w, AB_PLAIN);
			put1(w, size);
			put1(w, sign ? DW_ATE_signed : DW_ATE_unsigned);
		}
}

static void put_types(struct writer *w)
{
	for (uint32_t i = 1, n = btf__type_cnt(w->btf); i < n; i++) {
		const struct btf_type *t = type_at(w, i);
		int use = w->use ? w->use[i] : BTF_WHOLE;

		w->place[i] = (uint32_t)w->out.n;
		if (use == BTF_WHOLE)
			put_one(w, t);
		else if (use == BTF_BRIEF)
			put_declaration(w, t, btf_is_union(t));
	}
}

static void put_unit(struct writer *w, uint32_t length, uint32_t text)
{
	w->out.n = 0;
	w->symbols.n = 0;
	put4(w, length);
	put(w, &(uint16_t){4}, 2); /* DWARF 4 */
	put4(w, 0);
	put1(w, 8);
	put1(w, AB_UNIT);
	put1(w, DW_LANG_C99);
	put8(w, TEXT_BASE);
	put4(w, text);
	put_plain(w);
	put_types(w);
	vec_push(&w->symbols, ((Elf64_Sym){0}));
	put_functions(w);
	if (w->first == 1)
		put_variables(w);
	put1(w, 0);
}

/* -------------------------------------------------------------------- file */

enum section { S_NULL, S_TEXT, S_INFO, S_ABBREV, S_STR, S_STRTAB, S_SYMTAB, S_NAMES, S_COUNT };

static const char section_names[] =
	"\0.text\0.debug_info\0.debug_abbrev\0.debug_str\0.strtab\0.symtab\0.shstrtab";

/* DATA after what is in OUT, as section SH. */
static void add_section(struct strbuf *out, Elf64_Shdr *sh, unsigned type, const void *data,
			size_t size)
{
	static const char zeros[8];

	sb_addn(out, zeros, -out->n & 7);
	sh->sh_type = type;
	sh->sh_offset = out->n;
	sh->sh_size = size;
	sh->sh_addralign = 1;
	sb_addn(out, data, size);
}

static void name_sections(Elf64_Shdr *sh)
{
	const char *p = section_names;

	for (int i = 0; i < S_COUNT; i++, p += strlen(p) + 1)
		sh[i].sh_name = (Elf64_Word)(p - section_names);
}

static void add_symbols(struct writer *w, struct strbuf *out, Elf64_Shdr *sh)
{
	add_section(out, sh, SHT_SYMTAB, w->symbols.v, w->symbols.n * sizeof *w->symbols.v);
	sh->sh_link = S_STRTAB;
	sh->sh_entsize = sizeof(Elf64_Sym);
	sh->sh_info = 1;
	sh->sh_addralign = 8;
}

/* Write the ELF file. Its text section covers addresses, but has no bytes in the file. */
static void write_elf(struct writer *w, struct strbuf *out)
{
	size_t text = w->symbols.n * FUNCTION_BYTES, nstr = w->strings.n;
	const char *str = w->strings.s;
	Elf64_Shdr sh[S_COUNT] = {0};
	struct strbuf abbrev = {0};
	Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = arch_target()->machine,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof eh,
			 .e_ehsize = sizeof eh,
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof *sh,
			 .e_shnum = S_COUNT,
			 .e_shstrndx = S_NAMES};
	Elf64_Phdr ph = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_vaddr = TEXT_BASE,
			 .p_paddr = TEXT_BASE,
			 .p_filesz = text,
			 .p_memsz = text,
			 .p_align = 1};

	write_abbrevs(&abbrev);
	sb_addn(out, (char *)&eh, sizeof eh);
	sb_addn(out, (char *)&ph, sizeof ph);
	name_sections(sh);
	add_section(out, &sh[S_INFO], SHT_PROGBITS, w->out.s, w->out.n);
	add_section(out, &sh[S_ABBREV], SHT_PROGBITS, abbrev.s, abbrev.n);
	add_section(out, &sh[S_STR], SHT_PROGBITS, str, nstr);
	sh[S_STRTAB].sh_type = SHT_STRTAB; /* the same bytes */
	sh[S_STRTAB].sh_offset = sh[S_STR].sh_offset;
	sh[S_STRTAB].sh_size = nstr;
	sh[S_STRTAB].sh_addralign = 1;
	add_symbols(w, out, &sh[S_SYMTAB]);
	add_section(out, &sh[S_NAMES], SHT_STRTAB, section_names, sizeof section_names);
	sb_addn(out, "\0\0\0\0\0\0\0", -out->n & 7);
	eh.e_shoff = out->n;
	sh[S_TEXT] = (Elf64_Shdr){.sh_name = sh[S_TEXT].sh_name,
				  .sh_type = SHT_NOBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addr = TEXT_BASE,
				  .sh_offset = out->n + sizeof sh,
				  .sh_size = text,
				  .sh_addralign = 16};
	ph.p_offset = sh[S_TEXT].sh_offset;
	sb_addn(out, (char *)sh, sizeof sh);
	memcpy(out->s, &eh, sizeof eh);
	memcpy(out->s + sizeof eh, &ph, sizeof ph);
}

static uint32_t strings_of(const struct btf *btf, const char **at)
{
	uint32_t size;
	const struct btf_header *h = btf__raw_data(btf, &size);

	*at = h ? (const char *)h + h->hdr_len + h->str_off : "";
	return h ? h->str_len : 1;
}

/* The kernel's, read once for all modules. */
static struct btf *base_of(const char *path)
{
	static struct btf *known;
	static const char *of;

	if (known && strcmp(of, path)) {
		btf__free(known);
		known = NULL;
	}
	if (!known) {
		known = btf__parse(path, NULL);
		of = xstrdup(path);
	}
	return known;
}

bool btf_to_elf(const char *path, const char *base_path, struct strbuf *out)
{
	libbpf_print_fn_t said = libbpf_set_print(NULL); /* that there is no BTF is for us to say */
	struct btf *base = base_path ? base_of(base_path) : NULL;
	struct btf *btf = base_path && !base ? NULL
			  : base             ? btf__parse_split(path, base)
					     : btf__parse(path, NULL);
	struct writer w = {.btf = btf, .first = base ? btf__type_cnt(base) : 1};
	const char *at;
	uint32_t n;

	if (btf) {
		n = strings_of(btf, &at);
		sb_addn(&w.strings, at, base ? 1 : n);
		/* a module's strings count on from those of the kernel */
		w.moved = base ? calloc(n + strings_of(base, &at), sizeof *w.moved) : NULL;
		w.place = calloc(btf__type_cnt(btf), sizeof *w.place);
		w.use = base ? btf_reach(btf, w.first) : NULL;
		put_unit(&w, 0, 0);
		put_unit(&w, (uint32_t)w.out.n - 4, (uint32_t)w.symbols.n * FUNCTION_BYTES);
		write_elf(&w, out);
		free(w.moved);
		free(w.place);
		free(w.use);
	}
	libbpf_set_print(said);
	btf__free(btf);
	return btf;
}

bool names_to_elf(const name_vec *names, struct strbuf *out)
{
	struct writer w = {0};

	sb_addn(&w.strings, "", 1);
	vec_push(&w.symbols, ((Elf64_Sym){0}));
	for (size_t i = 0; i < names->n; i++) {
		uint64_t addr = TEXT_BASE + w.symbols.n * FUNCTION_BYTES;

		vec_push(&w.symbols, ((Elf64_Sym){.st_name = (Elf64_Word)w.strings.n,
						  .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
						  .st_shndx = 1,
						  .st_value = addr,
						  .st_size = FUNCTION_BYTES}));
		sb_addn(&w.strings, names->v[i], strlen(names->v[i]) + 1);
	}
	write_elf(&w, out);
	return true;
}
#endif
