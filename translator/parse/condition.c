/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Condition: what stands between %( and %?.
 *
 *     kernel_v >= "5.10" && arch == "arm*" || $1 == 3
 *
 * && binds tighter than ||; there are no parentheses.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "parse/parse.h"
#include "parse/gram.h"
#include "parse/preproc.h"
#include "arch/arch.h"
#include "base/kernel_target.h"

/* Reader state: the token under the cursor, and whether an error was found. */
struct cursor {
	struct parser *p;
	struct token t;
	bool wrong;
};

static void advance(struct cursor *c) { macro_next(c->p, &c->t); }

static void expected(struct cursor *c, const char *what)
{
	if (!c->wrong)
		pp_error(c->p, E_SYNTAX, c->t.loc, "expected %s in the condition of %%( %%)", what);
	c->wrong = true;
}

/* ------------------------------------------------------------- values */

/* "6.1.0" of "6.1.0-18-amd64" */
static const char *base_version(const char *release)
{
	return xstrndup(release, strcspn(release, "-"));
}

static const char *runtime_name(struct session *s)
{
	return early_runtime(s) == RT_USER ? "user" : "kernel";
}

static const char *config_line(const char *config, const char *name)
{
	size_t n = strlen(name);
	const char *at = config;

	while (at && (strncmp(at, name, n) || at[n] != '='))
		if ((at = strchr(at, '\n')))
			at++;
	return at ? xstrndup(at + n + 1, strcspn(at + n + 1, "\n")) : NULL;
}

/* As it stands in the kernel's configuration, quotes included; "" if it is not set. */
static const char *config_value(struct session *s, const char *name)
{
	struct kernel_target k = kernel_target(s->opt.release);
	static ARENA_STATE const char *config;
	const char *value;

	if (!config && k.build)
		config = read_file(xprintf("%s/.config", k.build), NULL);
	if (!config && k.build)
		config = read_file(xprintf("%s/include/config/auto.conf", k.build), NULL);
	if (!config)
		config = read_file(xprintf("/boot/config-%s", k.release), NULL);
	if (!config)
		config = "";
	value = config_line(config, name);
	return value ? value : "";
}

/* -------------------------------------------------------- comparisons */

static bool is_equality(int op) { return op == EQ || op == NE; }
static bool is_comparison(int op)
{
	return is_equality(op) || op == '<' || op == '>' || op == LE || op == GE;
}

/* Does OP hold between two values of which the first is DIFF (<0, 0, >0) to the second? */
static bool holds(int op, int diff)
{
	switch (op) {
	case EQ:
		return !diff;
	case NE:
		return diff != 0;
	case '<':
		return diff < 0;
	case '>':
		return diff > 0;
	case LE:
		return diff <= 0;
	default:
		return diff >= 0;
	}
}

static bool version_holds(int op, const char *version, const char *wanted)
{
	if (is_equality(op) && is_glob(wanted))
		return glob_match(wanted, version) == (op == EQ);
	return holds(op, strverscmp(version, wanted));
}

/* The operator, left in the cursor's past; 0 after an error. */
static int read_operator(struct cursor *c, bool equality)
{
	int op = c->t.kind;

	if (!(equality ? is_equality(op) : is_comparison(op))) {
		expected(c, equality ? "== or !=" : "a comparison");
		return 0;
	}
	advance(c);
	return op;
}

static const char *read_string(struct cursor *c)
{
	const char *s = c->t.val.str.s;

	if (c->wrong || c->t.kind != STR) {
		expected(c, "a string");
		return "";
	}
	advance(c);
	return s;
}

static int64_t read_number(struct cursor *c)
{
	bool minus = c->t.kind == '-';
	uint64_t n;

	if (minus)
		advance(c);
	n = (uint64_t)c->t.val.num;
	if (c->wrong || c->t.kind != NUM) {
		expected(c, "a number");
		return 0;
	}
	advance(c);
	return (int64_t)(minus ? 0 - n : n);
}

static bool compare_version(struct cursor *c, const char *version)
{
	int op = read_operator(c, false);

	return version_holds(op, version, read_string(c));
}

static bool compare_word(struct cursor *c, const char *text)
{
	int op = read_operator(c, true);

	return glob_match(read_string(c), text) == (op == EQ);
}

static bool compare_guru(struct cursor *c)
{
	int op = read_operator(c, true);
	struct loc loc = c->t.loc;
	int64_t n = read_number(c);

	if (!c->wrong && n != 0 && n != 1) {
		c->wrong = true;
		pp_error(c->p, E_SYNTAX, loc, "guru_mode is 0 or 1");
	}
	return (n == c->p->s->opt.guru) == (op == EQ);
}

static bool compare_strings(struct cursor *c)
{
	const char *l = read_string(c);
	int op = read_operator(c, false);

	return holds(op, strcmp(l, read_string(c)));
}

static bool compare_numbers(struct cursor *c)
{
	int64_t l = read_number(c), r;
	int op = read_operator(c, false);

	r = read_number(c);
	return holds(op, (l > r) - (l < r));
}

/* The number that is the VALUE of option NAME; an option that is not set counts as 0. */
static int64_t config_number(struct cursor *c, struct loc loc, const char *name, const char *value)
{
	char *end;
	int64_t n = strtoll(value, &end, 0);

	if (*end && !c->wrong) {
		c->wrong = true;
		pp_error(c->p, E_SYNTAX, loc, "%s is \"%s\", not a number", name, value);
	}
	return n;
}

/* NAME at LOC, an option of the kernel's configuration, with a number, another option or a
 * string. */
static bool compare_config(struct cursor *c, struct loc loc, const char *name)
{
	const char *value = config_value(c->p->s, name), *other;
	struct loc at = c->t.loc;
	int op = read_operator(c, false);
	int64_t l, r;

	if (c->t.kind == STR) {
		other = read_string(c);
		if (op && !is_equality(op)) {
			c->t.loc = at;
			expected(c, "== or !=");
		}
		return glob_match(other, value) == (op == EQ);
	}
	if (c->t.kind == IDENT && !strncmp(c->t.val.name, "CONFIG_", 7)) {
		other = config_value(c->p->s, c->t.val.name);
		if (is_equality(op)) {
			advance(c);
			return !strcmp(value, other) == (op == EQ);
		}
		r = config_number(c, c->t.loc, c->t.val.name, other);
		advance(c);
	} else {
		r = read_number(c);
	}
	l = config_number(c, loc, name, value);
	return holds(op, (l > r) - (l < r));
}

static bool compare_name(struct cursor *c, const char *name, struct loc loc)
{
	struct session *s = c->p->s;

	if (!strcmp(name, "kernel_v"))
		return compare_version(c, base_version(kernel_target(s->opt.release).release));
	if (!strcmp(name, "kernel_vr"))
		return compare_version(c, kernel_target(s->opt.release).release);
	if (!strcmp(name, "systemtap_v"))
		return compare_version(c, s->opt.compatible);
	if (!strcmp(name, "arch"))
		return compare_word(c, arch_target()->name);
	if (!strcmp(name, "runtime"))
		return compare_word(c, runtime_name(s));
	if (!strcmp(name, "systemtap_privilege"))
		return compare_word(c, s->opt.privilege);
	if (!strcmp(name, "guru_mode"))
		return compare_guru(c);
	return compare_config(c, loc, name);
}

static bool is_known(const char *name)
{
	static const char *const known[] = {"kernel_v", "kernel_vr", "systemtap_v",
					    "arch",     "runtime",   "systemtap_privilege",
					    "guru_mode"};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return !strncmp(name, "CONFIG_", 7);
}

static bool comparison(struct cursor *c)
{
	const char *name = c->t.kind == IDENT ? c->t.val.name : NULL;
	struct loc loc = c->t.loc;

	if (c->wrong)
		return false;
	if (c->t.kind == STR)
		return compare_strings(c);
	if (c->t.kind == NUM || c->t.kind == '-')
		return compare_numbers(c);
	if (!name || !is_known(name)) {
		expected(c, "kernel_v, kernel_vr, arch, runtime, systemtap_v, systemtap_privilege, "
			    "guru_mode, "
			    "CONFIG_..., a string or a number");
		return false;
	}
	if (!strcmp(name, "systemtap_v") && c->p->s->opt.check_version)
		diag_warn(W_VERSION, c->t.loc, "this depends on the version of SystemTap: %s",
			  c->p->s->opt.compatible);
	advance(c);
	return compare_name(c, name, loc);
}

static bool conjunction(struct cursor *c)
{
	bool value = comparison(c);

	while (c->t.kind == LAND && !c->wrong) {
		advance(c);
		value &= comparison(c);
	}
	return value;
}

bool condition_read(struct parser *p)
{
	struct cursor c = {.p = p};
	struct token *last;
	bool value;

	advance(&c);
	value = conjunction(&c);
	while (c.t.kind == LOR && !c.wrong) {
		advance(&c);
		value |= conjunction(&c);
	}
	if (c.t.kind == T_THEN)
		return value && !c.wrong;
	expected(&c, "&&, || or %?");
	last = xalloc(sizeof *last); /* it may be the %) */
	*last = c.t;
	vec_push(&p->pp->readers, ((struct reader){.s = {last, 1, NULL}}));
	return false;
}
