/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load: where source text comes from.
 *
 * The script is the -e expressions or one file ("-": standard input).  The
 * tapset library is the *.stp files of the -I directories, then of the
 * directory that comes with ustap.  A library file is read only when the
 * script calls a function that no one else has, and parsed only if its text
 * defines one of that name.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ustap.h"
#include "parse.h"
#include "gram.h"
#include "preproc.h"

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

static struct source *source_new(const char *name, const char *text, size_t len)
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

static void parse_file(struct session *s)
{
	const char *name = s->opt.script_file;
	bool standard = !strcmp(name, "-");
	size_t len;
	char *text = standard ? read_stream(0, &len) : read_file(name, &len);

	if (standard)
		name = "<stdin>";
	if (!text) {
		diag_error(E_IO, (struct loc){0}, "cannot read script %s: %s", name, strerror(errno));
		return;
	}
	parse_source(s, source_new(name, text, len));
}

void pass_parse(struct session *s)
{
	if (s->opt.script_file)
		parse_file(s);
	parse_expressions(s, &s->opt.exprs);
	parse_expressions(s, &s->opt.extras);
	if (!diag_errors() && !s->script.probes.n) {
		diag_error(E_NO_PROBES, (struct loc){0}, "the script has no probes");
		diag_hint("a script needs at least one, for example: probe begin { println(\"hello\") exit() }");
	}
}

/* ------------------------------------------------------- the library */

struct library_file { const char *path; char *text; size_t len; bool parsed; };
typedef VEC(struct library_file) library_vec;

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static int is_script(const struct dirent *e)
{
	return ends_with(e->d_name, ".stp") || ends_with(e->d_name, ".stpm");
}

static void list_directory(library_vec *lib, const char *dir)
{
	struct dirent **ents;
	int n = scandir(dir, &ents, is_script, alphasort);

	for (int i = 0; i < n; i++) {
		vec_push(lib, ((struct library_file){.path = xprintf("%s/%s", dir, ents[i]->d_name)}));
		free(ents[i]);
	}
	if (n >= 0)
		free(ents);
}

static library_vec *library(struct session *s)
{
	static library_vec lib;
	static bool listed;
	const char *own;

	if (listed)
		return &lib;
	listed = true;
	for (size_t i = 0; i < s->opt.includes.n; i++)
		list_directory(&lib, s->opt.includes.v[i]);
	own = data_path("tapsets");
	if (own)
		list_directory(&lib, own);
	return &lib;
}

/* Does TEXT say `function NAME` (perhaps in a comment; parsing tells)? */
static bool may_define(const char *text, const char *name)
{
	static const char word[] = "function";
	size_t len = strlen(name);

	while ((text = strstr(text, word))) {
		text += sizeof word - 1;
		while (isspace((unsigned char)*text))
			text++;
		if (!strncmp(text, name, len) && !isalnum((unsigned char)text[len]) && text[len] != '_')
			return true;
	}
	return false;
}

static struct func *find_function(const struct script *script, size_t from, const char *name)
{
	for (size_t i = from; i < script->funcs.n; i++)
		if (!strcmp(script->funcs.v[i]->name, name))
			return script->funcs.v[i];
	return NULL;
}

static bool candidate(struct library_file *f, const char *name)
{
	if (f->parsed || ends_with(f->path, ".stpm"))
		return false;
	if (!f->text && !(f->text = read_file(f->path, &f->len)))
		return false;
	return may_define(f->text, name);
}

/* A file of macros: its definitions become the library's. */
static void parse_macros(struct session *s, const struct source *src)
{
	struct preproc pp = {0};
	struct parser p = {.s = s, .script = &s->script, .src = src, .pp = &pp};
	struct loc loc;
	USTAP_YYSTYPE val;
	int token;

	if (src->len > INT32_MAX || ustap_yylex_init_extra(&p, &p.scanner))
		return;
	ustap_yy_scan_bytes(src->text, (int)src->len, p.scanner);
	token = ustap_yylex(&val, &loc, p.scanner);
	if (token && token != USTAP_YYerror)
		diag_error(E_SYNTAX, loc, "files of macros hold nothing but @define");
	ustap_yylex_destroy(p.scanner);
	for (size_t i = 0; i < pp.macros.ents.n; i++)
		if (!smap_get(&s->macros, pp.macros.ents.v[i].key))
			smap_put(&s->macros, pp.macros.ents.v[i].key, pp.macros.ents.v[i].val);
}

const struct macro *library_macro(struct session *s, const char *name)
{
	library_vec *lib = library(s);
	struct macro *m = smap_get(&s->macros, name);

	for (size_t i = 0; i < lib->n && !m; i++) {
		struct library_file *f = &lib->v[i];
		struct source *src;

		if (f->parsed || !ends_with(f->path, ".stpm") || !(f->text = read_file(f->path, &f->len)))
			continue;
		f->parsed = true;
		src = source_new(f->path, f->text, f->len);
		src->library = true;
		parse_macros(s, src);
		m = smap_get(&s->macros, name);
	}
	return m;
}

struct func *load_library_function(struct session *s, const char *name)
{
	library_vec *lib = library(s);

	for (size_t i = 0; i < lib->n; i++) {
		struct library_file *f = &lib->v[i];
		size_t before = s->script.funcs.n;
		struct source *src;
		struct func *found;

		if (!candidate(f, name))
			continue;
		f->parsed = true;
		src = source_new(f->path, f->text, f->len);
		src->library = true;
		parse_source(s, src);
		found = find_function(&s->script, before, name);
		if (found)
			return found;
	}
	return NULL;
}
