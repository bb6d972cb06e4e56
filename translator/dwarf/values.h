/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface between the files of dwarf/ for values: their types, their locations, and the variables
 * that have them.
 *
 *   location <- location_expr <- args <- var_location <- scope <- var_path
 *   ctype <- type_layout <- var_path
 */
#ifndef USTAP_DWARF_VALUES_H
#define USTAP_DWARF_VALUES_H

#include "dwarf.h"
#include "arch/arch.h"

/* ------------------------------------------------------------------ ctype.c */

/* TYPE without typedefs and qualifiers, its definition where TYPE is a
 * declaration; false for void. */
bool type_peel(struct module *m, Dwarf_Die *type, Dwarf_Die *out);
const char *type_text(Dwarf_Die *type);             /* as in C; NULL means void */
const char *array_text(Dwarf_Die *array, int skip); /* of an array after SKIP of its indexes */
/* True for struct, union and class. TYPE is peeled: without typedefs and qualifiers. */
bool type_is_struct(Dwarf_Die *type);
/* True for pointers and C++ references. TYPE is peeled. */
bool type_is_pointer(Dwarf_Die *type);
/* True for signed integers and characters, and for enumerations of such a type. TYPE is peeled; of
 * an enumeration without a type in DWARF false. */
bool type_is_signed(Dwarf_Die *type);
/* Some kind of floating-point number: its DW_ATE_; 0 for others. */
unsigned type_float_encoding(Dwarf_Die *type);
/* Is it a string of Fortran? TYPE is peeled. */
bool type_is_text(Dwarf_Die *type);
/* Is it the long double of x87? Its name distinguishes it from the 128-bit type. */
bool type_is_extended(Dwarf_Die *type);
/* Size in bytes; false if it is not known. */
bool type_size(struct module *m, Dwarf_Die *type, uint64_t *size);

struct member {
	Dwarf_Die type;
	uint64_t bit_off; /* from the start of the aggregate */
	unsigned bits;    /* 0: not a bit-field */
	/* MEMBER_NO_OFFSET: DIE is a static member, or a virtual base of what lies at bit_off,
	 * which has the member */
	enum { MEMBER_PLAIN, MEMBER_STATIC, MEMBER_VIRTUAL } odd;
	Dwarf_Die die;
};
/* Position and width of MEMBER or base class in its struct; false if that is not fixed. */
bool member_place(struct module *m, Dwarf_Die *member, struct member *out);
enum member_found { MEMBER_NONE, MEMBER_FOUND, MEMBER_NO_OFFSET };
/* Find NAME in the struct TYPE, through anonymous members and base classes. */
enum member_found type_member(struct module *m, Dwarf_Die *type, const char *name,
			      struct member *out);
/* Call FN for each member of the struct TYPE that has a fixed place, those of anonymous ones and of
 * base classes included. */
void type_members(struct module *m, Dwarf_Die *type,
		  void (*fn)(const struct member *, const char *name, void *), void *arg);
/* Append the names of TYPE's members for "did you mean", also those of anonymous members and base
 * classes, up to a limit. */
void type_member_names(struct module *m, Dwarf_Die *type, name_vec *out);

/* ----------------------------------------------------------- array_bounds.c */

enum { ARRAY_DIMS = 16 };
/* Dimensions of an array type: counts[i] is -1 where it is not constant. Returns their number, at
 * most MAX. */
int array_dims(Dwarf_Die *array, int64_t *counts, int max);
/* The entries of its dimensions, subranges or enumerations, in the order of the indexes. Returns
 * their number, at most MAX. */
int array_ranges(Dwarf_Die *array, Dwarf_Die *ranges, int max);
/* Number of elements along the dimension RANGE; -1 if it is not constant. */
int64_t range_count(Dwarf_Die *range);
/* The attribute CODE of the dimension RANGE, or of the subtype that it is of. */
bool range_attribute(Dwarf_Die *range, unsigned code, Dwarf_Attribute *a);
/* The value of a bound if it is a constant; an unsigned form is not negative. */
bool bound_constant(Dwarf_Attribute *a, int64_t *value);
/* The first index along RANGE where the debug information does not give it: the language's. */
int64_t default_lower_bound(Dwarf_Die *range);
/* Do its elements follow each other without gaps? No: its type gives distances. */
bool array_is_dense(Dwarf_Die *array);
/* Is it dense, and the object the elements themselves, not a descriptor of them? */
bool array_is_plain(Dwarf_Die *array);
/* Is the first index the one that changes fastest in memory, as in Fortran? */
bool array_is_column_major(Dwarf_Die *array);

/* ----------------------------------------------------------------- type_layout.c */

/* The layout of a pointer to TO for pretty-printing; TO may be NULL. */
const struct shape *pointer_shape(struct module *m, Dwarf_Die *to);
/* The layout of a value of TYPE for pretty-printing: one level, or all of them if DEEP. */
const struct shape *type_shape(struct module *m, Dwarf_Die *type, bool deep);
/* The layout of an array of ELEM, given as what array_row() pushes. */
const struct shape *row_shape(struct module *m, Dwarf_Die *elem, bool deep);
/* The layout of a text, given as what string_row() pushes. */
const struct shape *text_shape(void);
/* Progress of taking a type apart: the deepest level, the number of parts that may follow, and the
 * number of values that enclose the current one. */
struct plan {
	struct module *m;
	int most;
	unsigned left;
	int nested;
	bool dynamic;
	/* of what comes next: it is a member, at this offset of its structure in bytes */
	bool is_member;
	int64_t member_at;
};
#define PLAN_NESTED 4
/* Append to TO, a struct, the members of FROM: its type TYPE, or a variant of it. */
void shape_add_members(struct plan *plan, struct shape *to, Dwarf_Die *type, Dwarf_Die *from,
		       int level);
/* The layout of T at LEVEL, counted from 0; parts deeper than plan->most are cut. In the arena,
 * never NULL. */
const struct shape *ctype_shape(struct plan *plan, const struct ctype *t, int level);

/* ---------------------------------------------------------------- locations */

typedef VEC(struct aop) aop_vec;

enum piece_kind {
	P_MEMORY,  /* ops push its address */
	P_VALUE,   /* ops push its value, as a register holds it */
	P_BYTES,   /* bytes[nbytes] is its value */
	P_POINTER, /* a pointer without a value, to byte `off` of variable `to` */
	P_NONE     /* optimised out */
};
struct piece {
	enum piece_kind kind;
	uint64_t bits; /* 0: all that is left */
	aop_vec ops;
	const unsigned char *bytes;
	size_t nbytes;
	Dwarf_Die to;
	int64_t off;
};
/* Location of an object in DWARF's terms: one piece, or several in order. */
struct place {
	VEC(struct piece) pieces;
};

/* Changes that the compiler may have made to a copy of a function. */
enum { CHANGED_ARGUMENTS = 1, CHANGED_RESULT = 2 };
/* Context of a location: the module, function, frame and address that it is relative to, and the
 * reason why the last one could not be computed. */
struct context {
	struct module *mod;
	Dwarf_Die *func;  /* the function; may be NULL */
	Dwarf_Die *frame; /* whose frame it is: func, or what func was inlined into */
	uint64_t pc;      /* of the probe */
	bool at_entry;    /* nothing of the function has run but endbr64 */
	unsigned changed; /* CHANGED_: callers do not follow the ABI */
	/* of a caller's frame, as it is called from there: the frame below */
	struct context *callee;
	unsigned depth; /* number of callees below */
	/* parameters and results are where Go's ABIInternal puts them */
	bool go_abi;
	/* only ask for the existence of a location: callers need not all be known */
	bool only_asked;
	bool in_cfi; /* inside a CFA rule, which cannot name the CFA */
	/* pushes the address of the object whose type's expressions are compiled; may be NULL */
	const aop_vec *object;
	enum errtag tag;
	const char *why;
};

/* --------------------------------------------------------------- location.c */

/* Set c->tag and c->why to formatted text, which follows the variable's name in a message. Returns
 * false. */
bool context_fail(struct context *c, enum errtag tag, const char *fmt, ...) PRINTF(3, 4);
/* Append the operation KIND with operand A. */
void push_op(aop_vec *v, enum aop_kind kind, int64_t a);
void push_add(aop_vec *v, int64_t n); /* add a constant, folded where it can be */
/* Add a piece of BITS bits, or all that is left if it is 0, which OP reads from register REG. */
void push_piece(struct place *out, enum piece_kind kind, enum aop_kind op, int64_t reg,
		uint64_t bits);
/* Part of a value that is in vector register REG; BITS as of abi_part_bits(). */
void push_vector_part(unsigned bits, int64_t reg, struct place *out);
/* The memory that a function was given for its result, when it returns. */
bool push_result_address(struct context *c, struct place *out);

/* ---------------------------------------------------------- location_expr.c */

/* The location that the expression OPS of ATTR describes. */
bool place_from_ops(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nops,
		    struct place *out);
bool push_cfa(struct context *c, aop_vec *out); /* the canonical frame address at c->pc */

/* Append the operations of the DWARF expression OPS of ATTR, which pushes one value. False: an
 * operation is not supported, or has no value here; c->why. */
bool push_expr(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nops,
	       aop_vec *out);
/* Append a read of DWARF register REG in the frame of C: of the hit, or of a caller by its CFI.
 * False: the register is not saved; c->why. */
bool push_register(struct context *c, aop_vec *out, uint64_t reg);

/* From the address of an object on the stack of OUT to that of its virtual base DIE. */
bool place_of_base(struct context *c, Dwarf_Die *die, aop_vec *out);

/* ----------------------------------------------------------------- caller.c */

/* Register REG in the frame of C, which is a caller's. */
bool push_caller_register(struct context *c, aop_vec *out, uint64_t reg);
/* Push the value that the expression OPS, or parameter PARAM, had when the function of C was
 * entered, by its callers' call sites. */
bool push_from_callers(struct context *c, const Dwarf_Op *ops, size_t nops, const Dwarf_Die *param,
		       aop_vec *out);

/* ----------------------------------------------------------- var_location.c */

/* The location of variable DIE at c->pc; false, with E_OPTIMIZED_OUT, where it has no location
 * there. */
bool place_of_variable(struct context *c, Dwarf_Die *die, struct place *out);

/* -------------------------------------------------------------------- tls.c */

/* The offset of the thread-local block of the program M from the thread pointer; false: M is a
 * shared library. */
bool module_tls_offset(struct module *m, int64_t *off);
/* From an offset in the module's thread-local block, which OUT has pushed, to its address. */
bool push_thread_local(struct context *c, aop_vec *out);

/* ----------------------------------------------------------------- pieces.c */

/* The piece that holds all of the NBITS from BIT on; *OFF is where in it they begin. NULL: not
 * found. */
const struct piece *piece_at(const struct place *place, int64_t bit, int64_t nbits, int64_t *off);
/* Push the value of those bits, up to 64.  FIELD: nothing around them that is not aligned may be
 * read. */
bool place_read(const struct place *place, int64_t bit, unsigned nbits, bool field, bool sign,
		aop_vec *out);

/* -------------------------------------------------------------------- abi.c */

/* Passing of a parameter of TYPE by the psABI: classes of its eightbytes, size and alignment in
 * bytes. CXX: classes that are not trivially copyable go by reference. Unknown types: ABI_UNKNOWN.
 */
struct abi abi_of_type(struct module *m, Dwarf_Die *type, bool cxx);
/* Bits of each part of it; 0: the one part is all of it. */
unsigned abi_part_bits(const struct abi *abi);
bool module_is_go(struct module *m); /* does it hold Go's table of functions? */
/* The place of the value that c->func returns, just after it did. */
bool place_of_return(struct context *c, struct place *out);

/* Pieces that no member of the struct TYPE, at BIT, needs become 0; false if one needs them. */
bool place_fill(struct module *m, struct place *place, Dwarf_Die *type, int64_t bit);

/* ------------------------------------------------------------------- args.c */

/* Is the frame base the CFA, or a list of places, which hold from the first instruction on?  A
 * register is only one after the prologue has set it. */
bool frame_is_cfa(Dwarf_Die *func);
/* Is DIE a parameter of a Go function none of whose parameters has a location list? Its memory may
 * not be written yet. */
bool argument_is_unsure(struct context *c, Dwarf_Die *die);
/* Is the location A of parameter DIE one that holds only after the prologue? */
bool argument_is_unstored(struct context *c, Dwarf_Die *die, Dwarf_Attribute *a);
/* Where the caller puts parameter DIE of c->func, by the calling convention. */
bool place_of_argument(struct context *c, Dwarf_Die *die, struct place *out);
/* Can all parameters of the function FUNC be found by place_of_argument()? */
bool arguments_known(struct module *m, Dwarf_Die *func);

/* --------------------------------------------------------------- rust_abi.c */

/* The same of a Rust function whose result is a struct, tuple or enum of TYPE. */
bool place_of_rust_return(struct context *c, Dwarf_Die *type, struct place *out);

/* ----------------------------------------------------------------- golang.c */

/* Is the parameter DIE a result of a Go function? */
bool go_is_result(Dwarf_Die *die);
/* The result NAME of FUNC; NULL: its first. */
bool go_result(Dwarf_Die *func, const char *name, Dwarf_Die *out);
/* Are all parameters of FUNC, which begins at ENTRY, known to be where ABIInternal puts them? */
bool go_abi_known(struct module *m, Dwarf_Die *func, uint64_t entry);
/* Where the caller puts the parameter DIE of c->func, or, at a return instruction,
 * where the result DIE is. */
bool place_of_go_value(struct context *c, Dwarf_Die *die, struct place *out);
/* The only result of c->func, at a return instruction; DIE describes it. */
bool place_of_go_return(struct context *c, struct place *out, Dwarf_Die *die);
/* The address behind the check of the stack at ENTRY. */
uint64_t go_body(struct module *m, uint64_t entry);
/* Set the missing line and file of F, whose entry is FUNC. */
void go_declaration(struct module *m, Dwarf_Die *func, struct function *f);

/* ------------------------------------------------------------------ scope.c */

enum lookup { LOOKUP_NONE, LOOKUP_PLACED, LOOKUP_LOST };

/* The context of locations in F at the module address PC; refers to F. */
struct context context_at(const struct function *f, uint64_t pc);
/* A parameter or variable of FUNC, of the innermost block that holds PC. */
bool find_local(Dwarf_Die *func, uint64_t pc, const char *name, Dwarf_Die *out);
/* Find NAME as code at c->pc would see it.  LOOKUP_LOST: it is there, but c->why. */
enum lookup find_variable(struct context *c, const char *name, Dwarf_Die *die, struct place *out);
/* The parameters and locals of F in scope at PC; only those that can be read, or all. */
name_vec variables_at(const struct function *f, uint64_t pc, bool readable);
/* NAME at the top of the unit SCOPE, its definition if there is one; 0 is DEPTH. */
bool find_in_unit(Dwarf_Die *scope, const char *name, Dwarf_Die *out);
/* Entries that one look-up in a unit may pass: imported units nest, and a file can import itself
 * many times. */
#define DIE_LIMIT 20000000u

/* cxx_namespaces.c: NAME in the namespaces of UNIT, as code of FUNC (or NULL) means it; false: not
 * found, or ambiguous. */
bool find_in_namespaces(Dwarf_Die *unit, Dwarf_Die *func, const char *name, Dwarf_Die *out);
/* The place of DIE, a global variable called NAME; false: C says why. */
bool place_of_global(struct context *c, const char *name, Dwarf_Die *die, struct place *out);

/* ----------------------------------------------------------------- c_header.c */

/* The path of a library with the types of headers like "<time.h><a.h>"; NULL: ERR says why. */
const char *header_module(const char *headers, struct var_error *err);
/* The same with CODE after them; WHAT begins the message where they do not compile. */
const char *compile_module(const char *headers, const char *code, const char *what,
			   struct var_error *err);

/* HEADERS, "<a.h><b.h>", as lines of #include; NULL if it is something else. */
const char *header_include_lines(const char *headers);
/* The first error message in LOG, the compiler's output. */
const char *header_compile_error(const char *log);
/* Write TEXT to a new file that only the user may read. False with errno set on failure. */
bool write_private_file(const char *path, const char *text);

/* kernel/kernel_headers.c: a module with the types of HEADERS of the kernel, "<linux/fs.h>", which
 * its build system compiles; NULL: ERR says why. */
struct module *kernel_header_module(const char *headers, struct loc loc, struct var_error *err);

/* --------------------------------------------------------------- constant.c */

/* DW_AT_const_value where it is a number; a value that is unsigned in the file is not negative. */
bool die_constant(Dwarf_Die *die, int64_t *value);
/* The value of the enumerator NAME of any type of M. */
bool module_enumerator(struct module *m, const char *name, int64_t *value);
/* The value of the C expression TEXT, by the usual headers; false: ERR says why. */
bool header_constant(const char *text, struct loc loc, int64_t *value, struct var_error *err);

/* ------------------------------------------------------------- var_object.c */

/* A type: STARS pointers to what is left of DIE, an array perhaps, after DIM indexes. */
struct ctype {
	struct module *mod;
	Dwarf_Die die;
	int dim, stars;
};

/* State of a path: an object of TYPE, `bits` bits wide if a bit-field, BIT_OFF bits into PLACE. */
struct walk {
	struct context c;
	const struct function *f; /* NULL: not in a probe on a function */
	const struct node *node;
	struct var_error *err;
	struct place place;
	int64_t bit_off; /* negative after $a[-1] */
	unsigned bits;
	Dwarf_Die type;   /* peeled, unless is_void */
	const char *text; /* of the type before peeling */
	bool is_void;
	int dim;    /* dimensions of the array already indexed */
	int stars;  /* pointers to the type that the debug information need not have */
	int nindex; /* run-time indexes so far */
	bool early; /* a bound of an array is not computed yet where the probe is */
	/* pushes the address of the structure that the object is a member of; may be NULL */
	const aop_vec *holder;
};
/* Set *w->err; texts are not copied, HINT may be NULL. Returns false. */
bool walk_fail(struct walk *w, enum errtag tag, struct loc loc, const char *hint, const char *msg);
/* The object is of type TYPE (NULL: void), or of type T. */
void walk_set_type(struct walk *w, Dwarf_Die *type);
/* The object is of type T, which may be of another module. */
void walk_set_ctype(struct walk *w, const struct ctype *t);
/* The object is in memory, where the operations ADDRESS lead to. */
void walk_set_memory(struct walk *w, const aop_vec *address);
/* Is the object in memory as a whole? */
bool walk_in_memory(const struct walk *w);
/* Set OUT to the operations that push the object's address; LOC is where a message points. False
 * after walk_fail(): it has no address. */
bool walk_address(struct walk *w, struct loc loc, aop_vec *out);
/* The size of the object in bytes; false: it is not known. */
bool walk_size(struct walk *w, uint64_t *size);
/* The object's type as text. */
const char *walk_type_text(const struct walk *w);
/* Is the object a pointer? */
bool walk_is_pointer(const struct walk *w);
/* Is it an array? After all its indexes it no longer is one. */
bool walk_is_array(const struct walk *w);
/* Is it a string of Fortran? */
bool walk_is_text(const struct walk *w);
/* The same for its value, a scalar of SIZE bytes. */
bool walk_value(struct walk *w, struct loc loc, unsigned size, bool sign, aop_vec *out);
/* Set *w->err, at LOC: the object was optimised out. Returns false. */
bool walk_gone(struct walk *w, struct loc loc);
/* Note that the error is about the variable itself, which may be elsewhere; KNOWN: its name is in
 * scope. Returns false. */
bool walk_lost(struct walk *w, bool known);

/* -------------------------------------------------------------------- var_path.c */

/* The rest of the path, from component FIRST on, to its end. */
bool walk_path(struct walk *w, size_t first, struct access *out);
/* "did you mean X? WHAT: a, b, c", as far as there is something to say. */
const char *names_hint(const char *name, const name_vec *names, const char *what);

/* ------------------------------------------------------------ array_index.c */

/* Step from the first of a row of objects of SIZE bytes to the one of the index COMP: a constant,
 * or a value of run time. False after walk_fail(). */
bool walk_index(struct walk *w, const struct target_comp *comp, uint64_t size);
/* The same from the object that a pointer of type POINTER leads to. */
bool pointed_element(struct walk *w, const struct target_comp *comp, const char *pointer);
/* From an array to what the index COMP leads to. False after walk_fail(). */
bool array_element(struct walk *w, const struct target_comp *comp);
/* From the object of an array type to its elements, if it is a descriptor of them. False after
 * walk_fail(), which points to LOC. */
bool array_enter(struct walk *w, struct loc loc);
/* From an array of Ada whose type does not bound it, a struct of two pointers, to its elements.
 * False: the object is something else. */
bool array_unconstrained(struct walk *w);
/* The operations that push the number of elements along the next dimension of an array; false: it
 * is not known. */
bool array_length(struct walk *w, aop_vec *out);
/* The operations that push the address of the first element of an array, the number of all
 * elements, and their distance in bytes. False: not all of that is known, perhaps after
 * walk_fail(). */
bool array_row(struct walk *w, aop_vec *out);
/* Is a bound of ARRAY a member of the structure that it is a member of? */
bool array_has_member_bounds(Dwarf_Die *array);
/* The parts of a summary of ARRAY, an array type of M: the number of all elements, and the address
 * of each. Its objects are descriptors, or its bounds are other members of the structure that it is
 * a member of, at the offset *MEMBER_AT (NULL: of none). False: it is another type, or more is
 * needed. */
bool array_elements(struct module *m, Dwarf_Die *array, const int64_t *member_at, aop_vec *count,
		    aop_vec *address);
/* The operations that push the length of a string of Fortran in bytes; false: it is not known. */
bool string_length(struct walk *w, aop_vec *out);
/* The operations that push its address and that length; false: one of them is not known. */
bool string_row(struct walk *w, aop_vec *out);

/* ------------------------------------------------------------- type_name.c */

/* The type of M that TEXT names as for @cast: "struct x", "char *". */
bool type_by_name(struct module *m, const char *text, struct ctype *out);

/* --------------------------------------------------------------- variant.c */

/* Does the struct TYPE have variants? */
bool has_variants(Dwarf_Die *type);
/* The shape of a struct TYPE that has variants; NULL: it does not have any, or what
 * selects them is not known. */
const struct shape *variant_shape(struct plan *plan, Dwarf_Die *type, int level);

/* --------------------------------------------------------------- dynamic_type.c */

/* Put into S, a dynamic value, which types of plan->m its number stands for; {...} in another such
 * value. */
void dynamic_shape(struct plan *plan, struct shape *s, int level);

/* --------------------------------------------------------------- type_summary.c */

/* Can the runtime compute a part of a summary by OPS? */
bool part_runs(const aop_vec *ops);
/* The shape of a value of TYPE by its summary; NULL: not found. */
const struct shape *summary_shape(struct plan *plan, Dwarf_Die *type, int level);
/* The operations that push the number of elements of the object that W has come to; false:
 * no summary says it. */
bool summary_length(const struct walk *w, aop_vec *out);
/* The same of the address of its first element, whose type and size are put into ELEM and SIZE. */
bool summary_row(const struct walk *w, aop_vec *first, struct ctype *elem, uint64_t *size);

#endif
