// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls in a file's code, by number: C libraries make them at many addresses, and programs
 * without a C library make their own.
 */
#include "inject/arch/insn.h"
#include "inject/arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOV_BYTES = 5, BEFORE = 160 };

/* The immediate of mov $imm32 into any register; -1 if it is another instruction. */
static int64_t immediate(const uint8_t *p)
{
	int32_t v;

	if ((*p & 0xf8) != 0xb8)
		return -1;
	memcpy(&v, p + 1, 4);
	return v;
}

static bool is_wanted(int64_t v, const unsigned *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v == numbers[i])
			return true;
	return false;
}

/* True if one of NUMBERS is loaded into any register. */
static bool loads(const uint8_t *text, size_t size, const unsigned *numbers, size_t n)
{
	for (size_t i = 0; i + MOV_BYTES <= size; i++)
		if (is_wanted(immediate(text + i), numbers, n))
			return true;
	return false;
}

/* True if the call may have one of NUMBERS. The last constant loaded into eax, in address order, is
 * the number; without one nearby, the number may come from another register. */
bool call_may_be(const uint8_t *text, uint64_t start, uint64_t end, uint64_t addr,
		 const unsigned *numbers, size_t n)
{
	const struct scan *s = scan_function(text, start, end);
	size_t at = addr - start;

	if (!s || !scan_starts_at(s, addr))
		return false;
	for (size_t i = at; i-- > (at > BEFORE ? at - BEFORE : 0);)
		if (text[i] == 0xb8 && i + MOV_BYTES <= at && scan_starts_at(s, start + i))
			return is_wanted(immediate(text + i), numbers, n);
	return loads(text, end - start, numbers, n);
}

bool call_follows(const uint8_t *text, size_t size)
{
	enum { NEAR = 256 };
	static const uint8_t code[] = {0x0f, 0x05};
	size_t at = 0;
	struct insn i;

	while (at < NEAR && at + sizeof code <= size) {
		if (!memcmp(text + at, code, sizeof code))
			return true;
		if (!insn_decode(&i, text + at, size - at < INSN_BYTES ? size - at : INSN_BYTES, 0))
			return false;
		at += i.len;
	}
	return false;
}
