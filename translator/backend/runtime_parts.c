/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the kernel runtime: which sources form each, and which parts an object refers to.
 *
 * A part that no script needed yet has no object whose symbols could be read, so the names that it
 * defines are found in its sources. These are formatted by one rule: a global definition begins in
 * the first column. kbuild.c compares the result with the object when a part has been compiled.
 * Reading all sources would take a third of the time that ustap itself needs for a module, so the
 * names and a digest of the sources are cached under the identities of the files.
 */
#include "runtime_parts.h"
#include "base/cache.h"
#include "dwarf/object_symbols.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sources */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && !strcmp(path + n - m, suffix);
}

/* Append the paths, relative to ROOT, of the sources in ROOT/SUB and below. */
static void list_sources(const char *root, const char *sub, word_vec *out)
{
	DIR *dir = opendir(xprintf("%s/%s", root, sub));
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char *path = xprintf("%s/%s", sub, e->d_name);

		if (e->d_name[0] == '.')
			continue;
		if (has_suffix(path, ".c") || has_suffix(path, ".h") || has_suffix(path, ".mk"))
			vec_push(out, path);
		else
			list_sources(root, path, out);
	}
	if (dir)
		closedir(dir);
}

void runtime_sources(const char *root, word_vec *out)
{
	list_sources(root, "include", out);
	list_sources(root, "common", out);
	list_sources(root, "kernel", out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_name);
}

/* -------------------------------------------------------------------- parts */

static const char *const part_names[RUNTIME_PARTS] = {"base",   "arrays", "merge",  "builtins",
						      "pretty", "unwind", "kernel", "events"};

const char *part_name(enum runtime_part part) { return part_names[part]; }

bool part_may_use(enum runtime_part part, enum runtime_part other)
{
	return other == part || other == PART_BASE || (part == PART_MERGE && other == PART_ARRAYS);
}

/* Set PARTS[...] for PART and for those that it may use. */
static void add_part(bool parts[RUNTIME_PARTS], enum runtime_part part)
{
	for (int i = 0; i < RUNTIME_PARTS; i++)
		parts[i] |= part_may_use(part, i);
}

/* A source belongs to the row with the longest of these beginnings of its path. Reading the
 * kernel's headers takes a compiler longer than most of the sources that follow them, so the
 * sources of a unit are compiled together; static names have to differ within a unit. A part has
 * at most two units, since most machines that compile have two processors or more. Of the base, one
 * is the larger: the other processor compiles the part of arrays, too. */
static const struct {
	const char *path;
	enum runtime_part part;
	const char *unit;
} rows[] = {
	{"common/", PART_BUILTINS, "builtins"},
	{"common/arch/", PART_UNWIND, "unwind"},
	{"common/arrays/", PART_ARRAYS, "arrays"},
	{"common/arrays/map_memory", PART_BASE, "values"},
	{"common/arrays/merge", PART_MERGE, "merge"},
	{"common/arrays/percpu_cells", PART_BASE, "values"},
	{"common/arrays/sketch", PART_BASE, "values"},
	{"common/builtins/user_read", PART_BASE, "values"},
	{"common/context/", PART_BASE, "values"},
	{"common/context/counts", PART_BASE, "probes"},
	{"common/context/overhead", PART_EVENTS, "events"},
	{"common/context/timer_queue", PART_BASE, "probes"},
	{"common/elfid", PART_BASE, "values"},
	{"common/fp/", PART_PRETTY, "pretty"},
	{"common/memory/target_read", PART_BASE, "values"},
	{"common/pretty/", PART_PRETTY, "pretty"},
	{"common/strings/fmt", PART_BASE, "values"},
	{"common/strings/string", PART_BASE, "values"},
	{"common/unwind/", PART_UNWIND, "unwind"},
	{"kernel/", PART_BASE, "probes"},
	{"kernel/arch/", PART_BUILTINS, "builtins"},
	{"kernel/builtins/", PART_BASE, "probes"},
	{"kernel/builtins/kernel_memory", PART_KERNEL, "counters"},
	{"kernel/builtins/kernel_stack", PART_UNWIND, "unwind"},
	{"kernel/builtins/kernel_write", PART_KERNEL, "counters"},
	{"kernel/builtins/tasks", PART_BUILTINS, "builtins"},
	{"kernel/memory/", PART_BASE, "values"},
	{"kernel/memory/mapping", PART_BASE, "probes"},
	{"kernel/memory/umem", PART_BASE, "probes"},
	{"kernel/memory/kernel_variables", PART_KERNEL, "counters"},
	{"kernel/probes/cpus", PART_KERNEL, "counters"},
	{"kernel/probes/data", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/ftrace", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/kernel_probes", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/kprobe", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/module", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/netfilter", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/perf", PART_KERNEL, "counters"},
	{"kernel/probes/process_events", PART_EVENTS, "events"},
	{"kernel/probes/symbol", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/syscall", PART_KERNEL, "kernel_probes"},
	{"kernel/probes/task_events", PART_KERNEL, "counters"},
	{"kernel/probes/watch", PART_KERNEL, "counters"},
	{"kernel/transport/procfs", PART_EVENTS, "events"},
};

enum runtime_part part_of_source(const char *path, const char **unit)
{
	size_t best = 0, length = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t n = strlen(rows[i].path);

		if (n > length && !strncmp(path, rows[i].path, n)) {
			best = i;
			length = n;
		}
	}
	*unit = rows[best].unit;
	return rows[best].part;
}

/* -------------------------------------------------- definitions in the sources */

static bool is_name_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* The name that the N bytes at LINE, which begin in the first column, define for other files: the
 * one before the parameters, the value or the semicolon. NULL if they define none. */
static char *defined_name(const char *line, size_t n)
{
	static const char *const others[] = {"static ", "extern ", "typedef "};
	static const char *const tags[] = {"struct", "union", "enum"};
	size_t end = 0, beg;

	if (!n || !(isalpha((unsigned char)line[0]) || line[0] == '_'))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (begins(line, others[i]))
			return NULL;
	while (end < n && (is_name_char(line[end]) || line[end] == ' ' || line[end] == '*'))
		end++;
	if (end == n || !strchr("(=[;", line[end]) || (line[end] == '(' && line[n - 1] == ';'))
		return NULL;
	while (end && line[end - 1] == ' ')
		end--;
	for (beg = end; beg && is_name_char(line[beg - 1]);)
		beg--;
	/* "struct NAME;" */
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (beg == strlen(tags[i]) + 1 && begins(line, tags[i]))
			return NULL;
	return beg && beg < end ? xstrndup(line + beg, end - beg) : NULL;
}

static const enum runtime_part part_numbers[RUNTIME_PARTS] = {
	PART_BASE,   PART_ARRAYS, PART_MERGE,  PART_BUILTINS,
	PART_PRETTY, PART_UNWIND, PART_KERNEL, PART_EVENTS};

/* Index of the sources below a directory.  `text' has the digest in its first line, and a
 * line "PART NAME" for each definition, PART being a digit. */
struct index {
	const char *root, *digest;
	struct strbuf text;
	struct smap parts; /* enum runtime_part * by name */
};

static void index_source(struct index *index, const char *text, enum runtime_part part)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		char *name = defined_name(line, n);

		if (name)
			sb_printf(&index->text, "%d %s\n", (int)part, name);
		line += n + (line[n] == '\n');
	}
}

static void read_sources(struct index *index, const word_vec *files)
{
	VEC(const char *) parts = {0};
	struct strbuf definitions;

	for (size_t i = 0; i < files->n; i++) {
		char *text = read_file(xprintf("%s/%s", index->root, files->v[i]), NULL);
		const char *unit;

		vec_push(&parts, files->v[i]);
		vec_push(&parts, text ? text : "");
		if (text && has_suffix(files->v[i], ".c"))
			index_source(index, text, part_of_source(files->v[i], &unit));
	}
	definitions = index->text;
	index->text = (struct strbuf){0};
	sb_printf(&index->text, "%s\n%s", hash_hex(parts.v, parts.n),
		  definitions.s ? definitions.s : "");
}

/* Fill in the members that `text' describes. */
static void read_index(struct index *index)
{
	char *line = strchr(index->text.s, '\n'), *end;

	index->digest = xstrndup(index->text.s, (size_t)(line - index->text.s));
	for (line++; (end = strchr(line, '\n')); line = end + 1) {
		unsigned part = (unsigned)(line[0] - '0');

		if (part < RUNTIME_PARTS && line[1] == ' ')
			smap_put(&index->parts, xstrndup(line + 2, (size_t)(end - line - 2)),
				 (void *)&part_numbers[part]);
	}
}

/* Where the index of FILES, as they are now, is in the cache; NULL without a cache. */
static char *index_path(const char *root, const word_vec *files)
{
	VEC(const char *) parts = {0};

	vec_push(&parts, "runtime 4");
	for (size_t i = 0; i < files->n; i++)
		vec_push(&parts, file_identity(xprintf("%s/%s", root, files->v[i])));
	return cache_path("library", hash_hex(parts.v, parts.n));
}

/* The index of the sources below ROOT; made once for each ROOT, and read from the cache while the
 * files are the same. */
static const struct index *definitions(const char *root)
{
	static ARENA_STATE struct index index;
	word_vec files = {0};
	char *path, *text;

	if (index.root && !strcmp(index.root, root))
		return &index;
	index = (struct index){.root = xstrdup(root)};
	runtime_sources(root, &files);
	path = index_path(root, &files);
	text = path ? cache_read_sealed(path) : NULL;
	if (text && strchr(text, '\n')) {
		index.text.s = text;
		cache_touch(path);
	} else {
		read_sources(&index, &files);
		if (path)
			cache_write_sealed(path, index.text.s, index.text.n);
	}
	read_index(&index);
	return &index;
}

const char *runtime_digest(const char *root) { return definitions(root)->digest; }

void parts_named(const char *root, const char *text, bool named[RUNTIME_PARTS])
{
	const struct smap *index = &definitions(root)->parts;

	for (const char *p = text; *p;) {
		const char *beg = p;
		const enum runtime_part *part;

		while (is_name_char(*p))
			p++;
		if (p == beg) {
			p++;
			continue;
		}
		part = smap_get(index, xstrndup(beg, p - beg));
		if (part)
			add_part(named, *part);
	}
}

/* ------------------------------------------------------- symbols of an object */

bool parts_needed(const char *root, const char *object, bool needed[RUNTIME_PARTS])
{
	const struct smap *index = &definitions(root)->parts;
	name_vec names = {0};

	if (!object_symbols(object, false, &names))
		return false;
	for (size_t i = 0; i < names.n; i++) {
		const enum runtime_part *part = smap_get(index, names.v[i]);

		if (part)
			add_part(needed, *part);
	}
	return true;
}

const char *part_misplaced_symbol(const char *root, const char *object, enum runtime_part part)
{
	const struct smap *index = &definitions(root)->parts;
	name_vec names = {0};

	if (!object_symbols(object, true, &names))
		return NULL;
	for (size_t i = 0; i < names.n; i++) {
		const enum runtime_part *of = smap_get(index, names.v[i]);

		/* objtool defines __pfx_NAME in front of NAME */
		if (!begins(names.v[i], "__pfx_") && (!of || *of != part))
			return names.v[i];
	}
	return NULL;
}
