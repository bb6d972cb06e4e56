/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files and the kernel as modules: files, addresses, functions by name. */
#ifndef USTAP_DWARF_MODULE_H
#define USTAP_DWARF_MODULE_H

#include "base/diag.h"

struct summary;

struct module; /* one ELF file and its debug information; owned by dwarf/ */
/* The module at PATH (absolute), opened once.  NULL after an error was reported at LOC. */
struct module *module_get(const char *path, struct loc loc);
const char *module_path(const struct module *m); /* as given */
/* The script whose interpreter M is, if the last module_get() of M was for a script; else NULL. */
const char *module_script(const struct module *m);
/* The same as programs in --sysroot see it. */
const char *module_target_path(const struct module *m);
/* That path in output: of a file that a process of -x goes on to use after it was replaced, the
 * path from which it was mapped. */
const char *module_name(struct module *m);
const char *module_build_id(const struct module *m); /* hex, "" if none */
/* Could module_get() take PATH? Where it is a guess: no error comes of files of other machines,
 * objects and damaged ones. */
bool module_is_possible(const char *path);
/* The name of the machine that the ELF file PATH is for, if this session cannot trace it; NULL for
 * other files. */
const char *module_other_machine(const char *path);
/* elfid.h: what staprun and the kernel module compare */
const char *module_identity(struct module *m);
const char *file_build_id(const char *path); /* the same of any file; NULL if none */
/* True if the file, or its debug file, which is opened on first use, has DWARF. */
bool module_has_dwarf(const struct module *m);
/* Advice to the user on how to get debug information for M. */
const char *module_debuginfo_hint(const struct module *m);
/* The kernel as a module, with the functions and types of its BTF. NULL: an error was reported at
 * LOC. */
struct module *module_kernel(struct loc loc);
/* Select the kernel RELEASE; BUILD: its headers, or NULL. */
void kernel_select(const char *release, const char *build);
/* True for vmlinux and modules of the kernel, whose addresses are known at run time only. */
bool module_is_kernel(const struct module *m);
/* The kernel as a module, from its debug package; NULL: it is not installed (QUIET), or an error
 * was reported at LOC. */
struct module *module_kernel_debug(struct loc loc, bool quiet);
/* The same of its module NAME, which kmodule_names() has found. */
struct module *module_kmodule_debug(const char *name, struct loc loc, bool quiet);
/* The symbol and offset *OFF by which a kprobe names the code at ADDR of M, the kernel or one of
 * its modules by its debug package. */
const char *kernel_place(struct module *m, uint64_t addr, uint64_t *off);
/* The distance of ADDR of M, the kernel, from a function whose address the runtime knows, or, if
 * *PERCPU, from a per-CPU variable. False: not available. */
bool kernel_distance(struct module *m, uint64_t addr, int64_t *distance, bool *percpu);
/* The kernel's module NAME, which kmodule_names() has found, as a module. */
struct module *module_kmodule(const char *name, struct loc loc);
const char *module_kmodule_name(const struct module *m); /* NULL: not a kernel module */
/* Does the kernel, or its module MODULE if that is not NULL, export the symbol NAME to modules? */
bool kernel_exports(const char *module, const char *name);
bool kernel_lists_exports(void); /* is that known? */
/* The subsystem of the tracepoint NAME, from the kernel's headers; NULL: not found there. */
const char *kernel_trace_system(const char *name);
/* Append the names of the kernel's modules, loaded or not, that match PATTERN. */
void kmodule_names(const char *pattern, name_vec *out);
const char *kmodule_suggest(const char *name); /* a near miss; NULL: none */
bool kmodule_is_builtin(const char *name);     /* is it a part of the kernel? */
/* Close the files of all modules; nothing of dwarf/ may be used afterwards. Between compiles,
 * before arena_free_all(). */
void modules_close(void);

typedef VEC(uint64_t) addr_vec;
struct func_pattern {
	const char *func, *file;
	int line;
}; /* file NULL, line 0: any */

/* A function that can be probed. */
struct function {
	struct module *mod;
	const char *name, *linkage; /* linkage: symbol name, may equal name */
	const char *file;
	int line;             /* declaration, NULL/0 without DWARF */
	uint64_t entry, size; /* module (ELF virtual) addresses */
	/* first address where parameters can be read: the entry, unless only their copy in the
	 * frame is known */
	uint64_t body;
	bool exported;
	bool is_trace; /* a tracepoint of the kernel, called as a function is */
	/* at the body, parameters are where Go's ABIInternal puts them */
	bool go_abi;
	bool resumes; /* code before the body may run more than once for a call (Go) */
	void *die;    /* dwarf/ only; NULL if from the symbol table */
	void *outer;  /* of an instance that was inlined: the function it is in; else NULL */
	/* further names of its symbols that the pattern matches; NULL: none */
	const text_vec *also;
};
typedef VEC(struct function *) function_vec;
/* Are A and B one inlined instance, found twice? */
bool function_same_instance(const struct function *a, const struct function *b);
/* Append the functions matching PAT to OUT, each address once, in address order. */
void module_functions(struct module *m, const struct func_pattern *pat, function_vec *out);
/* A near miss for the name in PAT, for "did you mean"; NULL if none. */
const char *module_suggest(struct module *m, const struct func_pattern *pat);
/* Are the functions that M exports all that is known of it? Neither the file nor its debug file has
 * a symbol table. */
bool module_is_stripped(struct module *m);
/* The part of M's code, in per cent, that belongs to functions whose names are known. */
unsigned module_named_code(struct module *m);
/* Is NAME an indirect function of M (STT_GNU_IFUNC), whose code is chosen when it is linked? */
bool module_has_indirect(struct module *m, const char *name);
/* Does NAME exist in the source, but in the code only inlined into others?  Slow: for errors. */
bool module_inlines(struct module *m, const char *name);
/* An address of M's code and its file offset. */
bool module_code(struct module *m, uint64_t *addr, uint64_t *off);
/* Is ADDR in a part of M that is executed? */
bool module_is_text(struct module *m, uint64_t addr);
/* File offset of module address ADDR; false if no loaded segment holds it. */
bool module_file_offset(struct module *m, uint64_t addr, uint64_t *off);
/* the other way round */
bool module_offset_address(struct module *m, uint64_t off, uint64_t *addr);
/* The cheapest address equivalent to the entry of F (past an endbr64 where
 * the next instruction is one that kernels emulate). */
uint64_t function_site(const struct function *f);
/* Words that the arguments of F take. */
unsigned argument_words(const struct function *f);
/* The bytes at module address ADDR as they are in the file, and how many follow; NULL: the file has
 * no bytes for ADDR. */
const unsigned char *module_bytes(struct module *m, uint64_t addr, size_t *len);
/* Where another line than that of the code at ADDR begins after it; UINT64_MAX if that is not
 * known. */
uint64_t module_next_line(struct module *m, uint64_t addr);
/* True if the ELF file of M has a section NAME; not looked up in the debug file. */
bool module_has_section(struct module *m, const char *name);

/* Libraries that M needs, and those need, as paths. */
void module_libraries(struct module *m, name_vec *out);
/* The path of the shared library NAME ("libc.so.6") below ROOT, "" for this machine, as the dynamic
 * linker finds it; with "" also the first one of its folders that the wildcard NAME stands for.
 * NULL: not found. */
const char *library_find(const char *root, const char *name);
/* The name that programs link the shared library M by, "" if M has no DT_SONAME. */
const char *module_soname(struct module *m);
/* The path of the shared library NAME as the dynamic linker would find it for M; NULL: not
 * found. */
const char *module_find_library(struct module *m, const char *name);

/* The function that holds the code at ADDR; never NULL, but one without a name may be all that is
 * known. */
const struct function *module_function_at(struct module *m, uint64_t addr);
/* The same, with nothing known but the name: it has no variables. */
const struct function *function_bare(struct module *m, uint64_t addr);
/* As module_function_at(), where an inlined function is one as well. */
const struct function *module_scope_at(struct module *m, uint64_t addr);
/* Append the inlined instances of functions that PAT names. */
void module_inlined(struct module *m, const struct func_pattern *pat, function_vec *out);

/* The version of the installed elfutils, such as "0.188". */
const char *elfutils_version(void);

/* A variable by its symbol; in_thread: thread-local, its address is an offset. */
struct data_symbol {
	const char *name;
	uint64_t addr, size;
	bool in_thread;
};
typedef VEC(struct data_symbol) data_symbol_vec;
/* Append the variables of M whose symbols match PATTERN, each address once, in address order. */
void module_data_symbols(struct module *m, const char *pattern, data_symbol_vec *out);
/* A function that stands for the variable NAME of M where a site needs one: it has no code. */
struct function *function_of_data(struct module *m, const char *name);
/* Are the SIZE bytes at module address ADDR in a loaded segment of M? */
bool module_has_memory(struct module *m, uint64_t addr, uint64_t size);
/* False for shared libraries that processes map beside their program. */
bool module_may_be_program(struct module *m);

/* AT returns number I of all summaries of types: those of the script first, then, if LIBRARY, those
 * of the tapset library; NULL at the end. */
void summaries_set(const struct summary *(*at)(size_t i, bool library));

#endif
