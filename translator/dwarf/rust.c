/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangling of Rust's "v0" names (RFC 2603): a name is a tree in prefix order, with references
 * back to earlier parts. It is parsed once from the left and printed on the way.
 */
#include <ctype.h>
#include <string.h>

#include "values.h"

/* Limits on nesting and length: references can make a short name very long. */
enum { MAX_DEPTH = 200, MAX_TEXT = 20000 };

struct rust {
	const char *begin, *p, *end; /* of what follows "_R" */
	struct strbuf *out;
	int depth, silent; /* silent: it is read, but not shown */
	bool bad;
};

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);

static void put(struct rust *r, const char *s)
{
	if (!r->silent && !r->bad)
		sb_add(r->out, s);
	r->bad |= r->out->n > MAX_TEXT;
}

static void putn(struct rust *r, const char *s, size_t n)
{
	if (!r->silent && !r->bad)
		sb_addn(r->out, s, n);
}

static char peek(const struct rust *r) { return r->bad || r->p >= r->end ? 0 : *r->p; }

static bool take(struct rust *r, char c)
{
	if (peek(r) != c || !c)
		return false;
	r->p++;
	return true;
}

static char next(struct rust *r)
{
	char c = peek(r);

	if (c)
		r->p++;
	else
		r->bad = true;
	return c;
}

/* "_" is 0, "0_" 1, "Z_" 62 ... */
static uint64_t base62(struct rust *r)
{
	uint64_t n = 0;

	if (take(r, '_'))
		return 0;
	while (!take(r, '_')) {
		char c = next(r);
		int d = isdigit((unsigned char)c)   ? c - '0'
			: islower((unsigned char)c) ? c - 'a' + 10
			: isupper((unsigned char)c) ? c - 'A' + 36
						    : -1;

		if (d < 0 || n > UINT64_MAX / 62 - 62) {
			r->bad = true;
			return 0;
		}
		n = n * 62 + (uint64_t)d;
	}
	return n + 1;
}

static uint64_t optional62(struct rust *r, char tag) { return take(r, tag) ? base62(r) + 1 : 0; }

/* ------------------------------------------------------------- identifiers */

struct ident {
	const char *s;
	size_t n;
	uint64_t number;
	bool puny;
};

static struct ident identifier(struct rust *r)
{
	struct ident id = {.number = optional62(r, 's')};

	id.puny = take(r, 'u');
	while (isdigit((unsigned char)peek(r)) && id.n < MAX_TEXT)
		id.n = id.n * 10 + (size_t)(next(r) - '0');
	take(r, '_');
	id.s = r->p;
	if (r->bad || id.n > (size_t)(r->end - r->p))
		r->bad = true;
	else
		r->p += id.n;
	return id;
}

static void put_ident(struct rust *r, const struct ident *id)
{
	if (r->bad)
		return;
	if (id->puny)
		put(r, "punycode{");
	putn(r, id->s, id->n);
	if (id->puny)
		put(r, "}");
}

/* Parse with READ the earlier part of the symbol that a back reference leads to. */
static void backref(struct rust *r, void (*read)(struct rust *, bool), bool arg)
{
	const char *at = r->p - 1, *after;
	uint64_t to = base62(r);

	after = r->p;
	if (r->bad || to >= (uint64_t)(at - r->begin) || ++r->depth > MAX_DEPTH) {
		r->bad = true;
		return;
	}
	if (!r->silent) {
		r->p = r->begin + to;
		read(r, arg);
		r->p = after;
	}
	r->depth--;
}

/* ------------------------------------------------------------------- types */

static const char *basic(char c)
{
	static const char *const names[26] = {
		['a' - 'a'] = "i8",   ['b' - 'a'] = "bool",  ['c' - 'a'] = "char",
		['d' - 'a'] = "f64",  ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8",   ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
		['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",   ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['s' - 'a'] = "i16",   ['t' - 'a'] = "u16",
		['u' - 'a'] = "()",   ['v' - 'a'] = "...",   ['x' - 'a'] = "i64",
		['y' - 'a'] = "u64",  ['z' - 'a'] = "!",     ['p' - 'a'] = "_",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void type_again(struct rust *r, bool unused)
{
	(void)unused;
	type(r);
}

static void constant(struct rust *r, bool unused);

/* Types up to the E; their number. */
static int types(struct rust *r)
{
	int n = 0;

	for (; !take(r, 'E') && !r->bad; n++) {
		if (n)
			put(r, ", ");
		type(r);
	}
	return n;
}

static void fn_pointer(struct rust *r)
{
	optional62(r, 'G');
	if (take(r, 'U'))
		put(r, "unsafe ");
	if (take(r, 'K')) {
		put(r, "extern \"");
		if (take(r, 'C')) {
			put(r, "C");
		} else {
			struct ident abi = identifier(r);

			put_ident(r, &abi);
		}
		put(r, "\" ");
	}
	put(r, "fn(");
	types(r);
	put(r, ")");
	if (take(r, 'u'))
		return;
	put(r, " -> ");
	type(r);
}

static void dyn_type(struct rust *r)
{
	put(r, "dyn ");
	optional62(r, 'G');
	for (int n = 0; !take(r, 'E') && !r->bad; n++) {
		if (n)
			put(r, " + ");
		path(r, false);
		for (int k = 0; take(r, 'p'); k++) {
			struct ident id = identifier(r);

			put(r, k ? ", " : "<");
			put_ident(r, &id);
			put(r, " = ");
			type(r);
			if (peek(r) != 'p')
				put(r, ">");
		}
	}
	if (take(r, 'L'))
		base62(r);
	else
		r->bad = true;
}

static void reference(struct rust *r, const char *text)
{
	put(r, text);
	if (take(r, 'L'))
		base62(r);
	type(r);
}

static void compound_type(struct rust *r, char c)
{
	switch (c) {
	case 'A':
	case 'S':
		put(r, "[");
		type(r);
		if (c == 'A') {
			put(r, "; ");
			constant(r, false);
		}
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, types(r) == 1 ? ",)" : ")");
		break;
	case 'R':
	case 'Q':
		reference(r, c == 'R' ? "&" : "&mut ");
		break;
	case 'P':
	case 'O':
		put(r, c == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F':
		fn_pointer(r);
		break;
	case 'D':
		dyn_type(r);
		break;
	case 'B':
		backref(r, type_again, false);
		break;
	default:
		r->p--;
		path(r, false);
	}
}

static void type(struct rust *r)
{
	char c = next(r);
	const char *name = basic(c);

	if (name)
		put(r, name);
	else if (++r->depth > MAX_DEPTH)
		r->bad = true;
	else if (c)
		compound_type(r, c);
	r->depth -= !name;
}

/* Numbers, truth values and characters; what else there may be is shown by its digits. */
static void constant(struct rust *r, bool unused)
{
	char c = next(r);
	uint64_t v = 0;

	(void)unused;
	if (c == 'B') {
		backref(r, constant, false);
		return;
	}
	if (c == 'p') {
		put(r, "_");
		return;
	}
	if (!basic(c)) {
		r->bad = true;
		return;
	}
	if (take(r, 'n'))
		put(r, "-");
	while (isxdigit((unsigned char)peek(r))) {
		char d = next(r);

		v = v << 4 | (uint64_t)(isdigit((unsigned char)d) ? d - '0' : d - 'a' + 10);
	}
	if (!take(r, '_'))
		r->bad = true;
	put(r, c == 'b' ? (v ? "true" : "false") : xprintf("%llu", (unsigned long long)v));
}

/* ------------------------------------------------------------------- paths */

/* A name in its namespace: closures and shims have an upper-case one. */
static void nested(struct rust *r, bool in_value)
{
	char space = next(r);
	struct ident id;

	path(r, in_value);
	id = identifier(r);
	if (islower((unsigned char)space)) {
		if (id.n || id.puny)
			put(r, "::");
		put_ident(r, &id);
		return;
	}
	put(r, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : xprintf("::{%c", space));
	if (id.n)
		put(r, ":");
	put_ident(r, &id);
	put(r, xprintf("#%llu}", (unsigned long long)id.number));
}

static void generic(struct rust *r, bool in_value)
{
	path(r, in_value);
	put(r, in_value ? "::<" : "<");
	for (int n = 0; !take(r, 'E') && !r->bad; n++) {
		if (n)
			put(r, ", ");
		if (take(r, 'L')) {
			base62(r);
			put(r, "'_");
		} else if (take(r, 'K')) {
			constant(r, false);
		} else {
			type(r);
		}
	}
	put(r, ">");
}

/* <T>, <T as Trait>; where the impl stands is not shown. */
static void implementation(struct rust *r, char c)
{
	if (c != 'Y') {
		optional62(r, 's');
		r->silent++;
		path(r, false);
		r->silent--;
	}
	put(r, "<");
	type(r);
	if (c != 'M') {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

static void path(struct rust *r, bool in_value)
{
	char c = next(r);
	struct ident id;

	if (++r->depth > MAX_DEPTH)
		r->bad = true;
	switch (r->bad ? 0 : c) {
	case 'C':
		id = identifier(r);
		put_ident(r, &id);
		break;
	case 'N':
		nested(r, in_value);
		break;
	case 'I':
		generic(r, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		implementation(r, c);
		break;
	case 'B':
		backref(r, path, in_value);
		break;
	default:
		r->bad = true;
	}
	r->depth--;
}

bool demangle_rust(const char *name, struct strbuf *out)
{
	struct rust r = {
		.begin = name + 2, .p = name + 2, .end = name + strcspn(name, ".$"), .out = out};

	if (strncmp(name, "_R", 2) || r.end < r.begin || !isupper((unsigned char)*r.p))
		return false;
	path(&r, true);
	if (!r.bad && r.p < r.end) { /* the crate that it was instantiated in */
		r.silent++;
		path(&r, false);
	}
	return !r.bad && r.p == r.end && out->n;
}
