/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C text: strings encoded as literals, comments and identifiers, and buffers of them.  Only this
 * file makes struct ctext from characters; see ctext.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctext.h"
#include "parse/node.h"

static struct ctext trusted(const char *s) { return (struct ctext){(const struct ctext_chars *)s}; }

const char *ctext_chars(struct ctext t) { return t.at ? (const char *)t.at : ""; }

bool ctext_same(struct ctext a, struct ctext b) { return !strcmp(ctext_chars(a), ctext_chars(b)); }

/* ---------------------------------------------------------------- literals */

/* Three octal digits end an escape whatever follows it.  Bytes that are not ASCII are written so,
 * too: a reader of the C is not deceived by their direction, and the compiler's input character set
 * does not count. */
static void add_literal_char(struct strbuf *sb, char ch, char before)
{
	unsigned char u = (unsigned char)ch;

	if (ch == '"' || ch == '\\')
		sb_printf(sb, "\\%c", ch);
	else if (ch == '\n')
		sb_add(sb, "\\n");
	else if (ch == '\t')
		sb_add(sb, "\\t");
	else if (u < ' ' || u >= 127 || (ch == '?' && before == '?'))
		sb_printf(sb, "\\%03o", u);
	else
		sb_addn(sb, &ch, 1);
}

struct ctext c_string(const char *s, size_t len)
{
	struct strbuf sb = {0};

	sb_add(&sb, "\"");
	for (size_t i = 0; i < len; i++)
		add_literal_char(&sb, s[i], i ? s[i - 1] : 0);
	sb_add(&sb, "\"");
	return trusted(sb.s);
}

struct ctext c_quoted(const char *s) { return c_string(s, strlen(s)); }

struct ctext c_char(char ch)
{
	if (isalnum((unsigned char)ch))
		return trusted(xprintf("'%c'", ch));
	return trusted(xprintf("'\\%03o'", (unsigned char)ch));
}

/* --------------------------------------------------------------- comments */

#define MAX_COMMENT 400

struct ctext c_comment(const char *fmt, ...)
{
	struct strbuf sb = {0};
	const char *s;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	s = xvprintf(fmt, ap);
	va_end(ap);
	len = strnlen(s, MAX_COMMENT);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	sb_add(&sb, "/* ");
	for (size_t i = 0; i < len; i++) {
		char ch = isspace((unsigned char)s[i])   ? ' '
			  : iscntrl((unsigned char)s[i]) ? '.'
							 : s[i];
		bool edge = i && ((s[i - 1] == '*' && ch == '/') || (s[i - 1] == '/' && ch == '*'));

		sb_add(&sb, edge ? " " : "");
		sb_addn(&sb, &ch, 1);
	}
	sb_add(&sb, " */");
	return trusted(sb.s);
}

/* ------------------------------------------------------------ identifiers */

struct ctext c_identifier(const char *prefix, const char *s)
{
	char *text = xprintf("%s%s", prefix, s);

	for (char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return trusted(isdigit((unsigned char)*text) || !*text ? xprintf("_%s", text) : text);
}

struct ctext c_word(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	if (!n || s[n] || isdigit((unsigned char)*s)) {
		fprintf(stderr,
			"ustap: internal error: a name in emitted C is not an identifier\n");
		abort();
	}
	return trusted(s);
}

struct ctext c_operator(int op) { return trusted(op_text[op]); }

struct ctext c_register(int dwarf_reg) { return trusted(arch_target()->reg_expr(dwarf_reg)); }

struct ctext c_embedded(const struct node *n) { return trusted(n->embedded.text); }

/* ---------------------------------------------------------- the assembler */

/* A string of the assembler: what could have a meaning there is written in octal. */
static const char *asm_string(const char *s)
{
	struct strbuf sb = {0};

	sb_add(&sb, "\"");
	for (; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("/._-+", *s))
			sb_addn(&sb, s, 1);
		else
			sb_printf(&sb, "\\%03o", (unsigned char)*s);
	sb_add(&sb, "\"");
	return sb.s;
}

/* The assembler aligns it. */
struct ctext c_incbin(struct ctext symbol, const char *path, unsigned skip)
{
	const char *text = xprintf(".pushsection .rodata\n.balign 8\n.quad 9f - %s\n%s:\n.incbin "
				   "%s, %u\n9:\n.popsection",
				   ctext_chars(symbol), ctext_chars(symbol), asm_string(path),
				   skip);

	return ctext("__asm__(%s);\n", c_quoted(text));
}

/* ------------------------------------------------------------- formatting */

struct ctext ctext_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvprintf(fmt, ap);
	va_end(ap);
	return trusted(text);
}

/* ---------------------------------------------------------------- buffers */

static void add(struct cbuf *to, const char *s, size_t n)
{
	struct strbuf sb = {to->s, to->n, to->cap};

	sb_addn(&sb, s, n);
	*to = (struct cbuf){sb.s, sb.n, sb.cap};
}

void cbuf_add(struct cbuf *to, struct ctext t) { add(to, ctext_chars(t), strlen(ctext_chars(t))); }

void cbuf_append(struct cbuf *to, const struct cbuf *from)
{
	if (from->n)
		add(to, from->s, from->n);
}

void cbuf_cut(struct cbuf *b, size_t n)
{
	b->n = n;
	b->s[n] = 0;
}

struct ctext cbuf_text(const struct cbuf *b) { return trusted(b->n ? xstrndup(b->s, b->n) : ""); }

struct ctext cbuf_from(const struct cbuf *b, size_t from, size_t n)
{
	return trusted(xstrndup(b->s + from, n));
}

struct ctext ctext_behind(struct ctext t, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(ctext_chars(t), prefix, n) ? (struct ctext){0} : trusted(ctext_chars(t) + n);
}

struct ctext ctext_get(const struct smap *m, const char *key) { return trusted(smap_get(m, key)); }

void ctext_put(struct smap *m, const char *key, struct ctext t) { smap_put(m, key, (void *)t.at); }
