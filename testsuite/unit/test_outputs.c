/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON strings, damaged records with parts, reports, regular expressions of ustap test. */
#include "tester.h"
#include "report/test_points.h"

#include <stdlib.h>
#include <string.h>

#include "staprun_check.h"

/* ------------------------------------------------------------------------ JSON */

static const struct {
	const char *in, *out;
	bool good;
} strings[] = {
	{"", "\"\"", true},
	{"a\"b\\c/", "\"a\\\"b\\\\c/\"", true},
	{"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"", true},
	{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", true},
	{"\xff", "\"\\ufffd\"", false},
	{"\x80z", "\"\\ufffdz\"", false},
	{"\xc3", "\"\\ufffd\"", false},
	{"\xe2\x82", "\"\\ufffd\\ufffd\"", false},
	{"\xc0\xaf", "\"\\ufffd\\ufffd\"", false}, /* overlong forms */
	{"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"", false},
	{"\xf0\x8f\xbf\xbf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", false},
	{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", false},            /* a surrogate */
	{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", false}, /* beyond the last code
									  * point */
	{"\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"", true},
};

static void test_strings(void)
{
	bool all = true;

	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		struct text t = {0};
		bool good = json_string(&t, strings[i].in, strlen(strings[i].in));

		all &= good == strings[i].good && !strcmp(t.s, strings[i].out);
		free(t.s);
	}
	check(all, "bytes become strings of JSON", "it is otherwise");
}

static void test_base64(void)
{
	static const char *const pairs[][2] = {{"", "\"\""},
					       {"f", "\"Zg==\""},
					       {"fo", "\"Zm8=\""},
					       {"foo", "\"Zm9v\""},
					       {"\xff\xfe\xfd\xfc", "\"//79/A==\""}};
	bool all = true;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct text t = {0};

		json_base64(&t, pairs[i][0], strlen(pairs[i][0]));
		all &= !strcmp(t.s, pairs[i][1]);
		free(t.s);
	}
	check(all, "base64 as RFC 4648 has it", "it is otherwise");
}

/* ----------------------------------------------------------------------- parts */

static struct {
	size_t items, args, bytes;
	char last[64];
} seen;

static void see_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	(void)o;
	seen.items++;
	seen.args += it->nargs;
	seen.bytes += it->len + strlen(h->point) + strlen(h->func) + strlen(h->comm) +
		      (it->at ? strlen(it->at) : 0);
	for (size_t i = 0; i < it->nargs; i++)
		seen.bytes += it->args[i].is_string ? it->args[i].len : 0;
	snprintf(seen.last, sizeof seen.last, "%.*s", (int)it->len, it->text ? it->text : "");
}

static const struct format format_seen = {.name = "seen", .item = see_item};

/* A record: TEXT, the texts "p" and "f", MARKS in their order. */
static struct ust_rec *record(const char *text, const struct ust_mark *marks, uint32_t n,
			      uint32_t flags, uint32_t context)
{
	uint32_t len = (uint32_t)strlen(text), at = (len + 4 + 7) & ~7u;
	struct ust_rec *r = calloc(1,
				   sizeof *r + sizeof(struct ust_parts) + at + n * sizeof *marks);
	struct ust_parts *e = (struct ust_parts *)(r + 1);

	r->len = (uint32_t)(sizeof *e + at + n * sizeof *marks);
	r->type = UST_REC_PARTS;
	*e = (struct ust_parts){.text = len,
				.texts = 4,
				.marks = n,
				.flags = flags,
				.context = context,
				.comm = "me"};
	memcpy(e + 1, text, len);
	memcpy((char *)(e + 1) + len, "p\0f", 4);
	for (uint32_t i = 0; i < n; i++)
		memcpy((char *)(e + 1) + at + i * sizeof *marks, &marks[n - 1 - i], sizeof *marks);
	return r;
}

static const struct ust_mark statement[] = {{0, UST_MARK_BEGIN, 1},
					    {14, UST_MARK_STRING, 0},
					    {17, UST_MARK_LONG, 5},
					    {17, UST_MARK_TEXT, 0},
					    {20, UST_MARK_END, 0}};
static const char statement_text[] = "t.stp:1:1\np\na\nstrout";
enum { WHOLE = UST_PARTS_FIRST | UST_PARTS_LAST };

static void give(struct output *o, struct ust_rec *r)
{
	parts_record(o, r);
	free(r);
}

static void test_parts(void)
{
	struct output o = {.format = &format_seen};

	memset(&seen, 0, sizeof seen);
	give(&o, record(statement_text, statement, 5, WHOLE, 1));
	check(seen.items == 1 && seen.args == 2 && !strcmp(seen.last, "out"),
	      "a statement with two arguments", "it is otherwise");
	give(&o, record("plain", NULL, 0, UST_PARTS_FIRST, 1));
	give(&o, record(statement_text, statement, 5, WHOLE, 2));
	check(seen.items == 2, "a hit of which more is to come waits", "it is otherwise");
	give(&o, record(" text", NULL, 0, UST_PARTS_LAST, 1));
	check(seen.items == 3 && !strcmp(seen.last, "plain text"), "its text comes in one",
	      "it is otherwise");
	give(&o, record("t.stp:1:1\np\na\nst", statement, 2, UST_PARTS_FIRST, 3));
	give(&o, record("rout",
			(struct ust_mark[]){
				{1, UST_MARK_LONG, 5}, {1, UST_MARK_TEXT, 0}, {4, UST_MARK_END, 0}},
			3, UST_PARTS_LAST, 3));
	check(seen.items == 4 && seen.args == 6 && !strcmp(seen.last, "out"),
	      "a statement goes over the end of a record", "it is otherwise");
	give(&o, record("lost its end", NULL, 0, UST_PARTS_FIRST, 4));
	give(&o, record("next", NULL, 0, WHOLE, 4));
	check(seen.items == 6 && !strcmp(seen.last, "next"),
	      "a hit without an end ends with the next of its context", "it is otherwise");
	parts_end(&o);
	check(seen.items == 6, "nothing is left", "it is otherwise");
}

static unsigned dice(unsigned n) { return (unsigned)(random64() >> 33) % n; }

static struct ust_rec *damaged(void)
{
	struct ust_rec *r = record(statement_text, statement, 5, dice(2) ? WHOLE : dice(32),
				   dice(3)),
		       *copy;
	unsigned n = 1 + dice(4);

	while (n--)
		((unsigned char *)(r + 1))[dice(r->len)] = (unsigned char)(dice(2) ? dice(256)
										   : 1u << dice(8));
	if (!dice(4))
		r->len = dice(r->len);
	/* without a byte after it */
	copy = malloc(sizeof *r + r->len);
	memcpy(copy, r, sizeof *r + r->len);
	free(r);
	return copy;
}

/* Shared memory of the user runtime may contain any bytes: no byte of a record is trusted. */
static void test_damaged(void)
{
	const struct format *const formats[] = {&format_seen, &format_json, &format_folded,
						&format_trace};
	struct ust_status st = {0};

	memset(&seen, 0, sizeof seen);
	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
		struct output o = {.format = formats[f]};

		if (!output_open(&o, "/dev/null"))
			break;
		for (int i = 0; i < 50000; i++)
			give(&o, damaged());
		output_end(&o, &st, 0);
		output_close(&o);
	}
	check(seen.items > 0, "damaged records", "none had an item");
}

/* ---------------------------------------------------------------------- reports */

static void test_reports(void)
{
	static const struct point points[] = {{POINT_PASSED, "one # two", "", 0.5},
					      {POINT_FAILED, "a<b", "x & \"y\"\nz\x01\xff", 0},
					      {POINT_SKIPPED, "three", "no file", 0}};
	struct text t = {0};

	points_tap(&t, points, 3);
	check(!strcmp(t.s, "TAP version 14\n1..3\nok 1 - one \\# two\nnot ok 2 - a<b\n  ---\n  "
			   "message: |\n    x & \"y\"\n    z\x01\xff\n"
			   "  ...\nok 3 - three # SKIP no file\n"),
	      "TAP", "it is otherwise");
	t.n = 0;
	points_junit(&t, "s", points, 3, 1);
	check(strstr(t.s, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.000\"") &&
		      strstr(t.s, "name=\"a&#60;b\" time=\"0.000\"><failure message=\"x &#38; "
				  "&#34;y&#34;&#10;z\xef\xbf\xbd\xef\xbf\xbd\"/>") &&
		      strstr(t.s, "<skipped message=\"no file\"/>"),
	      "JUnit", "it is otherwise");
	free(t.s);
}

/* ---------------------------------------------------------------------- patterns */

static const struct {
	const char *re, *s;
	int matches;
} patterns[] = {
	{"^\\d+$", "123", 1},
	{"^\\d+$", "12a", 0},
	{"[\\d.]+x", "1.5x", 1},
	{"^[^\\d]$", "5", 0},
	{"\\w \\S\\s", "a b ", 1},
	{"(?:ab)+c", "ababc", 1},
	{"^a.*?b$", "axxb", 1},
	{"^a{2,3}$", "aaa", 1},
	{"^{\"a\":1}$", "{\"a\":1}", 1},
	{"^(a|b)\\1$", "bb", 1},
	{"^(a|b)\\1$", "ab", 0},
	{"\\mfoo\\M", "a foo b", 1},
	{"\\mfoo\\M", "food", 0},
	{"\\[x\\]", "[x]", 1},
	{"[]x]", "]", 1},
	{"[[:upper:]\\s]$", "a ", 1},
	{"a\\.b", "axb", 0},
	{"(", "", -1},
	{"", "x", 1},
};

static void test_patterns(void)
{
	bool all = true;

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		bool right = pattern_matches(patterns[i].re, patterns[i].s) == patterns[i].matches;

		if (!right)
			printf("# %s on %s\n", patterns[i].re, patterns[i].s);
		all &= right;
	}
	check(all, "regular expressions", "it is otherwise");
}

int main(void)
{
	test_strings();
	test_base64();
	test_parts();
	drop_messages();
	test_damaged();
	restore_messages();
	test_reports();
	test_patterns();
	return failed != 0;
}
