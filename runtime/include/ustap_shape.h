/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: pretty-printing. */
#ifndef USTAP_USTAP_SHAPE_H
#define USTAP_USTAP_SHAPE_H

#include "ustap_context.h"
#include "ustap_types.h"

struct ust_ctx;
struct ust_out;

enum ust_shape_kind {
	UST_SHAPE_UNKNOWN,
	UST_SHAPE_NUMBER,
	UST_SHAPE_CHAR,
	UST_SHAPE_POINTER,
	UST_SHAPE_STRING,
	UST_SHAPE_CHARS,
	UST_SHAPE_STRUCT,
	UST_SHAPE_ARRAY,
	UST_SHAPE_FLOAT,
	UST_SHAPE_ENUM,
	UST_SHAPE_WORD, /* in hexadecimal, the result of an expression of a summary */
	/* described by a summary of the type, ust_shape.summary */
	UST_SHAPE_TEXT,
	UST_SHAPE_BARE_TEXT,
	UST_SHAPE_ITEMS,
	UST_SHAPE_LIST,
	UST_SHAPE_TREE,
	UST_SHAPE_BUCKETS,
	UST_SHAPE_BTREE,
	UST_SHAPE_OPTIONAL,
	UST_SHAPE_VARIANT,
	UST_SHAPE_VALUE,
	UST_SHAPE_ADDRESS,
	UST_SHAPE_DYNAMIC
};

struct ust_shape;
struct ust_member {
	const char *name;
	const struct ust_shape *shape;
	ust_u32 bit_off, bits; /* bits: 0 if not a bit-field */
};

struct ust_enumerator {
	const char *name;
	ust_long value;
};

/* The expressions of a summary use a stack of UST_OP_VALUES values. Operands are the address of the
 * object, the current node of a walk, and the numbers of the element and of the bucket. IF pops a
 * value and skips operations if it is 0, ELSE skips always. */
enum { UST_OP_VALUES = 8 };
enum ust_op_kind {
	UST_OP_CONST,
	UST_OP_OPERAND,
	UST_OP_DUP,
	UST_OP_IF,
	UST_OP_ELSE,
	UST_OP_END_IF,
	UST_OP_DEREF,
	UST_OP_EXT,
	UST_OP_BITS,
	UST_OP_NEG,
	UST_OP_NOT,
	UST_OP_ADD,
	UST_OP_SUB,
	UST_OP_MUL,
	UST_OP_DIV,
	UST_OP_MOD,
	UST_OP_AND,
	UST_OP_OR,
	UST_OP_XOR,
	UST_OP_SHL,
	UST_OP_SHR,
	UST_OP_SRA,
	UST_OP_EQ,
	UST_OP_NE,
	UST_OP_LT,
	UST_OP_LE,
	UST_OP_GT,
	UST_OP_GE
};
struct ust_op {
	unsigned char kind, size, bits, sign;
	ust_long a;
};
struct ust_ops {
	const struct ust_op *ops;
	ust_u32 n;
};
/* COUNT is also the index of a variant, RIGHT the next node of a list or bucket and a child in a
 * B-tree, LENGTH the number of elements of a node. */
enum ust_part {
	UST_PART_FIRST,
	UST_PART_COUNT,
	UST_PART_RIGHT,
	UST_PART_LEFT,
	UST_PART_PARENT,
	UST_PART_PRESENT,
	UST_PART_LENGTH,
	UST_PART_HEIGHT,
	UST_PART_KEY,
	UST_PART_VALUE,
	UST_PARTS
};
struct ust_summary {
	struct ust_ops parts[UST_PARTS];
	const struct ust_shape *key; /* of a map */
	const char *labels[2];       /* of an optional value: present, absent */
};

/* Type layout for `$var$'. Strings are char *, CHARS is char [count]. */
struct ust_shape {
	unsigned char kind, size, sign;
	unsigned char cut; /* parts are not printed */
	ust_long count;    /* elements of an array, members of a struct, names of an enum; -1:
			    * unknown */
	const struct ust_shape *elem;
	const struct ust_member *members;
	const struct ust_enumerator *names;
	const struct ust_summary *summary;
};
/* Print to O, a string: VALUE with type layout S or, by bit 0 of HOW, the object at address VALUE;
 * by bit 1 all memory is the kernel's. "ERROR" if memory cannot be read. */
void ust_pretty(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s, ust_u64 value,
		int how);
/* ust_pretty() for a value that is not in the program's memory. */
#define UST_WORDS(call, ...)                           \
	({                                             \
		const ust_u64 words[] = {__VA_ARGS__}; \
		call;                                  \
	})
/* As ust_pretty() for a value in the NWORDS words at WORDS. */
void ust_pretty_here(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s,
		     const ust_u64 *words, ust_u32 nwords);

#endif
