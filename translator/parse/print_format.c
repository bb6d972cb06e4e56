/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Format: a printf format to its pieces.  Whether arguments fit is the type
 * pass's business; here only the text is read.
 */
#include <ctype.h>
#include <string.h>
#include "parse/parse.h"

struct cursor {
	const struct source *src;
	const struct lexstr *f;
	size_t i;
};

static char peek(const struct cursor *c) { return c->i < c->f->len ? c->f->s[c->i] : 0; }

static struct loc piece_loc(const struct cursor *c, size_t from)
{
	return (struct loc){c->src, c->f->pos[from], c->f->pos[c->i]};
}

static bool *flag_of(struct fmt_piece *piece, char ch)
{
	switch (ch) {
	case '#':
		return &piece->alt;
	case '0':
		return &piece->zero;
	case '+':
		return &piece->plus;
	case ' ':
		return &piece->space;
	case '-':
		return &piece->minus;
	default:
		return NULL;
	}
}

/* -1 none, -2 `*`; false if the number is senseless */
static bool count(struct cursor *c, int *out)
{
	*out = -1;
	if (peek(c) == '*') {
		c->i++;
		*out = -2;
		return true;
	}
	for (; isdigit((unsigned char)peek(c)); c->i++) {
		*out = (*out < 0 ? 0 : *out) * 10 + (peek(c) - '0');
		if (*out > 4096)
			return false;
	}
	return true;
}

/* An error about what was read since FROM. */
static bool refuse(const struct cursor *c, size_t from, const char *why)
{
	diag_error(E_FORMAT, piece_loc(c, from), "%s", why);
	return false;
}

/* One flag at most, as in SystemTap; a 0 behind it belongs to the width. */
static bool flags(struct cursor *c, size_t from, struct fmt_piece *piece)
{
	bool *flag = flag_of(piece, peek(c));

	if (!flag)
		return true;
	*flag = true;
	c->i++;
	if (!flag_of(piece, peek(c)) || (peek(c) == '0' && !piece->zero))
		return true;
	c->i++;
	return refuse(c, from, "a conversion has at most one flag");
}

static bool width_and_precision(struct cursor *c, size_t from, struct fmt_piece *piece)
{
	static const char too_large[] = "width or precision is too large";

	piece->width = piece->prec = -1;
	if (!count(c, &piece->width))
		return refuse(c, from, too_large);
	if (peek(c) != '.')
		return true;
	c->i++;
	if (!count(c, &piece->prec))
		return refuse(c, from, too_large);
	if (piece->prec == -1)
		piece->prec = 0;
	return true;
}

static bool conversion(struct cursor *c, size_t from, struct fmt_piece *piece)
{
	c->i += peek(c) == 'l'; /* numbers are 64 bits wide anyway */
	piece->conv = peek(c);
	c->i += piece->conv != 0;
	piece->loc = piece_loc(c, from);
	if (!piece->conv)
		return refuse(c, from, "conversion ends without its letter");
	if (piece->conv == '%' && c->i > from + 2)
		return refuse(c, from, "%% takes no flag, width or precision");
	if (!strchr("diuoxXpscbmM%", piece->conv)) {
		refuse(c, from, xprintf("unknown conversion %%%c", piece->conv));
		diag_hint("conversions are %%d %%i %%u %%o %%x %%X %%p %%s %%c %%b %%m %%M %%%%");
		return false;
	}
	return true;
}

static bool directive(struct cursor *c, struct fmt_piece *piece)
{
	size_t from = c->i++;

	if (!flags(c, from, piece) || !width_and_precision(c, from, piece) ||
	    !conversion(c, from, piece))
		return false;
	if (piece->conv == 'b' && piece->width > 0) { /* %1b .. %8b: the width is the size */
		piece->size = piece->width;
		piece->width = -1;
	}
	if (piece->size & (piece->size - 1) || piece->size > 8)
		return refuse(c, from, "%b takes 1, 2, 4 or 8 bytes");
	return true;
}

typedef VEC(struct fmt_piece) piece_vec;

static void add_literal(struct cursor *c, piece_vec *v, size_t from, size_t to)
{
	struct fmt_piece piece = {.lit = c->f->s + from, .litlen = to - from};

	if (to == from)
		return;
	piece.loc = (struct loc){c->src, c->f->pos[from], c->f->pos[to]};
	vec_push(v, piece);
}

bool format_parse(const struct source *src, const struct lexstr *fmt, struct fmt_piece **out,
		  size_t *n)
{
	struct cursor c = {src, fmt, 0};
	piece_vec v = {0};
	size_t from = 0;

	while (c.i < fmt->len) {
		struct fmt_piece piece = {0};

		if (fmt->s[c.i] != '%') {
			c.i++;
			continue;
		}
		add_literal(&c, &v, from, c.i);
		if (!directive(&c, &piece))
			return false;
		from = c.i;
		if (piece.conv == '%')
			add_literal(&c, &v, c.i - 1, c.i);
		else
			vec_push(&v, piece);
	}
	add_literal(&c, &v, from, c.i);
	*out = v.v;
	*n = v.n;
	return true;
}
