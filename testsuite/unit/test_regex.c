/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions: the tables of translator/regex, run by runtime/common/strings/regex.c,
 * compared with the C library's regexec(REG_EXTENDED).
 *
 * All pairs must agree on the match and its position. Groups must agree except where the C library
 * departs from POSIX, and where groups are repeated (there it keeps groups of earlier repetitions,
 * and may loop forever); for these the reference is a matcher below, which tries everything in the
 * order that POSIX requires.
 */
#include <locale.h>
#include <regex.h>

#include "rt_check.h"
#include "regex/regex.h"

#define SPANS  700
#define GROUPS 20

const struct ust_program ust_program = {.abi = UST_ABI,
					.probes = rt_check_probes,
					.nprobes = 1,
					.wheres = rt_check_wheres,
					.nwheres = 2,
					.maxaction = 100,
					.maxnesting = 3,
					.maxstringlen = UST_MAXSTRINGLEN,
					.frame_size = 2048,
					.match_spans = SPANS,
					.script = "test"};

/* ----------------------------------------------------- tables in this process */

static const struct ust_dfa *table_of(const struct dfa *d)
{
	struct ust_dfa *t = d ? xalloc(sizeof *t) : NULL;

	if (d)
		*t = (struct ust_dfa){d->next, d->accept, {d->start[0], d->start[1]}};
	return t;
}

static const struct ust_regex *compile(struct rx *re, int ngroups)
{
	struct rx_plan *p = rx_plan_new(re, ngroups, true);
	struct ust_rx_step *steps;
	struct ust_regex *x;

	if (!p)
		return NULL;
	x = xalloc(sizeof *x);
	steps = xalloc((p->steps.n + 1) * sizeof *steps);
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct rx_step *s = &p->steps.v[i];

		steps[i] = (struct ust_rx_step){(unsigned char)s->kind,
						(unsigned short)s->first,
						(unsigned short)s->last,
						(short)s->left,
						(short)s->right,
						table_of(s->fwd),
						table_of(s->bwd),
						s->live,
						s->live ? (ust_u32)s->bwd->nstates : 0};
	}
	*x = (struct ust_regex){
		p->classes.map,    (ust_u32)p->classes.n, (ust_u32)ngroups,     (ust_u32)p->steps.n,
		table_of(p->test), table_of(p->locate),   table_of(p->longest), steps};
	return x;
}

/* ------------------------------------------------- a matcher that tries everything */

struct groups {
	int beg[GROUPS], end[GROUPS];
};

/* True if RE matches [beg, end); its groups are stored in G. */
static int whole(const char *text, int len, const struct rx *re, int beg, int end,
		 struct groups *g);

/* Repetitions of E; the groups are those of the last one. */
static int repeated(const char *text, int len, const struct rx *e, int beg, int end,
		    struct groups *g)
{
	for (int cut = end; cut > beg; cut--) {
		struct groups mine = *g;

		if (!whole(text, len, e, beg, cut, &mine))
			continue;
		if (cut == end)
			*g = mine;
		if (cut == end || repeated(text, len, e, cut, end, g))
			return 1;
	}
	return 0;
}

static int divided(const char *text, int len, const struct rx *re, int beg, int end,
		   struct groups *g)
{
	for (int cut = end; cut >= beg; cut--) {
		struct groups mine = *g;

		if (whole(text, len, re->l, beg, cut, &mine) &&
		    whole(text, len, re->r, cut, end, &mine)) {
			*g = mine;
			return 1;
		}
	}
	return 0;
}

static int whole(const char *text, int len, const struct rx *re, int beg, int end, struct groups *g)
{
	struct groups mine = *g;

	switch (re->kind) {
	case RX_EMPTY:
		return beg == end;
	case RX_BOL:
		return beg == end && beg == 0;
	case RX_EOL:
		return beg == end && end == len;
	case RX_SET:
		return end == beg + 1 && rx_has(&re->set, (unsigned char)text[beg]);
	case RX_CAT:
		return divided(text, len, re, beg, end, g);
	case RX_ALT:
		if (whole(text, len, re->l, beg, end, &mine)) {
			*g = mine;
			return 1;
		}
		return whole(text, len, re->r, beg, end, g);
	case RX_OPT:
		if (whole(text, len, re->l, beg, end, &mine)) {
			*g = mine;
			return 1;
		}
		return beg == end;
	case RX_STAR:
	case RX_PLUS:
		if (beg == end && whole(text, len, re->l, beg, end, &mine)) {
			*g = mine;
			return 1;
		}
		return beg == end ? re->kind == RX_STAR : repeated(text, len, re->l, beg, end, g);
	default:
		for (int i = re->first; i < re->last && re->kind == RX_COPY; i++)
			mine.beg[i] = mine.end[i] = -1;
		if (!whole(text, len, re->l, beg, end, &mine))
			return 0;
		*g = mine;
		if (re->kind == RX_GROUP)
			g->beg[re->first] = beg, g->end[re->first] = end;
		return 1;
	}
}

/* ------------------------------------------------------------------ comparing */

static struct {
	unsigned pairs, groups, posix, wrong, large;
} count;

static void differs(const char *what, const char *re, const char *text, int group, const char *got,
		    const char *want)
{
	if (count.wrong++ < 20)
		printf("# %s: /%s/ \"%s\" group %d: got \"%s\", want \"%s\"\n", what, re, text,
		       group, got, want);
}

static const char *part(const char *text, int beg, int end)
{
	return beg < 0 ? "" : xprintf("%.*s", end - beg, text + beg);
}

/* Compare group I with the C library (LIBC), or with POSIX if that differs or LIBC is not set. */
static void compare_group(struct ust_ctx *c, const struct rx *rx, const char *re, const char *text,
			  const regmatch_t *m, int i, int libc)
{
	char buf[UST_MAXSTRINGLEN];
	const char *got = ust_matched(c, buf, i), *want = part(text, m[i].rm_so, m[i].rm_eo);
	struct groups g;

	count.groups++;
	if (libc && !strcmp(got, want))
		return;
	for (int k = 0; k < GROUPS; k++)
		g.beg[k] = g.end[k] = -1;
	if (!i || !whole(text, (int)strlen(text), rx, m[0].rm_so, m[0].rm_eo, &g))
		differs("matched()", re, text, i, got, want);
	else if (strcmp(got, part(text, g.beg[i], g.end[i])))
		differs("matched()", re, text, i, got, part(text, g.beg[i], g.end[i]));
	else
		count.posix += libc;
}

struct compiled {
	const char *text;
	struct rx *rx;
	const struct ust_regex *re;
	regex_t libc;
	int ngroups;
};

static int ready(struct compiled *p, const char *re)
{
	struct rx_error err;
	int ours, theirs;

	p->text = re;
	p->rx = rx_parse(re, strlen(re), &p->ngroups, &err);
	ours = p->rx != NULL;
	theirs = !regcomp(&p->libc, re, REG_EXTENDED);
	if (!ours || !theirs) {
		if (theirs)
			regfree(&p->libc);
		return 0;
	}
	p->re = compile(p->rx, p->ngroups);
	count.large += !p->re;
	return p->re && p->ngroups <= GROUPS;
}

static int repeats_groups(const struct rx *re, int inside)
{
	if (re->kind == RX_GROUP && inside)
		return 1;
	inside |= re->kind == RX_STAR || re->kind == RX_PLUS || re->kind == RX_COPY ||
		  re->kind == RX_OPT;
	return (re->l && repeats_groups(re->l, inside)) || (re->r && repeats_groups(re->r, inside));
}

static void compare(struct ust_ctx *c, struct compiled *p, const char *text)
{
	regmatch_t m[GROUPS] = {{0, 0}};
	int groups = !repeats_groups(p->rx, 0); /* else the C library may never return */
	int theirs = !regexec(&p->libc, text, groups ? GROUPS : 1, m, 0),
	    ours = ust_regex_match(c, p->re, text);

	count.pairs++;
	if (theirs != ours) {
		differs("=~", p->text, text, 0, ours ? "yes" : "no", theirs ? "yes" : "no");
		return;
	}
	for (int i = 0; ours && i < p->ngroups; i++)
		compare_group(c, p->rx, p->text, text, m, i, groups || !i);
}

/* --------------------------------------------------------------- random pairs */

static unsigned long long seed = 88172645463325252ull;

static unsigned random_below(unsigned n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

/* Anchors only outside of groups: in repeated ones the C library accepts ^ in the middle of a
 * text. */
static void random_re(struct strbuf *sb, int depth, int top)
{
	static const char *const atoms[] = {"a", "b", "c",           ".",  "[ab]", "[^a]",
					    "^", "$", "[[:alpha:]]", "ab", "\\."};
	static const char *const repeats[] = {"*",     "+",     "?",    "{2}",
					      "{1,2}", "{0,2}", "{1,}", "{2,3}"};
	unsigned n = 1 + random_below(3);
	int anchor;

	for (unsigned i = 0; i < n; i++) {
		unsigned which = random_below(12);

		anchor = 0;
		if (which < 5 && depth) {
			sb_add(sb, "(");
			random_re(sb, depth - 1, 0);
			if (random_below(2)) {
				sb_add(sb, "|");
				random_re(sb, depth - 1, 0);
			}
			sb_add(sb, ")");
		} else {
			which = random_below(ARRAY_LEN(atoms));
			anchor = (which == 6 || which == 7) && (!top || random_below(3));
			sb_add(sb, anchor ? "b" : atoms[which]);
			anchor = which == 6 || which == 7;
		}
		if (!anchor && !random_below(2))
			sb_add(sb, repeats[random_below(random_below(3) ? 3 : ARRAY_LEN(repeats))]);
	}
}

static void random_pairs(struct ust_ctx *c, int n)
{
	for (int i = 0; i < n; i++) {
		struct strbuf sb = {0};
		struct compiled p;
		char text[16];

		random_re(&sb, 1 + (int)random_below(3), 1);
		if (!ready(&p, sb.s))
			continue;
		for (int k = 0; k < 6; k++) {
			unsigned len = random_below(9);

			for (unsigned t = 0; t < len; t++)
				text[t] = "abc."[random_below(random_below(4) ? 2 : 4)];
			text[len] = 0;
			compare(c, &p, text);
		}
		regfree(&p.libc);
	}
}

/* ------------------------------------------------------------------ chosen ones */

static const char *const chosen[][2] = {
	{"", "x"},
	{"", ""},
	{"^$", ""},
	{"^$", "x"},
	{"$^", ""},
	{"a|b", "xb"},
	{"(a|ab)(c|bcd)(d*)", "abcd"},
	{"x*", "aaxx"},
	{"(a*)*", "b"},
	{"(a*)+", "aa"},
	{"(a|b)*", "abab"},
	{"(a)|(b)", "b"},
	{"()", "a"},
	{"(|a)+", "aaa"},
	{"o+(b)(.*)([0-9])", "foobar42"},
	{"[]a]+", "]a]"},
	{"[^]a]+", "]a]xyz"},
	{"[a-]+", "a-a"},
	{"[[:digit:]]+\\.[[:digit:]]{2}", "price 12.345"},
	{"[[.-.]a]+", "x-a-"},
	{"[[=a=]b]+", "xab"},
	{"^(.*)/([^/]*)$", "/usr/lib/libc.so"},
	{"([a-z]+)@([a-z]+)\\.com", "mail me@here.com now"},
	{"(a?)(ab)?", "ab"},
	{"(a.|.a.)*|(a|.a...)", "abaabb"},
	{"(ab|a)(bc|c)?", "abc"},
	{"(a+|b)(c+)?", "aacc"},
	{"((foo)|(bar))!bas", "foo!bar!bas"},
	{"(.?){4}", "abc"},
	{"(a|b|c|d|e)f", "ef"},
	{"a{3}", "aaaa"},
	{"(([a-c])b*?\\2)*", "ababb"},
	{"a**", "aaa"},
	{"(a+?)", "aa"},
	{"x{0}y", "y"},
	{"(x){0}y", "y"},
	{"\xc3\xa9+", "caf\xc3\xa9"},
	{"^[^\x80-\xff]*$", "abc"},
	{"a)", "xa)"},
	{"[a-c-]+", "-abc"},
	{"(^a|b$)+", "ab"},
	{"(a$|^b|c)*", "ca"},
	{"x(^|a)", "xa"},
	{"(a|$)b*", "b"},
	{"[[:space:]]+", "a \t\nb"},
};

static void chosen_pairs(struct ust_ctx *c)
{
	for (size_t i = 0; i < ARRAY_LEN(chosen); i++) {
		struct compiled p;

		if (!ready(&p, chosen[i][0]))
			continue;
		compare(c, &p, chosen[i][1]);
		regfree(&p.libc);
	}
}

static void long_texts(struct ust_ctx *c)
{
	char text[UST_MAXSTRINGLEN], buf[UST_MAXSTRINGLEN];
	struct compiled p;

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	check("compiles", ready(&p, "((a|aa)*)(b?)$"));
	check("matches a long text", ust_regex_match(c, p.re, text));
	check_long("to its end", (ust_long)strlen(ust_matched(c, buf, 1)), UST_MAXSTRINGLEN - 1);
	check_text("last repetition", ust_matched(c, buf, 2), "a");
	check_long("groups", ust_ngroups(c), 4);
}

static void sizes(void)
{
	struct rx_error err;
	struct rx *re;
	int n;

	re = rx_parse("(a|b)*a(a|b){14}", 16, &n, &err);
	check("too many states are refused", re && !rx_plan_new(re, n, false));
	check("a large repetition is refused",
	      !rx_parse("(a{1000}){1000}", 15, &n, &err) && err.tag == E_LIMIT);
}

static void checks(struct ust_ctx *c)
{
	chosen_pairs(c);
	random_pairs(c, 4000);
	printf("# %u pairs, %u groups, of them %u where the C library departs from POSIX; %u too "
	       "large\n",
	       count.pairs, count.groups, count.posix, count.large);
	check("thousands of pairs", count.pairs > 10000);
	check("all as regexec() or POSIX have them", !count.wrong);
	check("few departures", count.posix * 10 < count.groups);
	long_texts(c);
	sizes();
}
