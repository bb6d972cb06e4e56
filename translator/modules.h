/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dwarf/ tells the passes of ELF files: modules, functions, lines, variables, types, marks and
 * listings.  A part of ustap.h, which includes it where its types are known; dwarf/dwarf.h is what
 * the files of dwarf/ share.
 */
#ifndef USTAP_MODULES_H
#define USTAP_MODULES_H

/* One step of reading a target variable: a stack machine over 64-bit values. */
enum aop_kind {
	A_REG,        /* push DWARF register a */
	A_CONST,      /* push a */
	A_ADDR,       /* push run-time address of module address a */
	A_VECTOR,     /* push half a & 1 of vector register a / 2 */
	A_TLS,        /* push the thread pointer of the probed thread */
	A_TLS_MODULE, /* pop where the number of a library is, push where its thread-local block is
			 in the probed thread */
	A_TLS_DESC, /* pop where a TLS descriptor is, push the address in the probed thread that it
		       stands for */
	A_CALLERS,  /* pop where the return address is; cases for what it is follow */
	A_CALLER,   /* case: the module address a; none or more of these begin one */
	A_CHECK,    /* pop; fail if it is not the run-time address of a */
	A_LOST,     /* fail: it is not known what this caller passed */
	A_CALLERS_END, /* push what the case has pushed; fail if there was none */
	A_IF,          /* pop; if it is 0, skip `a` operations: those up to and with the A_ELSE */
	A_ELSE,        /* end of what A_IF guards; skip `a` operations, those up to the A_END_IF */
	A_END_IF,      /* either branch has pushed one value */
	A_INDEX, /* push value of script index expression number a (target_vars.c numbers them) */
	A_ADD,
	A_SUB,
	A_MUL,
	A_DIV,
	A_MOD,
	A_AND,
	A_OR,
	A_XOR,
	A_SHL,
	A_SHR,
	A_SRA,
	A_NEG,
	A_NOT,
	A_EQ,
	A_NE,
	A_LT,
	A_LE,
	A_GT,
	A_GE,
	A_DUP,
	A_DROP,
	A_SWAP,
	A_OVER,
	A_PICK,
	A_ROT,
	A_DEREF,   /* pop address, push `size` bytes of user memory, sign-extended if `sign` */
	A_EXT,     /* keep the low `size` bytes, sign- or zero-extended */
	A_BITS,    /* keep bits [a, a + bits), sign- or zero-extended */
	A_WIDEN,   /* bits of a float to those of the double of the same value */
	A_EXTENDED /* pop sign and exponent, pop the fraction of a number of 80 bits, push the bits
		      of the nearest double */
};
struct aop {
	enum aop_kind kind;
	int64_t a;
	uint8_t size, bits;
	bool sign;
};

/* How $var$ shows a value: a number, a string, the parts of a struct ... */
enum shape_kind {
	SHAPE_UNKNOWN,
	SHAPE_NUMBER,
	SHAPE_CHAR,
	SHAPE_POINTER,
	SHAPE_STRING /* char * */,
	SHAPE_CHARS /* char [n] */,
	SHAPE_STRUCT,
	SHAPE_ARRAY,
	SHAPE_FLOAT,
	SHAPE_ENUM,
	SHAPE_WORD, /* hexadecimal, what an expression of a summary gives */
	/* by a summary; BARE_TEXT has no quotes; VALUE and ADDRESS are shown as what they refer to,
	 * the second behind an & */
	SHAPE_TEXT,
	SHAPE_BARE_TEXT,
	SHAPE_ITEMS,
	SHAPE_LIST,
	SHAPE_TREE,
	SHAPE_BUCKETS,
	SHAPE_BTREE,
	SHAPE_OPTIONAL,
	SHAPE_VARIANT,
	SHAPE_VALUE,
	SHAPE_ADDRESS,
	SHAPE_DYNAMIC
};
struct shape_name {
	const char *name;
	int64_t value;
};
struct shape_member {
	const char *name;
	uint64_t bit_off;
	unsigned bits;
	const struct shape *shape;
}; /* bits 0: no bit-field */
/* Expressions of a summary over the address of the object (A_INDEX 0), the node that a walk has
 * come to (1), the number of the element (2) and of the bucket (3).  COUNT is also the index of a
 * variant, RIGHT the next node of a list or bucket and a child in a B-tree, LENGTH the number of
 * elements of a node. */
enum shape_part {
	PART_FIRST,
	PART_COUNT,
	PART_RIGHT,
	PART_LEFT,
	PART_PARENT,
	PART_PRESENT,
	PART_LENGTH,
	PART_HEIGHT,
	PART_KEY,
	PART_VALUE,
	PARTS
};
enum { OPERAND_SELF, OPERAND_NODE, OPERAND_INDEX, OPERAND_BUCKET };
struct shape_ops {
	struct aop *v;
	size_t n;
}; /* n 0: none */
struct shape {
	enum shape_kind kind;
	uint8_t size;
	bool is_signed; /* of scalars */
	bool cut;       /* {...} or [...]: parts are not shown */
	int64_t count;  /* elements, -1 unknown */
	const struct shape *elem;
	VEC(struct shape_member) members;
	VEC(struct shape_name)
	names;                   /* of an enum; of a variant the
				  * values of its index */
	const struct shape *key; /* of a map */
	const char *labels[2];   /* of an optional value: if it is there, if not */
	struct shape_ops parts[PARTS];
};
void shape_dump(struct strbuf *out, const struct shape *s);

struct access {
	struct aop *ops;
	size_t nops;
	const char *ctype; /* C type as text, for messages and listings */
	bool is_address;   /* value is the address of an aggregate, not a scalar */
	bool in_kernel;    /* its memory is the kernel's */
	bool is_pointer, is_signed;
	uint8_t size;
	const struct ctype *points_to; /* what the value is the address of; NULL: void, or no
					  address */
	struct module *base; /* A_ADDR counts from where this is loaded; NULL: the probed one */
	unsigned nwords; /* the ops leave so many words of an aggregate that is not in memory; 0:
			    one value */
	const struct shape *shape; /* of $var$: what is shown of the value, or of what is at the
				      address */
};
/* Can A_DEREF read SIZE bytes?  Handlers read one word; a file may say anything. */
bool is_load_size(uint64_t size);
bool access_register(int reg, struct access *out); /* all of a register; true */
/* Can what A reads be set?  Only registers and
 * memory can, and only registers that every hit has. */
bool access_writable(const struct access *a);
bool access_equal(const struct access *a, const struct access *b);
void access_dump(struct strbuf *out, const struct access *a);

struct ctype; /* a C type of some module; owned by dwarf/ */
const char *ctype_text(const struct ctype *t);
const char *ctype_key(const struct ctype *t); /* the same text means the same type */
bool ctype_equal(const struct ctype *a, const struct ctype *b); /* also across units and modules */

typedef VEC(const char *) name_vec;

/* --------------------------------------------------------------- summary_decl.c */

enum summary_form {
	FORM_LENGTH,
	FORM_TEXT,
	FORM_SEQUENCE,
	FORM_RANGE,
	FORM_INDEXED,
	FORM_SLOTS,
	FORM_LIST,
	FORM_TREE,
	FORM_BUCKETS,
	FORM_BTREE,
	FORM_OPTIONAL,
	FORM_VARIANT,
	FORM_POINTER,
	FORM_VALUE,
	FORM_DYNAMIC
};
/* A declaration of how the types that PATTERNS name are shown. */
struct summary {
	VEC(const char *) patterns;
	enum summary_form form;
	struct node *args;
	struct loc loc;
	bool ours; /* from the tapset library that comes with ustap */
};
/* AT gives number I of all summaries, those of the script first, those of the library if they are
 * wanted; NULL at the end. */
void summaries_are(const struct summary *(*at)(size_t i, bool library));

struct module; /* one ELF file and its debug information; owned by dwarf/ */
/* The module at PATH (absolute), opened once.  NULL after an error was reported at LOC. */
struct module *module_get(const char *path, struct loc loc);
const char *module_path(const struct module *m);     /* as given */
const char *module_build_id(const struct module *m); /* hex, "" if none */
/* Could module_get() take PATH? Where it is a guess: no error comes of files of other machines,
 * objects and damaged ones. */
bool module_is_possible(const char *path);
const char *module_identity(struct module *m); /* elfid.h: what staprun and the
						* kernel module compare */
const char *file_build_id(const char *path);   /* the same of any file; NULL if none */
bool module_has_dwarf(const struct module *m);
/* The kernel as one: its functions and types, of its
 * BTF.  NULL after an error was reported at LOC. */
struct module *module_kernel(struct loc loc);
void module_kernel_is(const char *release, const char *build); /* which one it is; its headers, or
								  NULL */
bool module_is_kernel(const struct module *m);
/* The kernel by its debug package; NULL: that is not installed (QUIET), or an error was reported at
 * LOC. */
struct module *module_kernel_debug(struct loc loc, bool quiet);
/* The same of its module NAME, which kmodule_names() has found. */
struct module *module_kmodule_debug(const char *name, struct loc loc, bool quiet);
/* How the kernel is asked for the code at ADDR of M, which is it by its debug package: a symbol,
 * *OFF bytes behind which it is. */
const char *kernel_place(struct module *m, uint64_t addr, uint64_t *off);
/* How the runtime finds what is at ADDR of M, the kernel: so many bytes from a function that it
 * knows, or from a variable of which each processor has one.  False: it cannot. */
bool kernel_distance(struct module *m, uint64_t addr, int64_t *distance, bool *percpu);
/* The kernel's module NAME as one, which kmodule_names() has found. */
struct module *module_kmodule(const char *name, struct loc loc);
const char *module_kmodule_name(const struct module *m); /* NULL: it is none */
/* Does the kernel, or its module MODULE if that is not NULL, export the symbol NAME to modules? */
bool kernel_exports(const char *module, const char *name);
bool kernel_lists_exports(void); /* is that known? */
/* The subsystem of the tracepoint NAME, as the kernel's headers have it; NULL: they do not tell. */
const char *kernel_trace_system(const char *name);
/* Names of the kernel's modules that PATTERN means, loaded or not. */
void kmodule_names(const char *pattern, name_vec *out);
const char *kmodule_suggest(const char *name); /* a near miss; NULL: none */
bool kmodule_is_builtin(const char *name);     /* is it a part of the kernel? */
void modules_close(void);
/* From now on a crash is an error of the file PATH, which may be damaged; NULL: it is a crash
 * again. */
void guard_reading(const char *path);
/* From now on a mapped file that its owner truncates is an error that names it. */
void guard_mappings(void);

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
	uint64_t body;        /* first address where parameters can be read: the
			       * entry, unless only their copy in the frame is known */
	bool exported;
	bool is_trace; /* a tracepoint of the kernel, called as a function is */
	bool go_abi;   /* at the body, parameters are where Go's
			* ABIInternal puts them */
	bool resumes;  /* what is before the body may run more than once for a call (Go) */
	void *die;     /* dwarf/ only; NULL if from the symbol table */
	void *outer;   /* of an instance that was inlined: the function it is in; else NULL */
	const text_vec *also; /* further names of its symbols that the pattern
			       * matches; NULL: none */
};
typedef VEC(struct function *) function_vec;
/* Are A and B one inlined instance, found twice? */
bool function_same_instance(const struct function *a, const struct function *b);
/* Append the functions matching PAT to OUT, each address once, in address order. */
void module_functions(struct module *m, const struct func_pattern *pat, function_vec *out);
/* A near miss for the name in PAT, for "did you mean"; NULL if none. */
const char *module_suggest(struct module *m, const struct func_pattern *pat);
/* Does NAME exist in the source, but in the code only inlined into others?  Slow: for errors. */
bool module_inlines(struct module *m, const char *name);
/* An address of M's code and its file offset. */
bool module_code(struct module *m, uint64_t *addr, uint64_t *off);
/* The bytes at module address ADDR as they are in the file, and how many follow. */
const unsigned char *module_bytes(struct module *m, uint64_t addr, size_t *len);
/* Is ADDR in a part of M that is executed? */
bool module_is_text(struct module *m, uint64_t addr);
/* File offset of module address ADDR; false if no loaded segment holds it. */
bool module_file_offset(struct module *m, uint64_t addr, uint64_t *off);
bool module_offset_address(struct module *m, uint64_t off, uint64_t *addr); /* the other way round
									     */
/* The cheapest address equivalent to the entry of F (past an endbr64 where
 * the next instruction is one that kernels emulate). */
uint64_t function_site(const struct function *f);
/* Words that the arguments of F take. */
unsigned argument_words(const struct function *f);
/* The bytes at module address ADDR as they are in the file, and how many follow; NULL: there are
 * none. */
const unsigned char *module_bytes(struct module *m, uint64_t addr, size_t *len);
/* Where another line than that of the code at ADDR begins after it; UINT64_MAX if that is not
 * known. */
uint64_t module_next_line(struct module *m, uint64_t addr);
bool module_has_section(struct module *m, const char *name);

/* A variable that cannot be read at address PC of F; KNOWN: it is in scope there. */
struct lost {
	const struct function *f;
	uint64_t pc;
	const char *name;
	bool known;
};
struct var_error {
	enum errtag tag;
	struct loc loc;
	const char *msg, *hint;
	const struct lost *lost;
};
/* The hint of ERR: where a lost variable is, and what else is there; made now, as it takes its
 * time. */
const char *var_hint(const struct var_error *err);
/* How to read the target variable NODE (N_TARGET) at address PC of F, or at
 * its return.  False: ERR says why. */
bool var_access(const struct function *f, uint64_t pc, bool at_return, const struct node *node,
		struct access *out, struct var_error *err);
/* How to read NODE: @enum(), @const(), @cast(), @var() of a module or file, or a value that points
 * to T (TS_POINTER), which is index expression 0.  F: the probed function, whose module is meant
 * where none is named; or NULL. */
bool typed_access(const struct function *f, const struct ctype *t, const struct node *node,
		  struct access *out, struct var_error *err);
enum var_set { VARS_PARMS = 1, VARS_LOCALS = 2 }; /* names with the leading $ */
/* "name:type" of each member of the struct T, for listings; T may be NULL. */
void ctype_members(const struct ctype *t, name_vec *out);
void var_list(const struct function *f, uint64_t pc, enum var_set set, name_vec *out);
/* "$name:type" of each that can be read there, or, at F's return, could when it was entered. */
void var_describe(const struct function *f, uint64_t pc, bool at_return, name_vec *out);
bool function_returns_value(const struct function *f);
bool function_is_go(const struct function *f);
/* dwarf/golang.c: is NAME, with its $, a result of the Go function F?  The names of all results. */
bool function_result(const struct function *f, const char *name);
void function_results(const struct function *f, name_vec *out);
/* Where every call of the Go function F comes by once, with the return address
 * on top of the stack. */
uint64_t function_start(const struct function *f);
/* The return instructions of F; false: WHY says what prevents probing its return by them. */
bool function_exits(const struct function *f, addr_vec *out, const char **why);

/* dwarf/seen.c: for --explain.  Addresses [lo, hi), their lines of the function's file (0: not
 * known), and where it is there, as "%rdi" or "[%rsp+8]"; "(...)" says why it cannot be read. */
struct var_range {
	uint64_t lo, hi;
	int first, last;
	const char *place;
};
struct var_seen {
	const char *name, *type; /* with $; type NULL: not known */
	bool in_scope;
	const char *here, *why; /* where it is at the address, or why it cannot be read there */
	VEC(struct var_range) ranges; /* where it can be */
};
typedef VEC(struct var_seen) seen_vec;
/* All parameters and variables of F, also those that are not in scope at PC. */
void function_variables(const struct function *f, uint64_t pc, seen_vec *out);
const char *function_result_type(const struct function *f); /* of what it returns; NULL: nothing, or
							       not known */
/* What the instance F is inlined into, from the inside out: "NAME, FILE:LINE" of the call. */
void function_inlined_into(const struct function *f, name_vec *out);
/* The line that the code at ADDR is of; false: not known. */
bool module_line_at(struct module *m, uint64_t addr, const char **file, int *line);

/* How to find the caller's frame from some instruction
 * on: as struct ust_frame_row of ustap_rt.h. */
enum frame_kind {
	FRAME_UNKNOWN,
	FRAME_SP,
	FRAME_BP,
	FRAME_BP_DEREF,
	FRAME_PLT,
	FRAME_SIGNAL,
	FRAME_OUTERMOST,
	FRAME_ODD
};
#define FRAME_BP_LOST INT16_MIN
struct frame_row {
	uint64_t at;
	int32_t cfa;
	int16_t bp;
	uint16_t kind;
};
typedef VEC(struct frame_row) frame_vec;
/* The rows of M, by module address. */
void module_frames(struct module *m, frame_vec *out);
/* The digest of M's file, but for code, data and debug information; HAS_SYMBOLS: its symbol table
 * is in that file. */
const char *module_digest(struct module *m, bool *has_symbols);
const char *module_debug_file(const struct module *m); /* the file that debug information is in, or
							  would be */
struct named_range {
	uint64_t addr, size;
	const char *name;
};
typedef VEC(struct named_range) range_vec;
/* Functions and data by address, one name for each. */
void module_names(struct module *m, range_vec *out);
/* --no-demangle: names of functions are symbols as the program has them, in all that is printed. */
void names_stay_raw(void);
bool names_are_raw(void);
/* The lines of M by address; line 0: from here on nothing is known.  Addresses are those of M's
 * file. */
struct line_row {
	uint64_t addr;
	int line;
	const char *file;
};
typedef VEC(struct line_row) line_row_vec;
void module_line_rows(struct module *m, line_row_vec *out);
/* Functions that were inlined: NAME, and where it was called; OUTER is the number of the instance
 * that it is in, from 1 on; 0: none. */
struct inlined_call {
	const char *name, *file;
	int line;
	uint32_t outer;
};
typedef VEC(struct inlined_call) inlined_vec;
/* From ADDR on, the number of the innermost instance, or 0. */
struct inline_row {
	uint64_t addr;
	uint32_t innermost;
};
typedef VEC(struct inline_row) inline_row_vec;
void module_inline_map(struct module *m, inline_row_vec *rows, inlined_vec *calls);
struct module_segment {
	uint64_t offset, size, addr;
};
/* The file offsets, sizes and addresses of up to MAX loaded segments of M; their number. */
size_t module_segments(struct module *m, struct module_segment *v, size_t max);
/* Libraries that M needs, and those need, as paths. */
void module_libraries(struct module *m, name_vec *out);
/* The library NAME ("libc.so.6") of this machine, as the dynamic linker finds it; NULL if there is
 * none. */
const char *library_find(const char *name);
/* The name that programs link the library M by, "" if it has none. */
const char *module_soname(struct module *m);
/* The path of the library NAME as the dynamic linker would find it for M; NULL: there is none. */
const char *module_find_library(struct module *m, const char *name);
/* A statically defined probe point: a note of the file, as of sys/sdt.h (dwarf/sdt.c). */
struct mark {
	struct module *mod;
	const char *provider, *name;
	uint64_t addr, semaphore; /* module addresses; semaphore 0: none */
	const char *const *args;
	unsigned nargs;  /* each as the note has it, "-4@%edi" */
	unsigned number; /* among the notes of the file */
};
typedef VEC(struct mark *) mark_vec;
/* Append the marks that match the patterns (PROVIDER NULL: any) to OUT, in order of the notes. */
void module_marks(struct module *m, const char *provider, const char *name, mark_vec *out);
/* How to read argument NODE, a `$argN', of M.  False: ERR says why. */
bool mark_access(const struct mark *m, const struct node *node, struct access *out,
		 struct var_error *err);
/* N of "$argN", or 0. */
unsigned mark_argument(const char *name);
/* The function that holds the code at ADDR; never NULL, but one without a name may be all that is
 * known. */
const struct function *module_function_at(struct module *m, uint64_t addr);
/* The same, but nothing of it is known but its name: it has no variables. */
const struct function *function_bare(struct module *m, uint64_t addr);
/* As module_function_at(), where an inlined function is one as well. */
const struct function *module_scope_at(struct module *m, uint64_t addr);
/* Append the inlined instances of functions that PAT names. */
void module_inlined(struct module *m, const struct func_pattern *pat, function_vec *out);
struct code_label {
	const char *name;
	const struct function *f;
	uint64_t addr;
	int line;
};
typedef VEC(struct code_label) label_vec;
void function_labels(const struct function *f, const char *pattern, label_vec *out);

/* A function that another calls, and where it then returns to; none if it is inlined there. */
struct callee {
	const struct function *f;
	addr_vec returns;
};
typedef VEC(struct callee) callee_vec;
/* What F is known to call; *TAILS counts calls besides that leave no return address. */
void function_callees(const struct function *f, callee_vec *out, unsigned *tails);

struct plt_entry {
	const char *name;
	struct function *f;
};
typedef VEC(struct plt_entry) plt_vec;
/* Append the entries of M's procedure linkage tables that PATTERN names. */
void module_plt(struct module *m, const char *pattern, plt_vec *out);

struct line_range {
	int lo, hi;
};
/* Lines of a file (a tail of its path; NULL: that of the function) in functions that FUNC names. */
struct line_pattern {
	const char *func, *file;
	bool any, nearest; /* all lines; the nearest one if there is none */
	bool relative;     /* counted from the function's declaration */
	const struct line_range *ranges;
	size_t nranges;
};
struct line {
	const struct function *f;
	uint64_t addr;
	const char *file;
	int line;
};
typedef VEC(struct line) line_vec;
void module_lines(struct module *m, const struct line_pattern *pat, line_vec *out);
/* The lines with code next to the first that PAT names, 0: there is none. */
void module_near_lines(struct module *m, const struct line_pattern *pat, int *below, int *above);
/* Does a line begin at ADDR?  Else NEAR is an address before it where one does. */
bool module_line_begins(struct module *m, uint64_t addr, uint64_t *near);

#endif
