/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64: operands of SDT markers, as the assembler takes them in AT&T syntax.
 *
 *   OPERAND   %reg   $number   DISP(%base,%index,scale)   with parts left out
 *   DISP      sum of numbers and of a symbol; SYMBOL(%rip) is at the symbol
 *   %fs:...   counts from the thread pointer; SYMBOL@tpoff is a variable's offset from it
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "x86_64.h"
#include "base/util.h"

static const char NOT_UNDERSTOOD[] = "cannot be parsed";
static const char UNKNOWN_REGISTER[] = "is in an unknown register";
static const char UNSUPPORTED_FORM[] = "uses an addressing form that is not supported";

struct reg {
	int number;
	unsigned size, shift;
};

/* The names of the first eight DWARF registers (System V ABI for AMD64, figure 3.36), without what
 * their size adds. */
static const char *const legacy[] = {"ax", "dx", "cx", "bx", "si", "di", "bp", "sp"};

/* "ax", "eax", "rax", "al", "ah", "sil" */
static bool legacy_register(const char *name, size_t n, struct reg *r)
{
	for (int i = 0; i < (int)ARRAY_LEN(legacy); i++) {
		const char *l = legacy[i];

		*r = (struct reg){.number = i};
		if (n == 3 && !strncmp(name + 1, l, 2) && (*name == 'r' || *name == 'e'))
			r->size = *name == 'r' ? 8 : 4;
		else if (n == 3 && !strncmp(name, l, 2) && name[2] == 'l' && i >= 4)
			r->size = 1;
		else if (n == 2 && !strncmp(name, l, 2))
			r->size = 2;
		else if (n == 2 && i < 4 && *name == *l && (name[1] == 'l' || name[1] == 'h')) {
			r->size = 1;
			r->shift = name[1] == 'h' ? 8 : 0;
		}
		if (r->size)
			return true;
	}
	return false;
}

/* "r8", "r15d" */
static bool numbered_register(const char *name, size_t n, struct reg *r)
{
	char *end;

	if (n < 2 || n > 4 || *name != 'r' || !isdigit((unsigned char)name[1]))
		return false;
	*r = (struct reg){.number = (int)strtol(name + 1, &end, 10), .size = 8};
	if (r->number < 8 || r->number > 15 || end > name + n || end + 1 < name + n)
		return false;
	if (end < name + n)
		r->size = *end == 'd' ? 4 : *end == 'w' ? 2 : *end == 'b' || *end == 'l' ? 1 : 0;
	return r->size;
}

/* Takes "%reg". */
static bool take_register(const char **p, struct reg *r)
{
	size_t n;

	if (**p != '%')
		return false;
	++*p;
	n = strspn(*p, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (!legacy_register(*p, n, r) && !numbered_register(*p, n, r))
		return false;
	*p += n;
	return true;
}

static const char *take_symbol(const char **p, struct sdt_operand *o)
{
	size_t len = strcspn(*p, "+-(@ ");
	bool in_thread = o->thread && !strncmp(*p + len, "@tpoff", 6);

	if (o->symbol || !len || ((*p)[len] == '@' && !in_thread))
		return UNSUPPORTED_FORM;
	o->symbol = *p;
	o->symbol_len = len;
	o->symbol_in_thread = in_thread;
	*p += len + (in_thread ? 6 : 0);
	return NULL;
}

/* Terms up to the parenthesis. */
static const char *take_disp(const char **p, struct sdt_operand *o)
{
	while (**p && **p != '(') {
		bool minus = **p == '-';
		const char *why;

		*p += **p == '-' || **p == '+';
		if (isdigit((unsigned char)**p)) {
			char *end;
			uint64_t n = strtoull(*p, &end, 0);

			o->number = (int64_t)((uint64_t)o->number + (minus ? -n : n));
			*p = end;
			continue;
		}
		why = minus ? NOT_UNDERSTOOD : take_symbol(p, o);
		if (why)
			return why;
	}
	return NULL;
}

/* "(%base,%index,scale)", each may be left out */
static const char *take_base(const char **p, struct sdt_operand *o)
{
	struct reg r;
	char *end;

	++*p;
	if (**p == '%') {
		if (!take_register(p, &r) || r.size != 8)
			return "has an unknown base register";
		o->has_base = true;
		o->base = r.number;
	}
	if (**p == ',') {
		++*p;
		if (!take_register(p, &r) || r.size != 8)
			return "has an unknown index register";
		o->has_index = true;
		o->index = r.number;
		o->index_size = 8;
		o->scale = 1;
	}
	if (o->has_index && **p == ',') {
		o->scale = strtol(*p + 1, &end, 10);
		*p = end;
	}
	if (**p != ')')
		return NOT_UNDERSTOOD;
	++*p;
	return NULL;
}

static const char *take_memory(const char **p, struct sdt_operand *o)
{
	const char *why = take_disp(p, o);

	o->kind = SDT_MEMORY;
	if (why)
		return why;
	if (!strncmp(*p, "(%rip)", 6)) {
		if (!o->symbol)
			return "is relative to the instruction's address, which is not supported";
		*p += 6;
	}
	return **p == '(' ? take_base(p, o) : NULL;
}

/* "%xmm7": its lower half, or a part of it; else a general register */
static const char *take_value(const char **p, struct sdt_operand *o)
{
	struct reg r;
	char *end;
	long n;

	if (strncmp(*p, "%xmm", 4)) {
		if (!take_register(p, &r))
			return UNKNOWN_REGISTER;
		o->kind = SDT_REGISTER;
		o->reg = r.number;
		o->size = r.size;
		o->shift = r.shift;
		return NULL;
	}
	n = strtol(*p + 4, &end, 10);
	if (end == *p + 4 || n < 0 || n > 15)
		return UNKNOWN_REGISTER;
	o->kind = SDT_VECTOR;
	o->reg = (int)n;
	*p = end;
	return NULL;
}

static const char *take_constant(const char **p, struct sdt_operand *o)
{
	char *end;

	o->kind = SDT_CONSTANT;
	o->number = (int64_t)strtoull(*p + 1, &end, 0);
	if (end == *p + 1)
		return NOT_UNDERSTOOD;
	*p = end;
	return NULL;
}

const char *x86_64_sdt_operand(const char *text, struct sdt_operand *out)
{
	const char *p = text, *why;

	*out = (struct sdt_operand){.thread = !strncmp(text, "%fs:", 4)};
	p += out->thread ? 4 : 0;
	if (*p == '$')
		why = take_constant(&p, out);
	else if (strchr(p, ':'))
		why = "is in a memory segment that is not supported";
	else
		why = *p == '%' && !out->thread ? take_value(&p, out) : take_memory(&p, out);
	return why ? why : *p ? NOT_UNDERSTOOD : NULL;
}
