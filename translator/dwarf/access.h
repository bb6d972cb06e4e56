/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses: operations of a stack machine that read a value of the traced program, and the layout
 * of that value.
 */
#ifndef USTAP_DWARF_ACCESS_H
#define USTAP_DWARF_ACCESS_H

#include "base/util.h"

struct ctype;
struct module;

/* One step of reading a target variable: a stack machine over 64-bit values. */
enum aop_kind {
	A_REG,    /* push DWARF register a */
	A_CONST,  /* push a */
	A_ADDR,   /* push run-time address of module address a */
	A_VECTOR, /* push half a & 1 of vector register a / 2 */
	A_TLS,    /* push the thread pointer of the probed thread */
	/* pop where the number of a library is, push where its thread-local block is in the
	 * probed thread */
	A_TLS_MODULE,
	/* pop where a TLS descriptor is, push the address in the probed thread that it stands
	 * for */
	A_TLS_DESC,
	A_CALLERS,     /* pop where the return address is; cases for what it is follow */
	A_CALLER,      /* case: the module address a; none or more of these begin one */
	A_CHECK,       /* pop; fail if it is not the run-time address of a */
	A_LOST,        /* fail: it is not known what this caller passed */
	A_CALLERS_END, /* push the value of the case; fail if no case matched */
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
	A_DEREF, /* pop address, push `size` bytes of user memory, sign-extended if `sign` */
	A_EXT,   /* keep the low `size` bytes, sign- or zero-extended */
	A_BITS,  /* keep bits [a, a + bits), sign- or zero-extended */
	A_WIDEN, /* bits of a float to those of the double of the same value */
	/* pop sign and exponent, pop the fraction of a number of 80 bits, push the bits of the
	 * nearest double */
	A_EXTENDED
};
struct aop {
	enum aop_kind kind;
	int64_t a;
	uint8_t size, bits;
	bool sign;
};

/* Presentation of a value by $var$: a number, a string, the parts of a struct ... */
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
	/* of an enum; of a variant the values of its index */
	names;
	const struct shape *key; /* of a map */
	const char *labels[2];   /* of an optional value: if it is there, if not */
	struct shape_ops parts[PARTS];
};
/* Append S as dumps show it: "{a@0:s32,b@32/3:u8}" (members at bit offsets, with widths of
 * bit-fields), "[4:s32]", "[4]" where parts are cut. */
void shape_dump(struct strbuf *out, const struct shape *s);

struct access {
	struct aop *ops;
	size_t nops;
	const char *ctype; /* C type as text, for messages and listings */
	bool is_address;   /* value is the address of an aggregate, not a scalar */
	bool in_kernel;    /* its memory is the kernel's */
	bool is_pointer, is_signed;
	uint8_t size;
	/* the type that the value is the address of; NULL: void, or not an address */
	const struct ctype *points_to;
	struct module *base; /* A_ADDR counts from where this is loaded; NULL: the probed one */
	/* the ops leave so many words of an aggregate that is not in memory; 0: one value */
	unsigned nwords;
	/* for $var$: the layout of the value, or of the object at the address */
	const struct shape *shape;
};
/* Can A_DEREF read SIZE bytes?  Handlers read one word; a file may say anything. */
bool is_load_size(uint64_t size);
bool access_register(int reg, struct access *out); /* all of a register; true */
/* Can what A reads be set?  Only registers and
 * memory can, and only registers that every hit has. */
bool access_writable(const struct access *a);
/* True if A and B read the same value and show it in the same way, so that one function of emitted
 * C can serve both. */
bool access_equal(const struct access *a, const struct access *b);
/* Append A as dumps show it: "(int) reg 5, ext s32"; "&(struct x) ..." if the value is an address.
 */
void access_dump(struct strbuf *out, const struct access *a);
/* Append a text to KEY that differs for accesses that read or point to something else. */
void access_key(struct strbuf *key, const struct access *a);

struct ctype; /* a C type of some module; owned by dwarf/ */
/* T as C text for messages, in the arena. */
const char *ctype_text(const struct ctype *t);
const char *ctype_key(const struct ctype *t); /* the same text means the same type */
bool ctype_equal(const struct ctype *a, const struct ctype *b); /* also across units and modules */

typedef VEC(struct access) access_vec;

#endif
