/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings with characters of several bytes, and with bytes that are none. */
struct text {
	const char *all;
	char cut[8];
	char quote;
};

__attribute__((noipa)) void look(struct text *t, const char *s) { __asm__("" ::"r"(t), "r"(s)); }

int main(void)
{
	struct text t = {"\303\251\342\202\254\360\237\230\200'x\377\303", "ab\342\202", '\''};

	look(&t, t.all);
	return 0;
}
