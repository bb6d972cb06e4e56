/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX extended regular expressions, to a tree (POSIX.1-2017 9.4).
 *
 * What POSIX leaves undefined is an error, but for a `)` without its `(`,
 * which is an ordinary character, and empty alternatives and groups, which
 * match the empty string.  Repetitions with counts are written out.
 */
#include <ctype.h>
#include <string.h>

#include "regex.h"

#define MAX_NESTING 100

struct reader {
	const char *text;
	size_t len, at;
	int groups, nesting;
	struct rx_error *err;
};

static struct rx *alternatives(struct reader *r);

/* ---------------------------------------------------------------- trees */

static int fixed_length(const struct rx *re)
{
	const struct rx *l = re->l, *r = re->r;

	switch (re->kind) {
	case RX_SET:
		return 1;
	case RX_CAT:
		return l->fixed < 0 || r->fixed < 0 ? -1 : l->fixed + r->fixed;
	case RX_ALT:
		return l->fixed == r->fixed ? l->fixed : -1;
	case RX_GROUP:
	case RX_COPY:
		return l->fixed;
	case RX_STAR:
	case RX_PLUS:
	case RX_OPT:
		return l->fixed == 0 ? 0 : -1;
	default:
		return 0;
	}
}

struct rx *rx_new(enum rx_kind kind, struct rx *l, struct rx *r)
{
	struct rx *re = xalloc(sizeof *re);

	re->kind = kind;
	re->l = l;
	re->r = r;
	re->size = 2 + (l ? l->size : 0) + (r ? r->size : 0);
	re->groups = kind == RX_GROUP || (l && l->groups) || (r && r->groups);
	re->fixed = fixed_length(re);
	return re;
}

/* ---------------------------------------------------------------- errors */

static struct rx *fail_at(struct reader *r, size_t at, const char *msg, const char *hint)
{
	if (!r->err->msg)
		*r->err = (struct rx_error){msg, hint, at, E_REGEX};
	return NULL;
}

static struct rx *too_large(struct reader *r, size_t at)
{
	if (!r->err->msg)
		*r->err = (struct rx_error){"the regular expression is too large", NULL, at,
					    E_LIMIT};
	return NULL;
}

static int peek(const struct reader *r)
{
	return r->at < r->len ? (unsigned char)r->text[r->at] : -1;
}

static bool take(struct reader *r, int ch)
{
	if (peek(r) != ch)
		return false;
	r->at++;
	return true;
}

/* ------------------------------------------------------------------ sets */

static struct rx *set_new(const struct rx_set *set)
{
	struct rx *re = rx_new(RX_SET, NULL, NULL);

	re->set = *set;
	return re;
}

static struct rx *byte(unsigned ch)
{
	struct rx_set set = {{0}};

	rx_add(&set, ch);
	return set_new(&set);
}

/* All bytes of a text that are not in SET. */
static void invert(struct rx_set *set)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] = ~set->bits[i];
	set->bits[0] &= ~1ull;
}

static struct rx *any(void)
{
	struct rx_set set = {{0}};

	invert(&set);
	return set_new(&set);
}

/* The POSIX locale's. */
static bool in_class(const char *name, size_t len, int ch)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} classes[] = {
		{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
		{"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
		{"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit},
	};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			return ch < 0 || (ch < 128 && classes[i].is(ch));
	return false;
}

/* The text between `[:`, `[.` or `[=`, which was read, and the matching end, `:]`; NULL after an
 * error. */
static const char *bracket_name(struct reader *r, char kind, size_t *len)
{
	size_t beg = r->at;
	char end[2] = {kind, ']'};

	for (; r->at + 1 < r->len; r->at++)
		if (!memcmp(r->text + r->at, end, 2)) {
			*len = r->at - beg;
			r->at += 2;
			return r->text + beg;
		}
	fail_at(r, beg - 2, xprintf("[%c without %c]", kind, kind), NULL);
	return NULL;
}

static bool named_class(struct reader *r, struct rx_set *set)
{
	size_t len, at = r->at;
	const char *name = bracket_name(r, ':', &len);

	if (!name)
		return false;
	if (!in_class(name, len, -1)) {
		fail_at(r, at, xprintf("unknown character class \"%.*s\"", (int)len, name),
			"the classes are alpha, digit, alnum, upper, lower, space, blank, punct, "
			"print, graph, cntrl and xdigit");
		return false;
	}
	for (int ch = 1; ch < 128; ch++)
		if (in_class(name, len, ch))
			rx_add(set, (unsigned)ch);
	return true;
}

/* One end of a range: a character, [.x.] or [=x=]; -1 after an error. */
static int range_end(struct reader *r)
{
	size_t len, at = r->at;
	const char *name;
	char kind;

	if (r->text[r->at] != '[' || r->at + 1 >= r->len || !strchr(".=", r->text[r->at + 1]))
		return (unsigned char)r->text[r->at++];
	kind = r->text[r->at + 1];
	r->at += 2;
	name = bracket_name(r, kind, &len);
	if (name && len == 1)
		return (unsigned char)*name;
	if (name)
		fail_at(r, at, xprintf("unknown collating element \"%.*s\"", (int)len, name), NULL);
	return -1;
}

static bool is_range(const struct reader *r)
{
	return r->at + 1 < r->len && r->text[r->at] == '-' && r->text[r->at + 1] != ']';
}

static bool set_item(struct reader *r, struct rx_set *set)
{
	size_t at = r->at;
	int lo, hi;

	if (r->at + 1 < r->len && !memcmp(r->text + r->at, "[:", 2)) {
		r->at += 2;
		return named_class(r, set);
	}
	lo = hi = range_end(r);
	if (lo >= 0 && is_range(r)) {
		r->at++;
		hi = range_end(r);
	}
	if (hi < 0)
		return false;
	if (hi < lo) {
		fail_at(r, at, xprintf("the range %.*s is empty", (int)(r->at - at), r->text + at),
			NULL);
		return false;
	}
	for (; lo <= hi; lo++)
		rx_add(set, (unsigned)lo);
	return true;
}

/* After `[`. */
static struct rx *bracket(struct reader *r)
{
	size_t open = r->at - 1, first;
	struct rx_set set = {{0}};
	bool not = take(r, '^');

	for (first = r->at; r->at < r->len;)
		if (r->text[r->at] == ']' && r->at > first) {
			r->at++;
			if (not )
				invert(&set);
			set.bits[0] &= ~1ull;
			return set_new(&set);
		} else if (!set_item(r, &set)) {
			return NULL;
		}
	return fail_at(r, open, "[ without ]", NULL);
}

/* ----------------------------------------------------------------- atoms */

/* After a backslash. */
static struct rx *escape(struct reader *r)
{
	int ch = peek(r);

	if (ch < 0)
		return fail_at(r, r->at - 1, "\\ at the end of a regular expression", NULL);
	if (isdigit(ch) && ch != '0')
		return fail_at(r, r->at - 1, "back references are not supported", NULL);
	if (isalnum(ch))
		return fail_at(
			r, r->at - 1,
			xprintf("\\%c is not defined in POSIX extended regular expressions", ch),
			strchr("wWsSdDbB", ch)
				? "use a bracket expression, like [[:alnum:]_] or [[:space:]]"
				: NULL);
	r->at++;
	return byte((unsigned)ch);
}

/* After `(`. */
static struct rx *group(struct reader *r)
{
	int number = r->groups++;
	size_t open = r->at - 1;
	struct rx *e, *re;

	if (++r->nesting > MAX_NESTING)
		return too_large(r, open);
	e = alternatives(r);
	r->nesting--;
	if (!e)
		return NULL;
	if (!take(r, ')'))
		return fail_at(r, open, "( without )", NULL);
	re = rx_new(RX_GROUP, e, NULL);
	re->first = number;
	re->last = r->groups;
	return re;
}

static struct rx *atom(struct reader *r)
{
	int ch = peek(r);

	r->at++;
	switch (ch) {
	case '.':
		return any();
	case '[':
		return bracket(r);
	case '(':
		return group(r);
	case '^':
		return rx_new(RX_BOL, NULL, NULL);
	case '$':
		return rx_new(RX_EOL, NULL, NULL);
	case '\\':
		return escape(r);
	case '*':
	case '+':
	case '?':
	case '{':
		return fail_at(r, r->at - 1, xprintf("%c has nothing to repeat", ch),
			       "write \\ before it to match the character");
	default:
		return byte((unsigned)ch);
	}
}

/* ----------------------------------------------------------- repetitions */

/* One of several copies of E, whose groups are those from FIRST on. */
static struct rx *copy(struct reader *r, struct rx *e, int first)
{
	struct rx *re;

	if (!e->groups)
		return e;
	re = rx_new(RX_COPY, e, NULL);
	re->first = first;
	re->last = r->groups;
	return re;
}

/* E{min,max}; max < 0: without end. */
static struct rx *repeat(struct reader *r, struct rx *e, int first, int min, int max, size_t at)
{
	struct rx *c = copy(r, e, first), *re = NULL;

	if (e->size * (size_t)(max < 0 ? min + 1 : max) > RX_MAX_SIZE)
		return too_large(r, at);
	if (max < 0)
		re = rx_new(RX_STAR, c, NULL);
	for (int i = max; i > min; i--)
		re = rx_new(RX_OPT, re ? rx_new(RX_CAT, c, re) : c, NULL);
	for (int i = 0; i < min; i++)
		re = re ? rx_new(RX_CAT, c, re) : c;
	return re ? re : rx_new(RX_EMPTY, NULL, NULL);
}

static int number(struct reader *r)
{
	int n = 0;

	if (!isdigit(peek(r))) {
		fail_at(r, r->at, "a number is missing in {}", NULL);
		return -1;
	}
	for (; isdigit(peek(r)); r->at++)
		if (n <= RX_MAX_REPEAT)
			n = n * 10 + r->text[r->at] - '0';
	return n;
}

/* After `{`. */
static struct rx *counted(struct reader *r, struct rx *e, int first)
{
	size_t open = r->at - 1;
	int min = number(r), max = min;

	if (min >= 0 && take(r, ','))
		max = peek(r) == '}' ? -1 : number(r);
	if (r->err->msg)
		return NULL;
	if (!take(r, '}'))
		return fail_at(r, open, "{ without }", NULL);
	if (max >= 0 && max < min)
		return fail_at(r, open, "the counts in {} are in the wrong order", NULL);
	if (min > RX_MAX_REPEAT || max > RX_MAX_REPEAT)
		return fail_at(r, open, xprintf("a count in {} is more than %d", RX_MAX_REPEAT),
			       NULL);
	return repeat(r, e, first, min, max, open);
}

static bool is_repetition(int ch) { return ch == '*' || ch == '+' || ch == '?' || ch == '{'; }

static struct rx *repeated(struct reader *r)
{
	int first = r->groups;
	struct rx *e = atom(r);

	for (int depth = 0; e && is_repetition(peek(r)); depth++) {
		int ch = r->text[r->at++];

		if (e->kind == RX_BOL || e->kind == RX_EOL)
			return fail_at(r, r->at - 1, xprintf("%c cannot repeat an anchor", ch),
				       NULL);
		if (depth > MAX_NESTING)
			return too_large(r, r->at);
		if (ch == '{')
			e = counted(r, e, first);
		else
			e = rx_new(ch == '*' ? RX_STAR : ch == '+' ? RX_PLUS : RX_OPT, e, NULL);
	}
	return e;
}

/* --------------------------------------------------------- concatenations */

typedef VEC(struct rx *) rx_vec;

/* May A and B be one item, without a change to which groups match what?  Groups take as much as
 * they can from left to right; so do repetitions, but it shows only where two of them compete. */
static bool joins(const struct rx *a, const struct rx *b)
{
	return !a->groups && !b->groups && (a->fixed >= 0 || b->fixed >= 0);
}

static struct rx *concatenate(const rx_vec *items)
{
	struct rx *re = NULL;

	for (size_t i = items->n; i-- > 0;)
		re = re ? rx_new(RX_CAT, items->v[i], re) : items->v[i];
	return re ? re : rx_new(RX_EMPTY, NULL, NULL);
}

static struct rx *concatenation(struct reader *r)
{
	rx_vec items = {0};
	struct rx *e;

	while (r->at < r->len && peek(r) != '|' && !(peek(r) == ')' && r->nesting)) {
		e = repeated(r);
		if (!e)
			return NULL;
		if (items.n && joins(items.v[items.n - 1], e))
			items.v[items.n - 1] = rx_new(RX_CAT, items.v[items.n - 1], e);
		else
			vec_push(&items, e);
	}
	return concatenate(&items);
}

static struct rx *alternatives(struct reader *r)
{
	rx_vec list = {0};
	struct rx *re;

	do {
		re = concatenation(r);
		if (!re)
			return NULL;
		vec_push(&list, re);
	} while (take(r, '|'));
	for (size_t i = list.n - 1; i-- > 0;)
		re = rx_new(RX_ALT, list.v[i], re);
	return re;
}

struct rx *rx_parse(const char *text, size_t len, int *ngroups, struct rx_error *err)
{
	struct reader r = {.text = text, .len = len, .groups = 1, .err = err};
	struct rx *re;

	*err = (struct rx_error){0};
	if (len > RX_MAX_SIZE)
		return too_large(&r, 0);
	re = alternatives(&r);
	if (re && re->size > RX_MAX_SIZE)
		return too_large(&r, 0);
	*ngroups = r.groups;
	return re;
}
