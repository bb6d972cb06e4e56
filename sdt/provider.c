/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser of provider files:
 *
 *     provider NAME {
 *             probe NAME(TYPE [NAME], ... [: TRANSLATED TYPES]);
 *     };
 *
 * Other declarations, and lines that begin with #, are skipped.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "provider.h"

enum token { T_END, T_NAME, T_OTHER };

struct parser {
	const char *file;
	unsigned line;
	const char *line_start;
	const char *p;  /* behind the current token */
	const char *at; /* the current token */
	enum token token;
	marker_vec *out;
};

/* Print an error at the current token, with its line and a caret; returns false. */
static bool fail(const struct parser *s, const char *fmt, ...) PRINTF(2, 3);
static bool fail(const struct parser *s, const char *fmt, ...)
{
	int col = (int)(s->at - s->line_start), len = (int)strcspn(s->line_start, "\n");
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s:%u:%d: error: %s\n", printable(s->file), s->line, col + 1,
		printable(text));
	fprintf(stderr, "  %s\n  ", printable(xstrndup(s->line_start, (size_t)len)));
	for (int i = 0; i < col; i++)
		putc(s->line_start[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
	return false;
}

/* A line that begins with #: "# 12 "file"" of the preprocessor says where the next line is from. */
static void skip_directive(struct parser *s)
{
	const char *p = s->p + 1, *quote, *end = s->p + strcspn(s->p, "\n");
	unsigned long n;

	p += strspn(p, " \t");
	if (!strncmp(p, "line", 4))
		p += 4 + strspn(p + 4, " \t");
	if (isdigit((unsigned char)*p)) {
		n = strtoul(p, NULL, 10);
		s->line = n ? (unsigned)n - 1 : 0;
		quote = memchr(p, '"', (size_t)(end - p));
		if (quote)
			s->file = xstrndup(quote + 1, strcspn(quote + 1, "\"\n"));
	}
	while (*end && end[-1] == '\\') {
		s->line++;
		end += 1 + strcspn(end + 1, "\n");
	}
	s->p = end;
}

static void new_line(struct parser *s)
{
	s->line++;
	s->line_start = s->p + 1;
}

static bool skip_comment(struct parser *s)
{
	if (s->p[1] == '/') {
		s->p += strcspn(s->p, "\n");
		return true;
	}
	s->at = s->p;
	if (!strstr(s->p + 2, "*/"))
		return fail(s, "the comment does not end");
	for (s->p += 2; s->p[0] != '*' || s->p[1] != '/'; s->p++)
		if (*s->p == '\n')
			new_line(s);
	s->p += 2;
	return true;
}

/* Move to the next token; false after an error. */
static bool next(struct parser *s)
{
	bool blank = true;

	for (;; s->p++) {
		while (*s->p == '/' && (s->p[1] == '/' || s->p[1] == '*'))
			if (!skip_comment(s))
				return false;
		for (const char *q = s->line_start; blank && q < s->p; q++)
			blank = isspace((unsigned char)*q);
		if (*s->p == '#' && blank)
			skip_directive(s);
		if (!*s->p || !isspace((unsigned char)*s->p))
			break;
		if (*s->p == '\n') {
			new_line(s);
			blank = true;
		}
	}
	s->at = s->p;
	s->token = !*s->p                                          ? T_END
		   : isalpha((unsigned char)*s->p) || *s->p == '_' ? T_NAME
								   : T_OTHER;
	if (s->token == T_NAME)
		while (isalnum((unsigned char)*s->p) || *s->p == '_')
			s->p++;
	else if (s->token == T_OTHER)
		s->p++;
	return true;
}

static bool is(const struct parser *s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s->p - s->at) == n && !strncmp(s->at, text, n);
}

static const char *found(const struct parser *s)
{
	return s->token == T_END ? "the end of the file"
				 : xprintf("\"%.*s\"", (int)(s->p - s->at), s->at);
}

static bool expect(struct parser *s, const char *text)
{
	if (!is(s, text))
		return fail(s, "expected \"%s\", found %s", text, found(s));
	return next(s);
}

static bool take_name(struct parser *s, const char *what, const char **out)
{
	if (s->token != T_NAME)
		return fail(s, "expected the name of a %s, found %s", what, found(s));
	*out = xstrndup(s->at, (size_t)(s->p - s->at));
	if (*s->p == '-') {
		s->at = s->p;
		return fail(s, "a name cannot contain \"-\"; write two underscores");
	}
	return next(s);
}

static const char *macro_name(const char *provider, const char *name)
{
	char *macro = xprintf("%s_%s", provider, name), *to = macro;

	for (const char *p = macro; *p; p += p[0] == '_' && p[1] == '_' ? 2 : 1)
		*to++ = (char)toupper((unsigned char)*p);
	*to = 0;
	return macro;
}

/* The parameters between parentheses; those behind a colon are types of a translator. */
static bool take_parameters(struct parser *s, struct marker *m)
{
	struct strbuf types = {0};
	unsigned depth = 0, tokens = 0;
	bool only_void = false, translated = false;

	sb_add(&types, "");
	for (; depth || !is(s, ")"); tokens++) {
		if (s->token == T_END || is(s, ";") || is(s, "{") || is(s, "}"))
			return fail(s, "expected \")\" behind the parameters of \"%s\", found %s",
				    m->name, found(s));
		translated |= !depth && is(s, ":");
		if (!depth && is(s, ",") && !translated) {
			if (++m->nargs > MARKER_ARGS - 1)
				return fail(s, "probe \"%s\" has more than %d parameters", m->name,
					    MARKER_ARGS);
		}
		only_void = !tokens && is(s, "void");
		depth += is(s, "(") || is(s, "[");
		depth -= depth && (is(s, ")") || is(s, "]"));
		if (!translated)
			sb_printf(&types, "%s%.*s", tokens && !is(s, ",") ? " " : "",
				  (int)(s->p - s->at), s->at);
		if (!next(s))
			return false;
	}
	m->nargs += tokens && !only_void;
	m->types = types.s;
	return next(s);
}

static bool take_probe(struct parser *s, const char *provider)
{
	struct marker m = {.provider = provider};
	struct parser at;

	if (!next(s))
		return false;
	at = *s;
	if (!take_name(s, "probe", &m.name))
		return false;
	for (size_t i = 0; i < s->out->n; i++)
		if (!strcmp(s->out->v[i].provider, provider) && !strcmp(s->out->v[i].name, m.name))
			return fail(&at, "probe \"%s\" of provider \"%s\" is declared twice",
				    m.name, provider);
	m.macro = macro_name(provider, m.name);
	if (!expect(s, "(") || !take_parameters(s, &m))
		return false;
	vec_push(s->out, m);
	return expect(s, ";");
}

static bool take_provider(struct parser *s)
{
	const char *name;

	if (!next(s) || !take_name(s, "provider", &name) || !expect(s, "{"))
		return false;
	while (!is(s, "}")) {
		if (!is(s, "probe"))
			return fail(s, "expected \"probe\" or \"}\", found %s", found(s));
		if (!take_probe(s, name))
			return false;
	}
	return next(s) && (!is(s, ";") || next(s));
}

/* A declaration of something else, to its semicolon. */
static bool skip_declaration(struct parser *s)
{
	unsigned depth = 0;

	while (s->token != T_END && (depth || !is(s, ";"))) {
		depth += is(s, "{") || is(s, "(");
		if (is(s, "}") || is(s, ")")) {
			if (!depth)
				return fail(s, "unexpected %s", found(s));
			depth--;
		}
		if (!next(s))
			return false;
	}
	return s->token == T_END ? fail(s, "the declaration does not end with \";\"") : next(s);
}

bool provider_parse(const char *file, const char *text, marker_vec *out)
{
	struct parser s = {.file = file, .line = 1, .line_start = text, .p = text, .out = out};
	bool any = false;

	if (!next(&s))
		return false;
	while (s.token != T_END) {
		bool provider = is(&s, "provider");

		any |= provider;
		if (!(provider ? take_provider(&s) : skip_declaration(&s)))
			return false;
	}
	return any || fail(&s, "no provider is declared");
}
