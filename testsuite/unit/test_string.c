/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings: runtime/common/strings/string.c. */
#include "rt_check.h"

PROGRAM(NULL, 0);

static char a[UST_MAXSTRINGLEN], b[UST_MAXSTRINGLEN];

static void copies(void)
{
	static char longer[1000];

	memset(longer, 'x', sizeof longer - 1);
	ust_strcpy(a, longer);
	check_long("cut", (ust_long)strlen(a), UST_MAXSTRINGLEN - 1);
	ust_strcat(a, "more");
	check_long("nothing added to a full one", (ust_long)strlen(a), UST_MAXSTRINGLEN - 1);
	a[UST_MAXSTRINGLEN - 3] = 0;
	ust_strcat(a, "more");
	check_text("what fits is added", a + UST_MAXSTRINGLEN - 4, "xmo");
	ust_strcpy(a, "ab");
	ust_strcat(a, a);
	check_text("s .= s", a, "abab");
	ust_strcpy(a, a);
	check_text("s = s", a, "abab");
	check("strcmp", ust_strcmp("10", "9") < 0 && ust_strcmp("a", "a") == 0 &&
				ust_strcmp("\xff", "a") > 0 && ust_strcmp("ab", "a") > 0);
}

static void parts(struct ust_ctx *c)
{
	check_text("substr", ust_substr(c, b, "hello", 1, 3), "ell");
	check_text("substr past the end", ust_substr(c, b, "hello", 3, 30), "lo");
	check_text("substr behind the end", ust_substr(c, b, "hello", 5, 1), "");
	check_text("substr before the beginning", ust_substr(c, b, "hello", -1, 3), "");
	check_text("substr of no length", ust_substr(c, b, "hello", 1, 0), "");
	check_text("substr, least length", ust_substr(c, b, "hello", 0, -9223372036854775807ll - 1),
		   "");
	check("isinstr", ust_isinstr(c, "hello", "llo") && ust_isinstr(c, "hello", "") &&
				 ust_isinstr(c, "", "") && !ust_isinstr(c, "hello", "lol"));
	check_long("strlen", ust_strlen(c, "hello"), 5);
}

static void numbers(struct ust_ctx *c)
{
	check_long("strtol 10", ust_strtol(c, "12x", 10), 12);
	check_long("strtol 16", ust_strtol(c, "0x1F", 16), 31);
	check_long("strtol of itself", ust_strtol(c, "0x1f", 0) + ust_strtol(c, "017", 0), 46);
	check_long("strtol, no such base",
		   ust_strtol(c, "x", 100) + ust_strtol(c, "5", -1) + ust_strtol(c, "1", 1), 0);
	check_long("strtol negative", ust_strtol(c, "-5", 10), -5);
	check_long("strtol skips no blanks", ust_strtol(c, " 5", 10), 0);
	check_long("strtol of nothing", ust_strtol(c, "", 10) + ust_strtol(c, "0x", 16), 0);
}

static void checks(struct ust_ctx *c)
{
	copies();
	parts(c);
	numbers(c);
}
