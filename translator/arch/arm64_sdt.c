/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64: operands of SDT markers, as compilers write them.
 *
 *   OPERAND   reg   number   [reg]   [reg, number]   [reg, reg]   [reg, reg, EXTEND number]
 *   reg       x0 to x30, sp, xzr, w0 to w30, wzr; of values also v0 to v31 and their parts b h s d
 * q EXTEND    lsl, sxtw, uxtw, sxtx; of the index, by which it is shifted number    may have #
 * before it; [reg, :lo12:SYMBOL] is at the symbol
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arm64.h"
#include "base/util.h"

enum { SP = 31, ZERO = -2 };

static const char NOT_UNDERSTOOD[] = "cannot be parsed";
static const char UNKNOWN_REGISTER[] = "is in an unknown register";
static const char UNKNOWN_BASE[] = "has an unknown base register";
static const char UNKNOWN_INDEX[] = "has an unknown index register";

struct reg {
	int number;
	unsigned size;
};

static void skip_spaces(const char **p) { *p += strspn(*p, " \t"); }

static bool take(const char **p, char c)
{
	skip_spaces(p);
	if (**p != c)
		return false;
	++*p;
	skip_spaces(p);
	return true;
}

/* The number of a register of the kind C, as "x12"; -1 for other text. */
static int numbered(const char *name, size_t n, char c, int most)
{
	char *end;
	long number;

	if (n < 2 || n > 3 || *name != c || !isdigit((unsigned char)name[1]))
		return -1;
	number = strtol(name + 1, &end, 10);
	return end == name + n && number <= most ? (int)number : -1;
}

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(p, word, n);
}

static bool take_register(const char **p, struct reg *r)
{
	size_t n = strspn(*p, "abcdefghijklmnopqrstuvwxyz0123456789");
	const char *name = *p;
	bool half = *name == 'w';

	*r = (struct reg){.number = numbered(name, n, half ? 'w' : 'x', 30), .size = half ? 4 : 8};
	if (is_word(name, n, "sp") || is_word(name, n, "wsp"))
		r->number = SP;
	else if (is_word(name, n, "xzr") || is_word(name, n, "wzr"))
		r->number = ZERO;
	*p += n;
	return r->number != -1;
}

/* "v3", or a part of it: its low bytes. */
static int vector_register(const char **p)
{
	size_t n = strspn(*p, "abcdefghijklmnopqrstuvwxyz0123456789");

	for (const char *c = "vqdshb"; *c; c++) {
		int number = numbered(*p, n, *c, 31);

		if (number >= 0) {
			*p += n;
			return number;
		}
	}
	return -1;
}

static bool take_number(const char **p, int64_t *out)
{
	bool minus;
	char *end;
	uint64_t n;

	*p += **p == '#';
	minus = **p == '-';
	*p += minus || **p == '+';
	if (!isdigit((unsigned char)**p))
		return false;
	n = strtoull(*p, &end, 0);
	*out = (int64_t)(minus ? -n : n);
	*p = end;
	return true;
}

/* ":lo12:SYMBOL+8": the base has the page of it, so this is all of the address. */
static const char *take_symbol(const char **p, struct sdt_operand *o)
{
	int64_t more;

	*p += **p == '#';
	if (strncmp(*p, ":lo12:", 6))
		return "uses an addressing form that is not supported";
	*p += 6;
	o->symbol = *p;
	o->symbol_len = strcspn(*p, "+-], ");
	o->has_base = false;
	*p += o->symbol_len;
	if (**p == '+' || **p == '-') {
		if (!take_number(p, &more))
			return NOT_UNDERSTOOD;
		o->number = more;
	}
	return o->symbol_len ? NULL : NOT_UNDERSTOOD;
}

/* ", EXTEND number" behind the index; the number may be absent. */
static const char *take_extend(const char **p, struct sdt_operand *o)
{
	static const struct {
		const char *name;
		unsigned size;
		bool is_signed;
	} extends[] = {{"lsl", 8, false}, {"uxtw", 4, false}, {"sxtw", 4, true}, {"sxtx", 8, true}};
	size_t n = strspn(*p, "abcdefghijklmnopqrstuvwxyz");
	int64_t shift = 0;

	for (size_t i = 0; i < ARRAY_LEN(extends); i++) {
		if (!is_word(*p, n, extends[i].name))
			continue;
		*p += n;
		skip_spaces(p);
		o->index_size = extends[i].size;
		o->index_signed = extends[i].is_signed;
		if (**p != ']' && (!take_number(p, &shift) || shift < 0 || shift > 63))
			return NOT_UNDERSTOOD;
		o->scale = (int64_t)(1ull << shift);
		return NULL;
	}
	return NOT_UNDERSTOOD;
}

static const char *take_index(const char **p, struct sdt_operand *o)
{
	struct reg r;

	if (!take_register(p, &r) || r.number == SP)
		return UNKNOWN_INDEX;
	o->has_index = r.number != ZERO;
	o->index = r.number;
	o->index_size = r.size;
	o->scale = 1;
	return take(p, ',') ? take_extend(p, o) : NULL;
}

static const char *take_memory(const char **p, struct sdt_operand *o)
{
	const char *why = NULL;
	struct reg r;

	o->kind = SDT_MEMORY;
	if (!take_register(p, &r) || r.size != 8 || r.number == ZERO)
		return UNKNOWN_BASE;
	o->has_base = true;
	o->base = r.number;
	if (take(p, ',') && !take_number(p, &o->number))
		why = **p == 'x' || **p == 'w' ? take_index(p, o) : take_symbol(p, o);
	return why ? why : take(p, ']') ? NULL : NOT_UNDERSTOOD;
}

static const char *take_value(const char **p, struct sdt_operand *o)
{
	const char *start = *p;
	struct reg r;

	if (take_number(p, &o->number)) {
		o->kind = SDT_CONSTANT;
		return NULL;
	}
	*p = start;
	if (take_register(p, &r)) {
		o->kind = r.number == ZERO ? SDT_CONSTANT : SDT_REGISTER;
		o->reg = r.number;
		o->size = r.size;
		return NULL;
	}
	*p = start;
	o->kind = SDT_VECTOR;
	o->reg = vector_register(p);
	return o->reg < 0 ? UNKNOWN_REGISTER : NULL;
}

const char *arm64_sdt_operand(const char *text, struct sdt_operand *out)
{
	const char *p = text, *why;

	*out = (struct sdt_operand){0};
	why = take(&p, '[') ? take_memory(&p, out) : take_value(&p, out);
	return why ? why : *p ? NOT_UNDERSTOOD : NULL;
}
