/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printf for embedded C: C's conversions without floating point, with flags, widths, precisions and
 * lengths.
 */
#include "common.h"

static const char *number(const char *p, int *n, __builtin_va_list *ap)
{
	if (*p == '*') {
		*n = __builtin_va_arg(*ap, int);
		return p + 1;
	}
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		*n = *n * 10 + *p - '0';
	return p;
}

static const char *flags(const char *p, struct ust_spec *spec)
{
	for (;; p++)
		switch (*p) {
		case '-':
			spec->flags |= UST_F_MINUS;
			break;
		case '0':
			spec->flags |= UST_F_ZERO;
			break;
		case '+':
			spec->flags |= UST_F_PLUS;
			break;
		case ' ':
			spec->flags |= UST_F_SPACE;
			break;
		case '#':
			spec->flags |= UST_F_ALT;
			break;
		default:
			return p;
		}
}

/* hh h l ll z j t: size of the argument in bytes. */
static const char *length(const char *p, int *size)
{
	*size = 4;
	for (; *p && (*p == 'h' || *p == 'l' || *p == 'z' || *p == 'j' || *p == 't'); p++)
		*size = *p != 'h' ? 8 : *size == 2 ? 1 : 2;
	return p;
}

static ust_long integer(char conv, int size, __builtin_va_list *ap)
{
	bool is_signed = conv == 'd' || conv == 'i';
	ust_long v = size == 8 || conv == 'p' ? __builtin_va_arg(*ap, ust_long)
					      : __builtin_va_arg(*ap, int);

	if (size == 1 && conv != 'c')
		return is_signed ? (signed char)v : (unsigned char)v;
	if (size == 2)
		return is_signed ? (short)v : (unsigned short)v;
	if (size == 4 && !is_signed && conv != 'p')
		return (unsigned int)v;
	return v;
}

static void convert(struct ust_out *o, struct ust_spec *spec, int size, __builtin_va_list *ap)
{
	switch (spec->conv) {
	case 's':
		ust_put_str(o, spec, __builtin_va_arg(*ap, const char *));
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p':
	case 'c':
		ust_put_l(o, spec, integer(spec->conv, size, ap));
		break;
	default:
		ust_put(o, &spec->conv, 1); /* also %% */
	}
}

static void format(struct ust_out *o, const char *p, __builtin_va_list *ap)
{
	struct ust_spec spec;
	int size;

	while (*p) {
		const char *beg = p;

		while (*p && *p != '%')
			p++;
		ust_put(o, beg, (u32)(p - beg));
		if (!*p || !p[1])
			break;
		spec = (struct ust_spec){.width = -1, .prec = -1};
		p = flags(p + 1, &spec);
		if ((*p >= '0' && *p <= '9') || *p == '*')
			p = number(p, &spec.width, ap);
		if (*p == '.')
			p = number(p + 1, &spec.prec, ap);
		p = length(p, &size);
		spec.conv = *p;
		if (*p)
			p++;
		convert(o, &spec, size, ap);
	}
}

void ust_printf(struct ust_ctx *c, const char *fmt, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	format(&c->out, fmt, &ap);
	__builtin_va_end(ap);
}

void ust_errorf(struct ust_ctx *c, const char *fmt, ...)
{
	struct ctx *x = ctx_of(c);
	struct ust_out o;
	__builtin_va_list ap;

	ust_out_string(&o, x->error);
	__builtin_va_start(ap, fmt);
	format(&o, fmt, &ap);
	__builtin_va_end(ap);
	ust_out_finish(&o);
	ctx_fail(c, x->error);
}
