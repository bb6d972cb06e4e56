/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policies: the options and globals that a caller in group stapusr or stapsys may use with an
 * approved module.
 *
 * NAME.policy is beside NAME.ko. Each line is a directive, a comment or empty; everything that a
 * policy does not permit is refused, and a policy with a syntax error permits nothing. staprun,
 * which runs as root here, enforces the limits; the module itself restricts hits to the caller's
 * processes (UST_START_OWN).
 */
#include "output/output_format.h"
#include "base/command_words.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "module/kernel_module.h"
#include "options.h"
#include "session/policy.h"
#include "session/session_ops.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_POLICY = 64 << 10, MAX_LINE_WORDS = 64 };

enum value_kind { ANY, NUMBER, TEXT };
struct policy_global {
	char *name, *pattern;
	enum value_kind kind;
	int64_t min, max;
};

/* ----------------------------------------------------------------- options */

/* An option that a policy can permit, and whether O uses it. */
struct option_use {
	const char *name;
	char letter;
	bool used;
};

static bool used_process(const struct options *o) { return o->npids; }
static bool used_rotation(const struct options *o) { return o->file_mb; }
static bool used_format(const struct options *o) { return !format_is_text(o->format); }
static bool used_reloaded(const struct options *o) { return o->reloaded.path; }
static bool used_merge(const struct options *o) { return o->nmerge; }
static bool used_report(const struct options *o) { return o->report; }

/* The rows of options.def that need permission. */
#define USED_FLAG(field)         o->field
#define USED_TEXT(field)         o->field != NULL
#define USED_NUMBER(field, most) o->field > 0
#define USED_CALL(x)             used_##x(o)
#define ALWAYS_PERMITTED(name, letter, how)
#define NEEDS_PERMISSION(name, letter, how) {name, letter, USED_##how},

enum { MAX_USES = 64 };

static size_t uses_of(const struct options *o, struct option_use *v)
{
	/* clang-format off */
	const struct option_use uses[] = {
#define STAPRUN_OPTION(name, letter, value, how, permission, usage) permission(name, letter, how)
#define BOTH_OPTION(name, letter, value, how, takes, choices, says, help, permission, usage) \
	permission(name, letter, how)
#include "options/options.def"
	};
	/* clang-format on */

	_Static_assert(sizeof uses / sizeof *uses <= MAX_USES, "room for all");
	memcpy(v, uses, sizeof uses);
	return sizeof uses / sizeof *uses;
}

/* True if TEXT is the name of U, "--name" or "-x". */
static bool is_use(const struct option_use *u, const char *text)
{
	const char short_name[] = {'-', u->letter, 0};

	return u->name ? !strncmp(text, "--", 2) && !strcmp(text + 2, u->name)
		       : !strcmp(text, short_name);
}

static bool is_option(const char *name)
{
	struct options none = {.format = format_find("text")};
	struct option_use v[MAX_USES];

	for (size_t i = uses_of(&none, v); i-- > 0;)
		if (is_use(&v[i], name))
			return true;
	return false;
}

/* ----------------------------------------------------------------- parsing */

struct line {
	struct policy *p;
	const char *path;
	unsigned number;
	char *word[MAX_LINE_WORDS];
	size_t n;
};

static bool wrong(const struct line *l, const char *why)
{
	return fail("%s:%u: %s", l->path, l->number, why);
}

static bool is_name(const char *s)
{
	return *s && !strchr("0123456789", *s) &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* global NAME [number MIN MAX | text PATTERN] */
static bool parse_global(struct line *l)
{
	struct policy_global g = {.kind = ANY};

	if (l->n < 2 || !is_name(l->word[1]))
		return wrong(l, "\"global\" needs a variable name");
	for (size_t i = 0; i < l->p->nglobals; i++)
		if (!strcmp(l->p->globals[i].name, l->word[1]))
			return wrong(l, "this global already has a line");
	if (l->n == 5 && !strcmp(l->word[2], "number")) {
		g.kind = NUMBER;
		if (!module_param_number(l->word[3], &g.min) ||
		    !module_param_number(l->word[4], &g.max) || g.min > g.max)
			return wrong(l, "\"number\" needs a minimum and a maximum");
	} else if (l->n == 4 && !strcmp(l->word[2], "text")) {
		g.kind = TEXT;
		g.pattern = xstrndup(l->word[3], strlen(l->word[3]));
	} else if (l->n != 2) {
		return wrong(l, "only \"number MIN MAX\" or \"text PATTERN\" may follow the name");
	}
	g.name = xstrndup(l->word[1], strlen(l->word[1]));
	l->p->globals = xrealloc(l->p->globals, (l->p->nglobals + 1) * sizeof g);
	l->p->globals[l->p->nglobals++] = g;
	return true;
}

static bool parse_option(struct line *l)
{
	if (l->n < 2)
		return wrong(l, "\"option\" needs at least one staprun option");
	for (size_t i = 1; i < l->n; i++) {
		if (!is_option(l->word[i]))
			return wrong(l, "not a staprun option that a policy can permit");
		words_push(&l->p->options, xstrndup(l->word[i], strlen(l->word[i])));
	}
	return true;
}

static bool parse_limit(struct line *l, unsigned *to, int64_t most)
{
	int64_t n;

	if (*to)
		return wrong(l, "this limit already has a line");
	if (l->n != 2 || !module_param_number(l->word[1], &n) || n < 1 || n > most)
		return wrong(l, "the limit is not a number within its range");
	*to = (unsigned)n;
	return true;
}

static bool parse_words(struct line *l)
{
	const char *what = l->word[0];

	if (!strcmp(what, "global"))
		return parse_global(l);
	if (!strcmp(what, "option"))
		return parse_option(l);
	if (!strcmp(what, "buffer"))
		return parse_limit(l, &l->p->buffer_mb, MAX_BUFFER_MB);
	if (!strcmp(what, "time"))
		return parse_limit(l, &l->p->seconds, MAX_SECONDS);
	if (strcmp(what, "own-processes") || l->n != 1)
		return wrong(
			l, "unknown directive; use global, option, buffer, time or own-processes");
	l->p->own = true;
	return true;
}

static bool parse_line(struct line *l, char *text)
{
	char *save, *word;

	l->n = 0;
	text[strcspn(text, "#")] = 0;
	for (word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (l->n == MAX_LINE_WORDS)
			return wrong(l, "too many words");
		l->word[l->n++] = word;
	}
	return !l->n || parse_words(l);
}

/* True if the line has only bytes that every editor shows. */
static bool is_text(const struct line *l, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] != '\t' && (text[i] < ' ' || text[i] > '~'))
			return wrong(l, "a byte is neither printable ASCII nor a tab");
	return true;
}

bool policy_parse(struct policy *p, const char *path, const char *text, size_t size)
{
	struct line l = {.p = p, .path = path};
	bool ok = true;

	memset(p, 0, sizeof *p);
	while (ok && size) {
		const char *end = memchr(text, '\n', size);
		size_t n = end ? (size_t)(end - text) : size;
		char *copy = xstrndup(text, n);

		l.number++;
		ok = (end ||
		      wrong(&l, "the last line has no newline: the file may be truncated")) &&
		     is_text(&l, text, n) && parse_line(&l, copy);
		free(copy);
		text += n + !!end;
		size -= n + !!end;
	}
	return ok;
}

void policy_free(struct policy *p)
{
	for (size_t i = 0; i < p->nglobals; i++) {
		free(p->globals[i].name);
		free(p->globals[i].pattern);
	}
	free(p->globals);
	words_free(&p->options);
	memset(p, 0, sizeof *p);
}

/* ---------------------------------------------------------------- checking */

static const struct policy_global *find_global(const struct policy *p, const char *name, size_t n)
{
	for (size_t i = 0; i < p->nglobals; i++)
		if (strlen(p->globals[i].name) == n && !memcmp(p->globals[i].name, name, n))
			return &p->globals[i];
	return NULL;
}

static bool permits_value(const struct policy *p, const char *given)
{
	size_t n = strcspn(given, "=");
	const struct policy_global *g = find_global(p, given, n);
	int64_t number;

	if (!g)
		return fail("%s: the module's policy does not permit setting \"%.*s\"", given,
			    (int)n, given);
	if (g->kind == NUMBER &&
	    (!module_param_number(given + n + 1, &number) || number < g->min || number > g->max))
		return fail("%s: the module's policy permits %lld to %lld", given,
			    (long long)g->min, (long long)g->max);
	if (g->kind == TEXT && fnmatch(g->pattern, given + n + 1, 0))
		return fail("%s: the module's policy permits %s", given, g->pattern);
	return true;
}

static bool permits_option(const struct policy *p, const struct option_use *u)
{
	if ((is_use(u, "-s") && p->buffer_mb) || (is_use(u, "-T") && p->seconds))
		return true;
	for (size_t i = 0; i < p->options.n; i++)
		if (is_use(u, p->options.v[i]))
			return true;
	return u->name ? fail("--%s: the module's policy does not permit this option", u->name)
		       : fail("-%c: the module's policy does not permit this option", u->letter);
}

/* Refuse a value larger than MOST; an unset one becomes MOST. MOST 0: no limit. */
static bool permits_limit(unsigned *value, unsigned most, const char *name)
{
	if (most && *value > most)
		return fail("%s %u: the module's policy permits at most %u", name, *value, most);
	if (most && !*value)
		*value = most;
	return true;
}

bool policy_permits(const struct policy *p, struct options *o)
{
	struct option_use v[MAX_USES];
	size_t n = uses_of(o, v);

	for (size_t i = 0; i < n; i++)
		if (v[i].used && !permits_option(p, &v[i]))
			return false;
	for (size_t i = 0; i < o->ngiven; i++)
		if (!permits_value(p, o->given[i]))
			return false;
	if (p->own && !o->command && !o->npids)
		return fail("the module's policy permits only your own processes; name one with -c "
			    "or -x");
	if (p->seconds && o->leave)
		return fail("-L: the module's policy limits the run time, which staprun enforces");
	o->own = p->own;
	return permits_limit(&o->buffer_mb, p->buffer_mb, "-s") &&
	       permits_limit(&o->seconds, p->seconds, "-T");
}

/* ------------------------------------------------------------------ the file */

/* Read all of FD; NULL after a message. */
static char *read_file(int fd, const char *path, size_t *size)
{
	char *text = xrealloc(NULL, MAX_POLICY + 1);
	ssize_t got = 0;

	for (*size = 0;
	     *size <= MAX_POLICY && (got = read(fd, text + *size, MAX_POLICY + 1 - *size)) > 0;)
		*size += (size_t)got;
	if (got >= 0 && *size <= MAX_POLICY)
		return text;
	fail("%s: %s", path, got < 0 ? strerror(errno) : "larger than 64 KB");
	free(text);
	return NULL;
}

static bool apply_file(int fd, const char *path, struct options *o)
{
	struct policy p = {0};
	size_t size;
	char *text = read_file(fd, path, &size);
	bool ok = text && policy_parse(&p, path, text, size) && policy_permits(&p, o);

	free(text);
	policy_free(&p);
	return ok;
}

bool policy_apply(struct options *o)
{
	const char *slash = strrchr(o->module, '/'), *name = slash ? slash + 1 : o->module;
	size_t n = strlen(name);
	char file[NAME_SIZE + 256];
	bool ok;
	int fd;

	n -= n > 3 && !strcmp(name + n - 3, ".ko") ? 3 : 0;
	if (snprintf(file, sizeof file, "%.*s.policy", (int)n, name) >= (int)sizeof file)
		return fail("%s: the name is too long", name);
	fd = module_file_open_approved(file);
	if (fd < 0)
		return errno == ENOENT ||
		       fail("%s: not a file that only root owns and can write: %s", file,
			    strerror(errno));
	ok = apply_file(fd, file, o);
	close(fd);
	return ok;
}
