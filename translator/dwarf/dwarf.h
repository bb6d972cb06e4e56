/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface between the files of dwarf/. elfutils is used only here. A module owns one Dwfl, which
 * owns each ELF and DWARF handle of that file; all other memory is in the arena. Types and
 * variables are in values.h.
 *
 *   module <- symbols <- name_index <- unit_functions <- functions <- addr2func
 *   module <- sdt, operand
 */
#ifndef USTAP_DWARF_H
#define USTAP_DWARF_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "code_locations.h"

/* A function that a unit's DWARF describes as code. */
struct unit_func {
	uint64_t entry, size;
	Dwarf_Die die;
};
typedef VEC(struct unit_func) unit_func_vec;

/* A compile unit, read when an address in it is first asked for. */
struct unit {
	Dwarf_Off off;       /* of its header's DIE in .debug_info */
	Dwarf_Die die;       /* the full unit, never a skeleton */
	unit_func_vec funcs; /* by address; filled by unit_index() */
	bool indexed;
	unit_func_vec nested; /* functions inside of others, by address */
	bool nested_indexed;
};

/* Addresses that a unit's own DIE claims; for units that .debug_aranges leaves out. */
struct unit_range {
	uint64_t lo, hi;
	Dwarf_Off off;
};

/* A word of the global offset table for a function of the file itself, and the entry of the
 * procedure linkage table that jumps through it (0: the word stands for itself). */
struct own_slot {
	uint64_t addr, entry, target;
};
typedef VEC(struct own_slot) own_slot_vec;

struct module {
	const char *path;
	const char *name;   /* see module_name(); NULL until it is asked for */
	const char *script; /* see module_script() */
	int fd;             /* the file itself */
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	/* build_id.c; the latter is NULL until it is asked for */
	const char *build_id, *identity;
	bool is_kernel;        /* a kernel or a module of one; kernel_image.c */
	bool of_btf;           /* one whose addresses are made up; btf.c */
	struct module *kernel; /* of a module of it: what its types are declared in, too; or NULL */
	Dwarf *dw;             /* see module_dwarf() */
	bool dw_tried;
	Dwarf *shared;                 /* with other files by dwz, where libdwfl does not look */
	int shared_fd;                 /* its file */
	bool split_missing;            /* that was said */
	bool symbols_damaged;          /* so was that */
	VEC(struct unit *) units;      /* by offset */
	VEC(struct unit_range) ranges; /* by address */
	bool ranges_built;
	struct smap definitions; /* "TAG NAME" -> Dwarf_Die, see module_definition() */
	bool marks_read;
	mark_vec marks;                 /* sdt.c */
	struct smap data_symbols;       /* results of module_data_symbol() by name */
	struct code_symbols *code;      /* addr2func.c */
	const struct name_index *index; /* see module_index() */
	bool index_tried;
	struct unit_func **index_funcs; /* by number of range */
	struct calls *calls;            /* callsites.c */
	own_slot_vec *own_slots;        /* plt_entries.c */
};

/* ------------------------------------------------------------ module_table.c */

/* The module that was opened by the absolute PATH; NULL: none was. */
struct module *module_lookup(const char *path);
/* Add M, which stays open until modules_remove(). */
void module_enter(struct module *m);
struct module *module_of(Dwarf *dw); /* NULL: none has this debug information */
/* Call F, which closes it, for each module, and forget them. */
void modules_remove(void (*f)(struct module *m));

/* ---------------------------------------------------------------- module.c */

/* Why the ELF file FD would take more time or memory than its size explains; NULL: it does not
 * (elf_limits.c). */
const char *elf_implausible(int fd);
/* The part that dwz shares between DW and other files; NULL: not used, or not found by libdwfl
 * (open.c). dwarf_getalt() returns the same after the first call. */
Dwarf *dwarf_shared_part(Dwarf *dw);
/* Why libdw would take more time or memory to read the units of DW; NULL: it does not. */
const char *dwarf_implausible(Dwarf *dw);
/* Debug information of M, searched for once; NULL: not found. */
Dwarf *module_dwarf(struct module *m);
/* True if the module address ADDR is in the file, in a segment that is loaded executable. */
bool module_is_code(const struct module *m, uint64_t addr);
/* Is M always loaded at its own addresses? */
bool module_is_fixed(const struct module *m);
/* Is M a program? A position-independent one differs from a shared library by a flag of its dynamic
 * section. */
bool module_is_program(const struct module *m);
/* The initial image of the thread-local variables of M; false: M does not have any. */
bool module_tls(const struct module *m, GElf_Phdr *tls);
bool module_uses_musl(struct module *m); /* dt_needed.c: is it linked with that C library? */

/* kdebug.c: the hint to install the kernel's debug package, if M has only BTF; else NULL. */
const char *kernel_debug_hint(const struct module *m);

/* ------------------------------------------------------------- debugfile.c */

/* The build-id of the file FD in hex digits, "" if the file has no build-id. */
const char *fd_build_id(int fd);

/* Warn that a file of debug information, found by the .gnu_debuglink LINK or by build-id, does not
 * match. */
void warn_unfit_debugfile(const struct module *m, const char *link);
/* Find the part that dwz moved to another file, so that dwarf_getalt() returns it; warn if it is
 * missing. */
void find_shared_part(struct module *m);
/* The reason why the compressed debug information of M cannot be read; NULL: M does not have any.
 */
const char *unreadable_dwarf(const struct module *m);

/* Warn, once, that the split unit NAME of M is not there, nor in the package PACKAGE, if it is not
 * NULL. */
void warn_split_missing(struct module *m, const char *name, const char *package);

/* ----------------------------------------------------------------- split_units.c */

/* The unit of SKELETON where libdw itself does not find it. */
bool split_unit(Dwarf_Die *skeleton, Dwarf_Die *out);
/* Is UNIT, which libdw says is of TYPE (DW_UT_...), a skeleton? */
bool split_skeleton(Dwarf_Die *unit, int type);
/* Has libdw found the split UNIT, of DWARF 4, but only one of several sections with types of its
 * file? */
bool split_lacks_types(Dwarf_Die *unit);
/* Close all split units and packages; for modules_close(). DIEs in them become invalid. */
void split_close(void);

/* --------------------------------------------------------------- symbols.c */

struct elf_symbol {
	const char *name; /* in the file's string table, version and all */
	size_t bare;      /* length of the name without @VERSION */
	uint64_t value, size;
	unsigned char type, bind, visibility; /* STT_, STB_, STV_ */
};
/* Call F for each defined symbol of the file and its debug file, until it
 * returns false.  One symbol may come more than once. */
void module_symbols(struct module *m, bool (*f)(const struct elf_symbol *, void *), void *arg);
/* The address of the data symbol NAME, preferably of a global one; false: not found. */
bool module_data_symbol(struct module *m, const char *name, uint64_t *addr);
/* "a::b" for the mangled name of a plain C++ function a::b(...); NULL for all else. */
const char *mangled_path(const char *mangled);

/* ------------------------------------------------------------------ ifunc.c */

/* The code that the function of RESOLVER, an indirect one, may be, in OUT. STARTS: see
 * module_function_starts(). False if it is not known, or it may be code of another file. */
bool ifunc_targets(struct module *m, const struct elf_symbol *resolver, const addr_vec *starts,
		   addr_vec *out);

/* -------------------------------------------------------------- demangle.c */

/* NAME as its source has it, "ns::C::f(int)"; NULL: it is not mangled.  The next call overwrites
 * it. */
const char *demangle(const char *name);
/* The name of the symbol in messages and output: demangled, unless names_set_raw() was called. It
 * is in the arena, or is SYMBOL. */
const char *shown_name(const char *symbol);
bool demangle_rust(const char *name, struct strbuf *out); /* rust.c; OUT begins empty */

/* ----------------------------------------------------------------- name_pattern.c */

/* A pattern for names of functions, as the script has it. */
struct name_pattern {
	const char *asked, *text;
	size_t len;                             /* text: without spaces that do not count */
	bool glob, path, parameters, arguments; /* has * ? [, ::, (...), <...> */
	const char *needle;
	size_t needle_len; /* in every mangled name that matches; NULL: nothing is known */
};
/* Where something is named exactly, globs do not count. */
enum name_match { NAME_NO, NAME_GLOB, NAME_EXACT };
/* Compile TEXT, the name of a function as a script has it: a glob, a C++ path, with or without
 * template arguments and parameters. In the arena; keeps TEXT. */
struct name_pattern name_pattern(const char *text);
/* SHOWN: the name without path and parameters. */
enum name_match name_matches(const struct name_pattern *p, const char *symbol, const char **shown);
enum name_match name_matches_die(const struct name_pattern *p, Dwarf_Die *die); /* of a function */
/* LINKAGE: the mangled name, or NULL. */
enum name_match name_matches_names(const struct name_pattern *p, const char *name,
				   const char *linkage);

/* Match the path of a name, "module::outer::name", without arguments and parameters. */
enum name_match name_matches_path(const struct name_pattern *p, const char *path);

/* --------------------------------------------------------- source_names.c */

/* A pattern for names that only the debug information has; a `.' separates like `::'. WORD is in
 * all symbols that may have such a name. */
struct source_pattern {
	struct name_pattern pattern;
	const char *word;
	size_t word_len;
};
/* Compile TEXT, the name of a function as a script has it. In the arena. */
struct source_pattern source_pattern(const char *text);
/* Match the name that the function at the symbol SYM of M has in its source, if it is not that of
 * the symbol. SHOWN: that name. */
enum name_match source_name_matches(const struct source_pattern *p, struct module *m,
				    const struct elf_symbol *sym, const char **shown);
/* Is the name of FUNC in its source another one than SYMBOL, and not one that SYMBOL mangles? */
bool has_source_name(Dwarf_Die *func, const char *symbol);

/* ------------------------------------------------------------------ unit.c */

Dwarf_Die unit_full(Dwarf_Die *die); /* of a skeleton (-gsplit-dwarf): the unit itself */
struct unit *unit_at(struct module *m, uint64_t addr); /* NULL if none holds ADDR */
/* The entry and the size of the function F->die; false: it has no code. */
bool unit_func_fill(struct unit_func *f);

/* -------------------------------------------------------------- addr2func.c */

/* The code of a symbol. */
struct code_extent {
	const char *name;
	uint64_t lo, hi;
};
/* The function's symbol whose code holds ADDR; false: none, or its size is not known. */
bool module_symbol_extent(struct module *m, uint64_t addr, struct code_extent *out);

/* --------------------------------------------------------- unit_functions.c */

/* The DWARF of the function that begins at ENTRY; NULL if none. */
struct unit_func *unit_function(struct module *m, uint64_t entry);
/* The DWARF of the function that has code at ADDR; NULL if none. */
struct unit_func *unit_function_around(struct module *m, uint64_t addr);

/* ------------------------------------------------------------ definitions.c */

/* The first top-level DIE of any unit that defines NAME as TAG; NULL if none.
 * Reads all units, once for each name: for what the function's own unit only declares. */
Dwarf_Die *module_definition(struct module *m, int tag, const char *name);
/* The DIE that says where the global variable DIE is, in whichever unit, if DIE does not. */
bool variable_instance(struct module *m, Dwarf_Die *die, Dwarf_Die *out);

/* -------------------------------------------------------------------- die.c */

/* True if DIE is a declaration without definition (DWARF 5, 2.13.1). */
bool die_is_declaration(Dwarf_Die *die);
/* Where the code of DIE is entered: DW_AT_entry_pc, or where its first range begins (one that is
 * split in hot and cold parts has nothing else). */
bool die_entry(Dwarf_Die *die, uint64_t *entry);
/* The DIE that the type attribute of DIE names; false for void. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
/* Does an entry with TAG hold functions and variables as a unit does: a namespace, or a module of
 * Fortran? */
bool is_space(int tag);
bool die_import(Dwarf_Die *die, Dwarf_Die *unit); /* the unit that DIE imports, if it does */
const char *die_file(Dwarf_Die *die); /* where it is declared; NULL if that is not said */
/* Attribute CODE, a location, as libdw takes it. */
bool die_location(Dwarf_Die *die, unsigned code, Dwarf_Attribute *a);
const char *die_linkage_name(Dwarf_Die *die); /* NULL: not present */
/* Is DIE an instance or the definition of what is described at WHAT? */
bool die_is_instance_of(const Dwarf_Die *die, const Dwarf_Die *what);
enum abi_language { LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_GO, LANGUAGE_RUST, LANGUAGE_OTHER };
/* The language of FUNC's unit; LANGUAGE_OTHER if DWARF does not give it. */
enum abi_language abi_language(Dwarf_Die *func);
/* True if PATH ends in PATTERN at a path component; a glob matches the whole path or its last
 * component. */
bool file_tail_match(const char *pattern, const char *path);

/* --------------------------------------------------------------- prologue.c */

/* Where the parameters of the function DIE, [entry, end), can be read by its DWARF. */
uint64_t function_body(struct module *m, Dwarf_Die *die, uint64_t entry, uint64_t end);
/* Was the unit of DIE compiled with optimisation? */
bool function_is_optimised(Dwarf_Die *die);

/* ------------------------------------------------------------- line_table.c */

/* Does LINE of FILE (a tail of its path), the file of F, lie in F? */
bool function_holds_line(const struct unit_func *f, const char *file, int line);

/* ------------------------------------------------------------------ walk.c */

/* SIZE bytes of .debug_info more are going to be read. */
void work_permit(uint64_t size);
/* STEPS were made through entries of CU; does not return if they were too many. */
void work_charge(Dwarf_CU *cu, uint64_t steps);
/* The functions of libdw that have dwarf_ instead of die_ in their names, counted. */
int die_sibling(Dwarf_Die *die, Dwarf_Die *next);
/* The next range after offset AT, 0 at the end, negative after an error. */
ptrdiff_t die_ranges(Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *lo,
		     Dwarf_Addr *hi);
/* 1 if DIE has code at PC, 0 if not, negative after an error. */
int die_haspc(Dwarf_Die *die, Dwarf_Addr pc);
/* The next entry of a location list after offset AT; 0 at the end, negative
 * after an error. */
ptrdiff_t die_locations(Dwarf_Attribute *attr, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *lo,
			Dwarf_Addr *hi, Dwarf_Op **ops, size_t *n);
/* 1 and the expression of a location list for PC, 0 if it has no entry for PC,
 * negative after an error. */
int die_location_at(Dwarf_Attribute *attr, Dwarf_Addr pc, Dwarf_Op **ops, size_t *n);
/* The line table of UNIT, owned by libdw; charged once for a table. Not 0
 * after an error. */
int die_lines(Dwarf_Die *unit, Dwarf_Lines **rows, size_t *n);
/* WHAT and the entries around it, the innermost first; how many, 0 if they are not found. */
int die_scopes(const Dwarf_Die *what, Dwarf_Die **scopes);

/* --------------------------------------------------------- dwarf_sections.c */

struct raw_file;
/* Set the sections of F from DW, which has to stay open while F is used. Memory of F is in the
 * arena. False: DW has some that the index knows nothing of. */
bool dwarf_sections(Dwarf *dw, struct raw_file *f);

/* --------------------------------------------------------------- name_index.c */

/* The index of M, made on first use; NULL: not available, the units have to be searched. */
const struct name_index *module_index(struct module *m);
/* Unmap the index of M; for modules_close(). */
void module_index_close(struct module *m);
/* As unit_function() and unit_function_around(), by the index that M has. */
struct unit_func *index_function(struct module *m, uint64_t entry);
/* The same for any address of the function's code; NULL: not found. */
struct unit_func *index_function_around(struct module *m, uint64_t addr);
/* May the function with code at ADDR have labels? */
bool index_has_labels(struct module *m, uint64_t addr);
/* The first definition of NAME at the top of a unit; an enumerator of any type. */
bool index_die(struct module *m, int tag, const char *name, Dwarf_Die *out);
/* The first variable at the top of a unit whose origin is VAR, of M's own debug information. */
bool index_variable(struct module *m, Dwarf_Die *var, Dwarf_Die *out);
typedef VEC(uint32_t) outer_vec;
/* Offsets of the functions with code of inlined functions that P names. */
void index_outers(struct module *m, const struct name_pattern *p, outer_vec *out);

/* ----------------------------------------------------------------- files.c */

/* The source file with number I of UNIT; false: its line table cannot be read that way. */
bool unit_file(Dwarf_Die *unit, uint64_t i, const char **name);

/* -------------------------------------------------------------- functions.c */

/* The function at ENTRY, of SIZE bytes (0: not known), with its DWARF if UF is not NULL. */
struct function *function_new(struct module *m, const char *name, const char *linkage,
			      uint64_t entry, uint64_t size, struct unit_func *uf);

/* ------------------------------------------------------------------- plt_entries.c */

/* A word of the global offset table at ADDR, for the function NAME; VALUE: its address in this
 * file, else 0. */
struct plt_slot {
	uint64_t addr, value;
	const char *name;
};
/* An entry at ADDR, whose jump is SKIP bytes behind, through SLOT. */
typedef void plt_entry_fn(struct module *m, uint64_t addr, unsigned skip,
			  const struct plt_slot *slot, void *arg);
/* Call FN for each entry of M's procedure linkage tables. */
void each_plt_entry(struct module *m, plt_entry_fn *fn, void *arg);
/* The words of M's global offset table that lead to functions of M itself, found once and kept in
 * the arena. */
const own_slot_vec *module_own_slots(struct module *m);

/* ------------------------------------------------------------- callsites.c */

/* A call of a function: where it returns to, the word of the global offset table that it goes
 * through (0: none), its call site, and the function with that code. */
struct caller {
	uint64_t ret, slot;
	Dwarf_Die site, func;
};
typedef bool caller_fn(struct caller *c, void *arg);
/* Call FN for each call of the function at ENTRY that the debug information of M describes, until
 * it returns false. */
void function_callers(struct module *m, uint64_t entry, caller_fn *fn, void *arg);
/* True if the function at ENTRY may come to its own entry again by tail calls, with other
 * arguments but the same return address. Also true if a jump has an unknown target, or there are
 * too many to follow. */
bool reaches_itself(struct module *m, uint64_t entry);

/* ---------------------------------------------------------------- inline.c */

/* The instance DIE in the code of OUTER; NULL: there is no code of it. */
struct function *function_instance(struct module *m, Dwarf_Die *die, const Dwarf_Die *outer);

#endif
