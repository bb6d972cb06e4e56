/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangling of C++ and Rust symbols. C++ is left to the C++ runtime's __cxa_demangle(), which is
 * loaded for the first such symbol; without it, plain paths are still understood. The scheme of
 * Rust is in rust.c; its older one is that of C++ with a hash at the end and escaped characters.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "address_maps.h"

/* Longer names are made by damage, not by compilers. */
#define MAX_NAME 65536

typedef char *demangler(const char *, char *, size_t *, int *);

static demangler *library_demangler(void)
{
	static demangler *found;
	static bool tried;
	void *lib = tried ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	tried = true;
	if (lib)
		found = (demangler *)dlsym(lib, "__cxa_demangle");
	return found;
}

/* ------------------------------------------------------------- older Rust */

static const char *const escapes[][2] = {
	{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
	{"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},
};

/* Append the character that an escape, "$LT$", "$u20$" or "..", stands for. Returns the length of
 * the escape; 0 if the text is not one. */
static size_t unescape(const char *p, struct strbuf *out)
{
	char *end, c;

	if (!strncmp(p, "..", 2)) {
		sb_add(out, "::");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_LEN(escapes); i++)
		if (!strncmp(p, escapes[i][0], strlen(escapes[i][0]))) {
			sb_add(out, escapes[i][1]);
			return strlen(escapes[i][0]);
		}
	if (strncmp(p, "$u", 2) || !isxdigit((unsigned char)p[2]))
		return 0;
	c = (char)strtoul(p + 2, &end, 16);
	if (*end != '$' || !isprint((unsigned char)c))
		return 0;
	sb_addn(out, &c, 1);
	return (size_t)(end + 1 - p);
}

static void add_component(const char *p, size_t n, struct strbuf *out)
{
	const char *end = p + n;

	if (n > 1 && *p == '_' && p[1] == '$') /* a name must not begin with $ */
		p++;
	while (p < end) {
		size_t k = unescape(p, out);

		if (!k)
			sb_addn(out, p, 1);
		p += k ? k : 1;
	}
}

static bool is_hash(const char *p, size_t n)
{
	return n == 17 && *p == 'h' && strspn(p + 1, "0123456789abcdef") >= 16;
}

/* "_ZN4core3ptr4read17h0123456789abcdefE"; false: it is not Rust's */
static bool demangle_legacy(const char *p, struct strbuf *out)
{
	const char *last = NULL;
	size_t n = 0;

	if (strncmp(p, "_ZN", 3))
		return false;
	for (p += 3; isdigit((unsigned char)*p); p += n) {
		if (last && out->n)
			sb_add(out, "::");
		if (last)
			add_component(last, n, out);
		for (n = 0; isdigit((unsigned char)*p) && n < MAX_NAME; p++)
			n = n * 10 + (size_t)(*p - '0');
		if (!n || strnlen(p, n) < n)
			return false;
		last = p;
	}
	return *p == 'E' && last && out->n && is_hash(last, n);
}

/* ------------------------------------------------------------------ all kinds */

static const char *demangle_cxx(const char *name)
{
	static char *buffer;
	static size_t size;
	demangler *f = library_demangler();
	int status = -1;
	char *s = f ? f(name, buffer, &size, &status) : NULL;

	if (!f)
		return mangled_path(name);
	if (!s || status)
		return NULL;
	buffer = s;
	return s;
}

const char *demangle(const char *name)
{
	static ARENA_STATE struct strbuf sb;
	size_t n = strnlen(name, MAX_NAME);

	if (n == MAX_NAME || n < 3 || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	sb.n = 0;
	if (name[1] == 'R')
		return demangle_rust(name, &sb) ? sb.s : NULL;
	if (memchr(name + n - (n > 20 ? 20 : n), 'h', n > 20 ? 20 : n) &&
	    demangle_legacy(name, &sb))
		return sb.s;
	return demangle_cxx(name);
}

/* ------------------------------------------------------------------ as they are shown */

/* Longest demangled name. A longer one would not be readable, and would enlarge the loaded program:
 * such a symbol is shown as it is. */
enum { MAX_SHOWN = 2000 };

static bool raw;

void names_set_raw(void) { raw = true; }
bool names_are_raw(void) { return raw; }

const char *shown_name(const char *symbol)
{
	const char *text = raw || strnlen(symbol, MAX_SHOWN) == MAX_SHOWN ? NULL : demangle(symbol);

	return text && strnlen(text, MAX_SHOWN) < MAX_SHOWN ? xstrdup(text) : symbol;
}
