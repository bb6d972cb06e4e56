/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats: runtime/common/strings/fmt.c. Conversions that C defines are compared with the C
 * library. */
#include "rt_check.h"

PROGRAM(NULL, 0);

static char got[UST_MAXSTRINGLEN];

static const char *l(char conv, unsigned char flags, int width, int prec, ust_long v)
{
	struct ust_spec spec = {conv, flags, width, prec};
	struct ust_out o;

	ust_out_string(&o, got);
	ust_put_l(&o, &spec, v);
	ust_out_finish(&o);
	return got;
}

static const char *s(unsigned char flags, int width, int prec, const char *v)
{
	struct ust_spec spec = {'s', flags, width, prec};
	struct ust_out o;

	ust_out_string(&o, got);
	ust_put_str(&o, &spec, v);
	ust_out_finish(&o);
	return got;
}

static size_t c_format(char *to, char conv, unsigned flags, int width, int prec)
{
	size_t n = 0;

	to[n++] = '%';
	for (int i = 0; i < 5; i++)
		if (flags & 1u << i)
			to[n++] = "-0+ #"[i];
	if (width >= 0)
		n += (size_t)sprintf(to + n, "%d", width);
	if (prec >= 0)
		n += (size_t)sprintf(to + n, ".%d", prec);
	if (conv != 's')
		n += (size_t)sprintf(to + n, "ll");
	to[n++] = conv;
	to[n] = 0;
	return n;
}

/* Every conversion, flag set, width and precision, as C has them. */
static void as_c(void)
{
	static const ust_long values[] = {
		0, 1, -1, 8, 42, -42, 255, 1234567890123ll, -9223372036854775807ll - 1};
	char fmt[40], want[200], name[80];
	int wrong = 0;

	for (const char *conv = "diuoxX"; *conv; conv++)
		for (unsigned flags = 0; flags < 32; flags++)
			for (int width = -1; width < 26; width += 9)
				for (int prec = -1; prec < 24; prec += *conv == 'o' ? 4 : 3)
					for (size_t i = 0; i < sizeof values / sizeof values[0];
					     i++) {
						if (!values[i] && (flags & UST_F_ALT) &&
						    (*conv == 'x' || *conv == 'X'))
							continue; /* own(), below */
						c_format(fmt, *conv, flags, width, prec);
						snprintf(want, sizeof want, fmt, values[i]);
						if (strcmp(l(*conv, (unsigned char)flags, width,
							     prec, values[i]),
							   want) &&
						    !wrong++) {
							snprintf(name, sizeof name, "%s of %lld",
								 fmt, values[i]);
							check_text(name, got, want);
						}
					}
	check_long("as the C library", wrong, 0);
}

static void texts(void)
{
	check_text("%5s", s(0, 5, -1, "ab"), "   ab");
	check_text("%-5s", s(UST_F_MINUS, 5, -1, "ab"), "ab   ");
	check_text("%.2s", s(0, -1, 2, "abc"), "ab");
	check_text("%.0s", s(0, -1, 0, "abc"), "");
	check_text("%*s, negative", s(0, -5, -1, "ab"), "ab   ");
	/* would take minutes without a limit */
	check_long("%*s, senseless", (ust_long)strlen(s(0, 0x7fffffff, -1, "ab")),
		   UST_MAXSTRINGLEN - 1);
	check_long("%*s, senseless on the left", (ust_long)strlen(s(0, -0x7fffffff - 1, -1, "ab")),
		   UST_MAXSTRINGLEN - 1);
	check_long("%.*d, senseless", (ust_long)strlen(l('d', 0, -1, 0x7fffffff, 1)),
		   UST_MAXSTRINGLEN - 1);
}

static void own(void)
{
	check_text("%p", l('p', 0, -1, -1, 4096), "0x1000");
	check_text("%p of 0", l('p', 0, -1, -1, 0), "0x0");
	check_text("%#x of 0, unlike C", l('x', UST_F_ALT, -1, -1, 0), "0x0");
	check_text("%20p", l('p', 0, 20, -1, 4096), "              0x1000");
	check_text("%-20p", l('p', UST_F_MINUS, 20, -1, 4096), "0x1000              ");
	check_text("%c", l('c', 0, -1, -1, 65), "A");
	check_text("%5c", l('c', 0, 5, -1, 66), "    B");
	l('c', 0, -1, -1, 0);
	check("%c of 0 writes a NUL", got[0] == 0 && got[1] == 0);
	check_text("%#c of 0", l('c', UST_F_ALT, -1, -1, 0), "\\000");
	check_text("%#c of 10", l('c', UST_F_ALT, -1, -1, 10), "\\n");
	check_text("%#c of 200", l('c', UST_F_ALT, -1, -1, 200), "\\310");
	check_text("%#c of a quote", l('c', UST_F_ALT, -1, -1, '"'), "\"");
	check("%4b", !memcmp(l('b', 0, 4, -1, 0x44434241), "ABCD", 5));
	check("%b is eight", !memcmp(l('b', 0, -1, -1, 0x4847464544434241ll), "ABCDEFGH", 9));
	check("%1b", !memcmp(l('b', 0, 1, -1, 0x4241), "A", 2));
}

static void strings_end(void)
{
	static char longer[2000];
	struct ust_out o;

	memset(longer, 'x', sizeof longer - 1);
	ust_out_string(&o, got);
	ust_put(&o, "begin", 5);
	ust_put_s(&o, longer);
	ust_put_d(&o, 12345);
	ust_out_finish(&o);
	check_long("cut at the string's end", (ust_long)strlen(got), UST_MAXSTRINGLEN - 1);
	ust_out_string(&o, got);
	ust_put_d(&o, -9223372036854775807ll - 1);
	ust_put_d(&o, 0);
	ust_put_s(&o, "!");
	ust_out_finish(&o);
	check_text("%d of the least", got, "-92233720368547758080!");
}

/* Short numbers have a path of their own. */
static void plain_numbers(void)
{
	static const ust_long v[] = {0,
				     1,
				     9,
				     10,
				     42,
				     99,
				     100,
				     101,
				     999,
				     1000,
				     65535,
				     4294967295,
				     4294967296,
				     -1,
				     -10,
				     -100,
				     99999999999999,
				     9223372036854775807};
	char want[32];

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct ust_out o;

		ust_out_string(&o, got);
		ust_put_d(&o, v[i]);
		ust_out_finish(&o);
		snprintf(want, sizeof want, "%lld", v[i]);
		check_text("%d", got, want);
	}
}

static void checks(struct ust_ctx *c)
{
	(void)c;
	as_c();
	plain_numbers();
	texts();
	own();
	strings_end();
}
