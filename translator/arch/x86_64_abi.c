/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64: which registers hold a value between functions, by the classes of System V psABI for
 * AMD64, section 3.2.3, for each eight bytes of a type. The result is ABI_UNKNOWN where the
 * debug information does not describe the type completely.
 */
#include "x86_64.h"
#include "base/util.h"

static enum abi_class merge(enum abi_class a, enum abi_class b)
{
	static const enum abi_class order[] = {ABI_UNKNOWN, ABI_MEMORY, ABI_INTEGER, ABI_UNSAVED,
					       ABI_VECTOR};

	if (a == b || b == ABI_NONE)
		return a;
	if (a == ABI_NONE)
		return b;
	if (a == ABI_UNSAVED || b == ABI_UNSAVED)
		return a == ABI_UNKNOWN || b == ABI_UNKNOWN ? ABI_UNKNOWN : ABI_MEMORY;
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return ABI_UNKNOWN;
}

static enum abi_class class_of(const struct abi_scalar *s)
{
	if (s->size && !s->bit_field && s->at % s->size)
		return ABI_MEMORY;
	switch (s->kind) {
	case SCALAR_INTEGER:
		return ABI_INTEGER;
	case SCALAR_FLOAT:
		return s->size > 8 ? ABI_UNKNOWN : ABI_VECTOR;
	case SCALAR_LONG_DOUBLE:
		return ABI_UNSAVED; /* in the registers of x87 */
	default:
		return ABI_UNKNOWN;
	}
}

static void add_scalar(struct abi *abi, const struct abi_scalar *s)
{
	uint64_t first = s->at / 8, last = (s->at + s->size - (s->size != 0)) / 8;

	for (uint64_t i = first; i <= last && i < 2; i++)
		abi->part[i] = merge(abi->part[i], class_of(s));
}

static void classify(struct abi *abi)
{
	enum abi_class *half = abi->part;

	if (half[0] == ABI_UNKNOWN || half[1] == ABI_UNKNOWN)
		half[0] = ABI_UNKNOWN;
	else if (abi->size > 16 || half[0] == ABI_MEMORY || half[1] == ABI_MEMORY)
		half[0] = ABI_MEMORY;
	if (half[0] == ABI_UNKNOWN || half[0] == ABI_MEMORY)
		half[1] = ABI_NONE;
	abi->part_bits = 64;
}

static const int arg_regs[] = {5, 4, 1, 2, 8, 9}; /* di si dx cx r8 r9 */

const struct convention x86_64_convention = {
	.arg_regs = arg_regs,
	.narg_regs = ARRAY_LEN(arg_regs),
	.nvector_args = 8,
	.result_address_is_argument = true,
	.result_regs = {0, 1}, /* ax dx */
	.add_scalar = add_scalar,
	.classify = classify,
	.call_pushes = 8,
	.saved_regs = 1u << 3 | 1u << 6 | 0xfu << 12, /* bx bp r12-r15 */
};
