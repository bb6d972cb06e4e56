/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64: which registers hold a value between functions, by the Procedure Call Standard for the Arm
 * 64-bit Architecture (AAPCS64), sections 5.9.5 (homogeneous aggregates) and 6.8 (parameters).
 *
 * Up to four floating-point numbers of one size are in as many vector registers, other values of up
 * to 16 bytes in one or two general registers; of larger ones the caller makes a copy and passes
 * its address.  x8 has the address of a result in memory, and is not given back.
 */
#include "arm64.h"
#include "base/util.h"

static bool is_float(const struct abi_scalar *s)
{
	return (s->kind == SCALAR_FLOAT || s->kind == SCALAR_LONG_DOUBLE) &&
	       (s->size == 4 || s->size == 8 || s->size == 16);
}

/* Half-precision numbers and vectors are not classified. */
static void add_scalar(struct abi *abi, const struct abi_scalar *s)
{
	bool known = is_float(s) || s->kind == SCALAR_INTEGER;

	if (!known || (s->kind == SCALAR_FLOAT && s->at % s->size))
		abi->part[0] = ABI_UNKNOWN;
	if (!is_float(s) || (abi->floats.size && abi->floats.size != s->size))
		abi->floats.mixed = true;
	if (s->size)
		abi->floats.size = (unsigned)s->size;
	/* members of a union have the same offset */
	if (s->at + s->size > abi->floats.bytes)
		abi->floats.bytes = s->at + s->size;
}

static void set_parts(struct abi *abi, enum abi_class class, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++)
		abi->part[i] = class;
	abi->part_bits = bits;
}

static void classify(struct abi *abi)
{
	unsigned size = abi->floats.size;
	bool homogeneous = size && !abi->floats.mixed && abi->size == abi->floats.bytes &&
			   abi->size <= ABI_PARTS * size;

	if (abi->part[0] == ABI_UNKNOWN)
		return;
	if (homogeneous) {
		set_parts(abi, ABI_VECTOR, (unsigned)(abi->size / size), 8 * size);
	} else if (abi->size > 16) {
		/* the copy's address, as an argument; as a result, memory */
		set_parts(abi, ABI_INTEGER, 1, 64);
		abi->reference = true;
		abi->size = abi->align = 8;
	} else {
		set_parts(abi, ABI_INTEGER, (unsigned)(abi->size + 7) / 8, 64);
	}
}

static const int arg_regs[] = {0, 1, 2, 3, 4, 5, 6, 7};

const struct convention arm64_convention = {
	.arg_regs = arg_regs,
	.narg_regs = ARRAY_LEN(arg_regs),
	.nvector_args = 8,
	.overflow_ends_registers = true,
	.even_pairs = true,
	.result_regs = {0, 1},
	.add_scalar = add_scalar,
	.classify = classify,
	.saved_regs = 0x7ffull << 19, /* x19 to x29 */
};
