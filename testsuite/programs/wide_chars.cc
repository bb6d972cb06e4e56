/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters and strings of UTF-16 and UTF-32. */
struct text {
	char16_t a[8];
	char32_t b[8];
	char16_t whole[3];
	char16_t broken[4];
	char16_t c, half;
	char32_t d, beyond;
	const char16_t *p;
	const char32_t *q;
	const char16_t *nowhere;
};

__attribute__((noinline)) static int show(const text *x, char16_t c, const char16_t *p)
{
	asm volatile("" : : "r"(x), "r"(c), "r"(p) : "memory");
	return x->c + c;
}

int main()
{
	static const text x = {u"h\u00e9llo",
			       U"\U0001F600ok",
			       {u'a', u'b', u'c'},
			       {0xd800, u'x', 0x80, 0},
			       u'"',
			       0xdc00,
			       U'\'',
			       0x110000,
			       u"q\"\n\u20ac",
			       U"\x9b" "1m",
			       reinterpret_cast<const char16_t *>(8)};

	return show(&x, u'\u00e9', u"argument") == 0;
}
