/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matching of function names against patterns, for symbols, debug information and the index alike.
 *
 *   f   a*b            the symbol, or the last part of a mangled name
 *   C::f   ns::C::*    the end of its path: whole parts, from the right
 *   C<int>::f          template arguments count if the pattern has some
 *   C::f(int)          parameters too, as c++filt writes them; spaces do not count
 *
 * A name that equals the pattern is preferred to names that match it as a glob: operator*,
 * main.(*T).Method.
 */
#include <ctype.h>
#include <string.h>

#include "values.h"
#include "address_maps.h"

/* ------------------------------------------------------------- plain texts */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Without spaces but those between words, and without [abi:...]. */
static void squeeze(const char *s, size_t n, struct strbuf *out)
{
	sb_addn(out, "", 0);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == ' ' && i && i + 1 < n && s[i - 1] == '<' && s[i + 1] == '<') {
			sb_addn(out, s + i, 1); /* operator<< <char> */
			continue;
		}
		if (s[i] == ' ' && (!i || i + 1 >= n || !in_word(s[i - 1]) || !in_word(s[i + 1])))
			continue;
		if (!strncmp(s + i, "[abi:", 5) && memchr(s + i, ']', n - i)) {
			while (s[i] != ']')
				i++;
			continue;
		}
		sb_addn(out, s + i, 1);
	}
}

/* Length of the name of an operator at S + I; 0: not an operator. Its characters are not
 * brackets. */
static size_t operator_length(const char *s, size_t i)
{
	size_t n = 8;

	if (strncmp(s + i, "operator", 8) || (i && in_word(s[i - 1])) || in_word(s[i + 8]))
		return 0;
	if (!strncmp(s + i + 8, "()", 2) || !strncmp(s + i + 8, "[]", 2))
		return 10;
	return n + strspn(s + i + 8, "<>=!+-*/%&|^~,");
}

/* Call F for each character of S at depth 0 of brackets of all kinds, until it returns false. */
static void at_top(const char *s, bool (*f)(const char *s, size_t i, void *), void *arg)
{
	int depth = 0;

	for (size_t i = 0; s[i]; i++) {
		size_t op = operator_length(s, i);

		if (op) {
			for (size_t k = 0; k < op; k++)
				if (!depth && !f(s, i + k, arg))
					return;
			i += op - 1;
			continue;
		}
		if (s[i] == '-' && s[i + 1] == '>') {
			i++;
			continue;
		}
		depth -= depth && strchr(">)}]", s[i]);
		if (!depth && !f(s, i, arg))
			return;
		depth += strchr("<({[", s[i]) != NULL;
	}
}

/* S without what is in angle brackets. */
static void strip(const char *s, const char *end, struct strbuf *out)
{
	int depth = 0;

	while (s < end) {
		size_t op = operator_length(s, 0);

		if (!op && !strncmp(s, "->", 2))
			op = 2;
		if (op) {
			sb_addn(out, s, depth ? 0 : op);
			s += op;
			continue;
		}
		if (*s == '<' && !depth++ && out->n > 2 && !strcmp(out->s + out->n - 2, "::"))
			out->s[out->n -= 2] = 0; /* Rust's f::<T> */
		if (!depth && (*s != ' ' || s[1] != '<'))
			sb_addn(out, s, 1);
		depth -= *s == '>' && depth;
		s++;
	}
}

static bool see_as(const char *s, size_t i, void *arg)
{
	size_t *at = arg;

	*at = i;
	return strncmp(s + i, " as ", 4);
}

static bool see_close(const char *s, size_t i, void *arg)
{
	size_t *at = arg;

	*at = i;
	return !i || s[i] != '>';
}

/* "a::C<int>::f<long>" -> "a::C::f"; Rust's "<a::C as T>::f" -> "a::C::f" */
static const char *without_arguments(const char *path, struct strbuf *out)
{
	size_t close = 0, inner = 0;

	out->n = 0;
	sb_addn(out, "", 0);
	if (*path == '<') {
		at_top(path, see_close, &close);
		at_top(xstrndup(path + 1, close ? close - 1 : 0), see_as, &inner);
		if (close && path[close] == '>') {
			bool whole = strncmp(path + 1 + inner, " as ", 4);

			strip(path + 1, whole ? path + close : path + 1 + inner, out);
			path += close + 1;
		}
	}
	strip(path, path + strlen(path), out);
	return out->s;
}

/* --------------------------------------------------------- parts of a name */

/* Where the parameters of the function type S begin, if it ends with some; else its length. The
 * qualifiers after them, "const" and the like, begin at *REST. */
static size_t parameters(const char *s, size_t *rest)
{
	static const char *const behind[] = {" const", "const", " volatile", "volatile",
					     "&&",     "&",     " noexcept", "noexcept"};
	size_t n = strlen(s), at;
	int depth = 0;

	for (size_t i = 0; i < ARRAY_LEN(behind); i++) {
		size_t k = strlen(behind[i]);

		if (n > k && !strncmp(s + n - k, behind[i], k)) {
			n -= k;
			i = (size_t)-1;
		}
	}
	*rest = n;
	if (!n || s[n - 1] != ')')
		return *rest = strlen(s);
	for (at = n; at-- > 0;) {
		depth += s[at] == ')';
		depth -= s[at] == '(';
		if (!depth)
			break;
	}
	/* the () of operator() are not parameters */
	return depth || !at ||
			       (at >= 8 && !strncmp(s + at - 8, "operator", 8) && n == at + 2 &&
				*rest == strlen(s))
		       ? (*rest = strlen(s))
		       : at;
}

struct last {
	size_t at;
	bool op;
};

static bool see_space(const char *s, size_t i, void *arg)
{
	struct last *l = arg;

	l->op |= operator_length(s, i) > 0;
	if (s[i] == ' ' && !l->op)
		l->at = i + 1;
	return !l->op;
}

/* Templates show their result's type before the name. */
static size_t result_length(const char *path)
{
	struct last l = {0};

	if (*path != '<') /* Rust's <T as Trait> */
		at_top(path, see_space, &l);
	return l.at;
}

/* The parts of a demangled name; in buffers that the next one uses again. */
struct parts {
	const char *full, *plain, *path, *bare;
};

static void split(const char *text, struct parts *out)
{
	static ARENA_STATE struct strbuf full, plain, path, bare;
	size_t rest, params, result;

	full.n = plain.n = path.n = 0;
	squeeze(text, strlen(text), &full);
	params = parameters(full.s, &rest);
	sb_addn(&path, full.s, params);
	result = result_length(path.s);
	sb_addn(&plain, full.s, rest);
	*out = (struct parts){full.s + result, plain.s + result, path.s + result,
			      without_arguments(path.s + result, &bare)};
}

/* ---------------------------------------------------------------- patterns */

/* Names that mangling abbreviates; they need not be in the symbol. */
static bool is_abbreviated(const char *s, size_t n)
{
	static const char abbreviated[] =
		"std string basic_string allocator istream ostream iostream operator const "
		"volatile noexcept basic_istream basic_ostream basic_iostream char_traits";

	return memmem(abbreviated, sizeof abbreviated - 1, s, n) != NULL;
}

/* The longest piece of the pattern that every symbol that it matches has; most symbols are left
 * there. */
static void find_needle(struct name_pattern *p)
{
	int depth = 0;

	for (const char *s = p->text; *s; s++) {
		size_t n = strspn(
			s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (n && !strncmp(s, "operator", n) && n == 8)
			break; /* "new" and "bool" are not in symbols */
		if (!n && strchr("<({[", *s))
			depth++;
		if (!n && depth && strchr(">)}]", *s))
			depth--;
		if (n && !depth && n > p->needle_len && !is_abbreviated(s, n)) {
			p->needle = s;
			p->needle_len = n;
		}
		s += n ? n - 1 : 0;
	}
}

struct name_pattern name_pattern(const char *text)
{
	struct name_pattern p = {.asked = text, .glob = is_glob(text)};
	const char *op = strstr(text, "operator");
	struct strbuf sb = {0};

	squeeze(text, strlen(text), &sb);
	p.text = sb.s;
	p.len = sb.n;
	if (!strncmp(text, "(anonymous namespace)", 21))
		text += 21;
	p.parameters = strchr(op ? op + (strncmp(op, "operator()", 10) ? 8 : 10) : text, '(') !=
		       NULL;
	p.path = strstr(text, "::") != NULL;
	p.arguments = !op && strchr(text, '<') != NULL;
	find_needle(&p);
	return p;
}

static bool see_part(const char *s, size_t i, void *arg)
{
	if (i && s[i] == ':' && s[i - 1] == ':')
		((struct last *)arg)->at = i + 1;
	return true;
}

static const char *last_part(const char *path)
{
	struct last l = {0};

	at_top(path, see_part, &l);
	return path + l.at;
}

static bool see_end(const char *s, size_t i, void *arg)
{
	*(const char **)arg = i && s[i] == ':' && s[i - 1] == ':' ? s + i + 1 : NULL;
	return !*(const char **)arg;
}

/* S without its first part; NULL: it has one only. */
static const char *next_part(const char *s)
{
	const char *next = NULL;

	at_top(s, see_end, &next);
	return next;
}

/* Does P, whole parts from the right, name PATH? */
static enum name_match match_path(const struct name_pattern *p, const char *path)
{
	size_t n = strlen(path);
	const char *s = path;

	if (n >= p->len && !strcmp(path + n - p->len, p->text) &&
	    (n == p->len ||
	     (path[n - p->len - 1] == ':' && (p->path || last_part(path) == path + n - p->len))))
		return NAME_EXACT;
	if (!p->glob)
		return NAME_NO;
	if (!p->path && !p->parameters)
		return glob_match(p->text, last_part(path)) ? NAME_GLOB : NAME_NO;
	for (; s; s = next_part(s))
		if (glob_match(p->text, s))
			return NAME_GLOB;
	return NAME_NO;
}

static enum name_match better(enum name_match a, enum name_match b) { return a > b ? a : b; }

static enum name_match match_parts(const struct name_pattern *p, const struct parts *n)
{
	if (p->parameters)
		return better(match_path(p, n->full), match_path(p, n->plain));
	if (p->arguments)
		return match_path(p, n->path);
	return better(match_path(p, n->path), match_path(p, n->bare));
}

/* Whole symbols, as C and Go have them; Go's generic functions also without [...]. */
static enum name_match match_symbol(const struct name_pattern *p, const char *name)
{
	const char *bracket = strchr(name, '[');

	if (!strcmp(p->asked, name))
		return NAME_EXACT;
	if (p->glob && glob_match(p->asked, name))
		return NAME_GLOB;
	return bracket && bracket > name ? match_symbol(p, xstrndup(name, (size_t)(bracket - name)))
					 : NAME_NO;
}

/* The function's name in its source, without its scope and parameters, as debug
 * information has it. */
static const char *source_name(const char *symbol)
{
	const char *text = demangle(symbol);
	struct parts parts;

	if (!text)
		return symbol;
	split(text, &parts);
	return xstrdup(last_part(parts.bare));
}

static enum name_match match_mangled(const struct name_pattern *p, const char *symbol,
				     bool want_shown, const char **shown)
{
	enum name_match direct = match_symbol(p, symbol), mangled;
	const char *text;
	struct parts parts;

	*shown = symbol;
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R') || direct == NAME_EXACT)
		return direct;
	if (direct) {
		if (want_shown && !names_are_raw())
			*shown = source_name(symbol);
		return direct;
	}
	if (p->needle && !memmem(symbol, strlen(symbol), p->needle, p->needle_len))
		return direct; /* most symbols leave here, nothing was made */
	text = demangle(symbol);
	if (!text)
		return direct;
	split(text, &parts);
	mangled = match_parts(p, &parts);
	if (mangled)
		*shown = xstrdup(last_part(parts.bare));
	return mangled;
}

enum name_match name_matches(const struct name_pattern *p, const char *symbol, const char **shown)
{
	return match_mangled(p, symbol, true, shown);
}

enum name_match name_matches_names(const struct name_pattern *p, const char *name,
				   const char *linkage)
{
	enum name_match m = match_symbol(p, name);
	const char *shown;

	return m == NAME_EXACT || !linkage ? m
					   : better(m, match_mangled(p, linkage, false, &shown));
}

enum name_match name_matches_die(const struct name_pattern *p, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute a;
	bool linked = name && (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
			       dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a));

	if (name) /* names may overlap as well */
		work_charge(die->cu, strlen(name) / 64);
	return name ? name_matches_names(p, name, linked ? dwarf_formstring(&a) : NULL) : NAME_NO;
}

enum name_match name_matches_path(const struct name_pattern *p, const char *path)
{
	return match_path(p, path);
}
