/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load: where source text comes from, and how it is parsed.
 *
 * The script is the -e expressions or one file ("-": standard input); what it
 * needs from the library is loaded by tapset.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "parse/library.h"
#include "passes.h"
#include "parse/parse.h"
#include "parse/gram.h"
#include "parse/preproc.h"

/* The scanner's interface, as flex makes it. */
typedef void *yyscan_t;
int ustap_yylex_init_extra(struct parser *extra, yyscan_t *scanner);
struct yy_buffer_state *ustap_yy_scan_bytes(const char *bytes, int len, yyscan_t scanner);
int ustap_yylex_destroy(yyscan_t scanner);

bool parse_source(struct session *s, const struct source *src)
{
	struct preproc pp = {0};
	struct parser p = {.s = s, .script = &s->script, .src = src, .pp = &pp};
	int before = diag_errors();

	if (src->len > INT32_MAX) {
		diag_error(E_IO, (struct loc){0}, "%s: larger than 2 GiB", src->name);
		return false;
	}
	if (ustap_yylex_init_extra(&p, &p.scanner)) {
		diag_error(E_IO, (struct loc){0}, "%s: %s", src->name, strerror(errno));
		return false;
	}
	ustap_yy_scan_bytes(src->text, (int)src->len, p.scanner);
	ustap_yyparse(p.scanner, &p);
	ustap_yylex_destroy(p.scanner);
	return diag_errors() == before;
}

bool parse_macros(struct session *s, const struct source *src, struct smap *macros)
{
	struct preproc pp = {0};
	struct parser p = {.s = s, .script = &s->script, .src = src, .pp = &pp};
	int before = diag_errors(), token;
	USTAP_YYSTYPE val;
	struct loc loc;

	if (src->len > INT32_MAX || ustap_yylex_init_extra(&p, &p.scanner))
		return false;
	ustap_yy_scan_bytes(src->text, (int)src->len, p.scanner);
	token = ustap_yylex(&val, &loc, p.scanner);
	if (token && token != USTAP_YYerror)
		diag_error(E_SYNTAX, loc, "a macro file may contain only @define");
	ustap_yylex_destroy(p.scanner);
	for (size_t i = 0; i < pp.macros.ents.n; i++)
		if (!smap_get(macros, pp.macros.ents.v[i].key))
			smap_put(macros, pp.macros.ents.v[i].key, pp.macros.ents.v[i].val);
	return diag_errors() == before;
}

struct source *source_new(const char *name, const char *text, size_t len)
{
	struct source *src = xalloc(sizeof *src);

	src->name = name;
	src->text = text;
	src->len = len;
	return src;
}

/* Each -e is a source of its own; a mistake shows the text it is in. */
static void parse_expressions(struct session *s, const text_vec *exprs)
{
	for (size_t i = 0; i < exprs->n; i++) {
		const char *text = exprs->v[i];
		struct source *src = source_new("<input>", text, strlen(text));

		parse_source(s, src);
	}
}

/* A shell's <(COMMAND) is a pipe without a name, which has a writer; a FIFO may never have one. */
static bool is_unnamed_pipe(const char *name)
{
	char target[64];
	ssize_t n = readlink(name, target, sizeof target);

	return n > 5 && !memcmp(target, "pipe:", 5);
}

static char *read_script(const char *name, size_t *len)
{
	char real[PATH_MAX], *text;
	int fd;

	if (strncmp(name, "/dev/", 5) && strncmp(name, "/proc/", 6))
		return read_file(name, len);
	/* /dev/fd and /dev/stdin are links into /proc */
	snprintf(real, sizeof real, "%s%s", !strncmp(name, "/dev/fd/", 8) ? "/proc/self/fd/" : "",
		 !strncmp(name, "/dev/fd/", 8) ? name + 8
		 : !strcmp(name, "/dev/stdin") ? "/proc/self/fd/0"
					       : name);
	if (!is_unnamed_pipe(real))
		return read_file(name, len);
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	fcntl(fd, F_SETFL, 0);
	text = read_stream(fd, len);
	close(fd);
	return text;
}

static void parse_file(struct session *s)
{
	const char *name = s->opt.script_file;
	bool standard = !strcmp(name, "-");
	size_t len;
	char *text = standard ? read_stream(0, &len) : read_script(name, &len);

	if (standard)
		name = "<stdin>";
	if (!text) {
		diag_error(E_IO, (struct loc){0}, "cannot read script %s: %s", name,
			   errno == EINVAL ? "it is not a regular file" : strerror(errno));
		return;
	}
	parse_source(s, source_new(name, text, len));
}

static bool is_empty(const struct script *sc)
{
	return !sc->funcs.n && !sc->globals.n && !sc->aliases.n && !sc->embedded.n;
}

void pass_parse(struct session *s)
{
	if (s->opt.script_file)
		parse_file(s);
	parse_expressions(s, &s->opt.exprs);
	parse_expressions(s, &s->opt.extras);
	if (!diag_errors() && !s->script.probes.n &&
	    (s->opt.stop_after > 1 || is_empty(&s->script))) {
		diag_error(E_NO_PROBES, (struct loc){0}, "the script has no probes");
		diag_hint("a script needs at least one, for example: probe begin { "
			  "println(\"hello\") exit() }");
	}
}
