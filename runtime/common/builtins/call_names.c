/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: symbolic names of system call arguments, and names of system calls.
 *
 * The names of a set are stored as one text, because pointers to each would have to be relocated in
 * every process with the user runtime.
 */
#include "common.h"

/* Format of bits without a name; SIGNAL: the lowest byte is a signal. */
enum rest { REST_HEX, REST_OCTAL, REST_SIGNAL };
#define ALL (~0ull)

struct named_bits {
	u64 value, mask;
};

#define CALL_NAMES(set, rest, names, ...) \
	static const struct named_bits bits_##set[] = {__VA_ARGS__};
#include "call_names_table.h"
#undef CALL_NAMES

static const struct call_names {
	const char *names;
	const struct named_bits *bits;
	u32 n;
	enum rest rest;
} sets[] = {
#define CALL_NAMES(set, rest, names, ...) \
	{names, bits_##set, sizeof bits_##set / sizeof *bits_##set, rest},
#include "call_names_table.h"
#undef CALL_NAMES
};
enum { NUMBERS = 512 }; /* of system calls */
enum { NSETS = sizeof sets / sizeof *sets };

static void put_bar(struct ust_out *o, bool *any)
{
	if (*any)
		ust_put_s(o, "|");
	*any = true;
}

static void put_rest(struct ust_ctx *c, struct ust_out *o, const struct call_names *set, u64 v,
		     bool *any)
{
	static const struct ust_spec hex = {
		.conv = 'x', .flags = UST_F_ALT, .width = -1, .prec = -1};
	static const struct ust_spec octal = {
		.conv = 'o', .flags = UST_F_ALT, .width = -1, .prec = -1};
	char text[64];

	if (set->rest == REST_SIGNAL && v & 0xff) {
		put_bar(o, any);
		ust_put_s(o, ust_signal_str(c, text, v & 0xff));
		v &= ~0xffull;
	}
	if (!v && *any)
		return;
	put_bar(o, any);
	if (!v)
		ust_put_s(o, "0");
	else
		ust_put_l(o, set->rest == REST_OCTAL ? &octal : &hex, v);
}

const char *ust_call_names(struct ust_ctx *c, char *dst, ust_long number, ust_long value)
{
	const struct call_names *set = number >= 0 && number < NSETS ? &sets[number] : sets;
	const char *name = set->names;
	u64 v = value, done = 0;
	struct ust_out o;
	bool any = false;
	u32 i;

	ust_out_string(&o, dst);
	for (i = 0; i < set->n; i++, name += strlen(name) + 1) {
		const struct named_bits *b = &set->bits[i];

		if ((value & b->mask) != b->value || b->mask & done)
			continue;
		put_bar(&o, &any);
		ust_put_s(&o, name);
		v &= ~b->mask;
		done |= b->mask;
	}
	put_rest(c, &o, set, v, &any);
	ust_out_finish(&o);
	return dst;
}

/* ------------------------------------------------------------ system calls */

static const struct texts {
#define CALL(name, number, number_32) char n_##name[sizeof #name];
#include "syscall_numbers.h"
#undef CALL
} texts = {
#define CALL(name, number, number_32) #name,
#include "syscall_numbers.h"
#undef CALL
};

/* Offset in the texts of the name of number N - 1, by type of program; numbers without a name have
 * 0. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const unsigned short places[2][NUMBERS + 1] = {
	{
#define CALL(name, number, number_32) [(number) + 1] = offsetof(struct texts, n_##name) + 1,
#include "syscall_numbers.h"
#undef CALL
	},
	{
#define CALL(name, number, number_32) [(number_32) + 1] = offsetof(struct texts, n_##name) + 1,
#include "syscall_numbers.h"
#undef CALL
	},
};
#pragma GCC diagnostic pop

static const char *call_name(u32 number, bool compat)
{
	u32 at = places[compat][number + 1];

	return at ? (const char *)&texts + at - 1 : NULL;
}

const char *ust_call_name(struct ust_ctx *c, char *dst, ust_long number, ust_long compat)
{
	(void)c, (void)dst;
	return number >= 0 && number < NUMBERS && call_name(number, compat)
		       ? call_name(number, compat)
		       : "";
}

ust_long ust_call_number(struct ust_ctx *c, const char *name, ust_long compat)
{
	u32 i;

	(void)c;
	for (i = 0; i < NUMBERS; i++) {
		const char *known = call_name(i, compat);

		if (known && !ust_strcmp(known, name))
			return i;
	}
	return -1;
}
