/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tapset library: index of the definitions of its files.
 *
 * The tapset library consists of the *.stp and *.stpm files of the -I directories and of the
 * directory that comes with ustap, in this order; of each first its subdirectories for the
 * kernel's version and the architecture. A file is parsed when one of its definitions is needed.
 *
 * The definitions of a file are found by a scan of its words (tapset_index.c), which may find
 * too many, but never too few; the cache keeps them for files that did not change.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "parse/tapset.h"
#include "arch/arch.h"
#include "base/cache.h"
#include "base/installed.h"
#include "base/kernel_target.h"
#include "parse/library.h"
#include "session.h"

struct library_file {
	const char *path;
	const char *identity; /* another one after a change of the file */
	const char *place;    /* below PATH: the directory that relative programs are in; or NULL */
	bool macros;          /* .stpm */
	bool parsed;
	const char *defs; /* lines "f NAME", "g NAME", "a NAME", "m @NAME", "s *" */
	bool changed;     /* the cache does not know it */
};

typedef VEC(struct library_file *) file_vec;
struct library_alias {
	const char *name;
	struct library_file *file;
};

static ARENA_STATE struct library {
	VEC(struct library_file) files;
	struct smap functions, globals, macros; /* name -> file_vec * */
	VEC(struct library_alias) aliases;
	file_vec summaries; /* files that have some */
} lib;

/* --------------------------------------------------------- directories */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static int is_library_file(const struct dirent *e)
{
	return ends_with(e->d_name, ".stp") || ends_with(e->d_name, ".stpm");
}

static void list_files(const char *dir, const char *place)
{
	struct dirent **ents;
	int n = scandir(dir, &ents, is_library_file, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = xprintf("%s/%s", dir, ents[i]->d_name);
		struct stat st;

		if (!stat(path, &st) && S_ISREG(st.st_mode))
			vec_push(&lib.files,
				 ((struct library_file){.path = path,
							.identity = file_identity_of(path, &st),
							.place = place,
							.macros = ends_with(path, ".stpm")}));
		free(ents[i]);
	}
	if (n >= 0)
		free(ents);
}

static void list_directory(const char *dir) { list_files(dir, NULL); }

static int is_subdirectory(const struct dirent *e) { return e->d_name[0] != '.'; }

/* DIR, which is for the programs of directory PLACE, and all below it. */
static void list_places(const char *dir, const char *place, int depth)
{
	enum { DEEPEST = 32 };
	struct dirent **ents;
	int n = depth < DEEPEST ? scandir(dir, &ents, is_subdirectory, alphasort) : -1;

	list_files(dir, place);
	for (int i = 0; i < n; i++) {
		char *sub = xprintf("%s/%s", dir, ents[i]->d_name);
		struct stat st;

		if (!lstat(sub, &st) && S_ISDIR(st.st_mode))
			list_places(sub, xprintf("%s/%s", place, ents[i]->d_name), depth + 1);
		free(ents[i]);
	}
	if (n >= 0)
		free(ents);
}

/* DIR and its subdirectories for this kernel, the
 * most specific first: 6.1.0-18-amd64, 6.1.0, 6.1. */
static void list_versions(const char *dir, const char *release)
{
	size_t version = strcspn(release, "-"), dot = strcspn(release, ".");
	size_t series = dot + (release[dot] ? 1 + strcspn(release + dot + 1, ".-") : 0);
	const size_t cut[] = {strlen(release), version, series};

	for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
		const char *sub = xprintf("%s/%.*s", dir, (int)cut[i], release);

		if (i && cut[i] == cut[i - 1])
			continue;
		list_directory(xprintf("%s/%s", sub, arch_target()->name));
		list_directory(sub);
	}
	list_directory(xprintf("%s/%s", dir, arch_target()->name));
	list_directory(dir);
}

static void list_all(const struct session *s)
{
	const char *own = data_path("tapsets"), *release = kernel_target(s->opt.release).release;

	for (size_t i = 0; i < s->opt.includes.n; i++) {
		list_versions(xprintf("%s/linux", s->opt.includes.v[i]), release);
		list_versions(s->opt.includes.v[i], release);
		list_places(xprintf("%s/PATH", s->opt.includes.v[i]), "", 0);
	}
	if (own) {
		list_versions(xprintf("%s/linux", own), release);
		list_versions(own, release);
	}
}

/* --------------------------------------------------------- the kept index */

/* "F IDENTITY" and the lines of what that file defines, for each file. */
static char *kept_path(void)
{
	VEC(const char *) parts = {0};

	vec_push(&parts, "library 3");
	for (size_t i = 0; i < lib.files.n; i++)
		vec_push(&parts, lib.files.v[i].path);
	return cache_path("library", hash_hex(parts.v, parts.n));
}

/* The part of a file in the index that begins at AT: its end, or NULL if it is damaged. */
static char *debug_cache_find(char *at, size_t number)
{
	struct library_file *f = number < lib.files.n ? &lib.files.v[number] : NULL;
	char *end = strchr(at, '\n'), *next;

	if (!f || strncmp(at, "F ", 2) || !end)
		return NULL;
	*end = 0;
	next = strncmp(end + 1, "F ", 2) ? strstr(end + 1, "\nF ") : end;
	if (next && next != end)
		*next = 0;
	if (!strcmp(at + 2, f->identity))
		f->defs = next == end ? "" : end + 1;
	return next ? next + 1 : end + 1 + strlen(end + 1);
}

static void read_kept(const char *path)
{
	char *at = path ? cache_read_sealed(path) : NULL;

	for (size_t i = 0; at && *at; i++)
		at = debug_cache_find(at, i);
}

static void write_kept(const char *path)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < lib.files.n; i++) {
		const struct library_file *l = &lib.files.v[i];
		size_t n = strlen(l->defs);

		sb_printf(&text, "F %s\n%s%s", l->identity, l->defs,
			  n && l->defs[n - 1] != '\n' ? "\n" : "");
	}
	if (text.n)
		cache_write_sealed(path, text.s, text.n);
}

/* ------------------------------------------------------------ look-up */

static void add_to(struct smap *map, const char *name, struct library_file *f)
{
	file_vec *files = smap_get(map, name);

	if (!files) {
		files = xalloc(sizeof *files);
		smap_put(map, name, files);
	}
	if (!files->n || files->v[files->n - 1] != f)
		vec_push(files, f);
}

static void add_definitions(struct library_file *f)
{
	char *line, *save = NULL;

	for (line = strtok_r(xstrdup(f->defs), "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) < 3)
			continue;
		switch (line[0]) {
		case 'f':
			add_to(&lib.functions, line + 2, f);
			break;
		case 'g':
			add_to(&lib.globals, line + 2, f);
			break;
		case 'm':
			add_to(&lib.macros, line + 2, f);
			break;
		case 's':
			vec_push(&lib.summaries, f);
			break;
		case 'a':
			vec_push(&lib.aliases, ((struct library_alias){line + 2, f}));
			break;
		}
	}
}

static void open_library(const struct session *s)
{
	static ARENA_STATE bool opened;
	bool changed = false;
	char *kept;

	if (opened)
		return;
	opened = true;
	list_all(s);
	kept = kept_path();
	read_kept(kept);
	for (size_t i = 0; i < lib.files.n; i++) {
		struct library_file *f = &lib.files.v[i];

		changed |= !f->defs;
		if (!f->defs)
			f->defs = file_definitions(f->path, f->macros);
		add_definitions(f);
	}
	if (changed && kept)
		write_kept(kept);
	else if (kept)
		cache_touch(kept);
}

static void parse_file(struct session *s, struct library_file *f);

/* A macro name refers to the first definition in the order of the tapset library, so files
 * before F that define some of F's macros are read first. */
static void parse_earlier(struct session *s, const struct library_file *f)
{
	for (const char *line = f->defs; line && *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		const file_vec *files = smap_get(&lib.macros,
						 xstrndup(line + 2, strcspn(line + 2, "\n")));

		for (size_t i = 0; files && i < files->n && files->v[i] != f; i++)
			if (!files->v[i]->parsed)
				parse_file(s, files->v[i]);
	}
}

/* Does PATH lie in ustap's own library, where names that begin with __ are internal? One file has
 * such names of SystemTap that scripts call. */
static bool is_ours(const char *path)
{
	const char *own = data_path("tapsets");
	size_t n = own ? strlen(own) : 0;

	return own && !strncmp(path, own, n) && path[n] == '/' &&
	       strcmp(path + n, "/linux/systemtap_names.stp") != 0;
}

/* process("name") in POINTS becomes process("PLACE/name"). */
static void place_programs(const point_vec *points, const char *place)
{
	for (size_t i = 0; i < points->n; i++) {
		struct point_comp *c = points->v[i]->comps.v;
		struct node *arg = points->v[i]->comps.n ? c->arg : NULL;

		if (!arg || arg->kind != N_STR || strcmp(c->name, "process") || *arg->str.s == '/')
			continue;
		arg->str.s = xprintf("%s/%s", place, arg->str.s);
		arg->str.len = strlen(arg->str.s);
	}
}

static void parse_file(struct session *s, struct library_file *f)
{
	size_t probes = s->script.probes.n, aliases = s->script.aliases.n, len;
	struct source *src;
	char *text;

	f->parsed = true;
	if (f->macros)
		parse_earlier(s, f);
	text = read_file(f->path, &len);
	if (!text)
		return;
	src = source_new(f->path, text, len);
	src->library = true;
	src->ours = is_ours(f->path);
	if (f->macros)
		parse_macros(s, src, &s->macros);
	else
		parse_source(s, src);
	for (; f->place && probes < s->script.probes.n; probes++)
		place_programs(&s->script.probes.v[probes]->points, f->place);
	for (; f->place && aliases < s->script.aliases.n; aliases++)
		place_programs(&s->script.aliases.v[aliases]->points, f->place);
}

static struct func *find_function(const struct script *script, size_t from, const char *name)
{
	for (size_t i = from; i < script->funcs.n; i++)
		if (!strcmp(script->funcs.v[i]->name, name))
			return script->funcs.v[i];
	return NULL;
}

struct func *load_library_function(struct session *s, const char *name)
{
	const file_vec *files = (open_library(s), smap_get(&lib.functions, name));
	struct func *found = NULL;

	for (size_t i = 0; files && i < files->n && !found; i++) {
		size_t before = s->script.funcs.n;

		if (!files->v[i]->parsed) {
			parse_file(s, files->v[i]);
			found = find_function(&s->script, before, name);
		}
	}
	return found;
}

const struct macro *library_macro(struct session *s, const char *name)
{
	const file_vec *files = (open_library(s), smap_get(&lib.macros, name));

	for (size_t i = 0; files && i < files->n && !smap_get(&s->macros, name); i++)
		if (!files->v[i]->parsed)
			parse_file(s, files->v[i]);
	return smap_get(&s->macros, name);
}

bool load_library_global(struct session *s, const char *name)
{
	const file_vec *files = (open_library(s), smap_get(&lib.globals, name));

	for (size_t i = 0; files && i < files->n; i++)
		if (!files->v[i]->parsed) {
			parse_file(s, files->v[i]);
			return true;
		}
	return false;
}

/* Do the first components of PT name ALIAS?  What follows is its suffix. */
static bool names_alias(const struct point *pt, const char *alias)
{
	size_t i = 0;

	for (; *alias; i++) {
		size_t n = strcspn(alias, ".");
		const char *word;

		if (i == pt->comps.n || pt->comps.v[i].arg)
			return false;
		word = pt->comps.v[i].name;
		if (strstr(word, "**")) /* any words may follow */
			return glob_match(xprintf("%.*s*", (int)(strstr(word, "**") - word), word),
					  alias);
		if (strncmp(word, alias, n) || word[n])
			if (!is_glob(word) || !glob_match(word, xstrndup(alias, n)))
				return false;
		alias += n + (alias[n] == '.');
	}
	return true;
}

bool load_library_alias(struct session *s, const struct point *pt)
{
	bool more = false;

	open_library(s);
	for (size_t i = 0; i < lib.aliases.n; i++) {
		const struct library_alias *a = &lib.aliases.v[i];

		if (!a->file->parsed && (!strcmp(a->name, "*") || names_alias(pt, a->name))) {
			parse_file(s, a->file);
			more = true;
		}
	}
	return more;
}

void load_library_summaries(struct session *s)
{
	open_library(s);
	for (size_t i = 0; i < lib.summaries.n; i++)
		if (!lib.summaries.v[i]->parsed)
			parse_file(s, lib.summaries.v[i]);
}

void library_aliases(const struct session *s, text_vec *out)
{
	open_library(s);
	for (size_t i = 0; i < lib.aliases.n; i++)
		if (strcmp(lib.aliases.v[i].name, "*"))
			vec_push(out, lib.aliases.v[i].name);
}

void load_library_all(struct session *s)
{
	open_library(s);
	for (size_t i = 0; i < lib.files.n; i++)
		if (!lib.files.v[i].parsed)
			parse_file(s, &lib.files.v[i]);
}

void library_paths(const struct session *s, text_vec *out)
{
	open_library(s);
	for (size_t i = 0; i < lib.files.n; i++)
		vec_push(out, lib.files.v[i].path);
}

void library_again(void)
{
	for (size_t i = 0; i < lib.files.n; i++)
		lib.files.v[i].parsed = false;
}
