/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the kernel runtime: which of them define what an object refers to. The object is this
 * program's own, and the sources, made for the test, pretend to define what it uses of the C
 * library.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/runtime_parts.h"
#include "base/cache.h"
#include "dwarf/object_symbols.h"

static int failed;

static void verdict(const char *name, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "not ok", name);
	failed |= !ok;
}

static char *root, *object;

static void write_source(const char *path, const char *text)
{
	char *file = xprintf("%s/%s", root, path);
	FILE *f;

	for (char *p = file + strlen(root) + 1; (p = strchr(p, '/')); p++)
		mkdir(xprintf("%.*s", (int)(p - file), file), 0700);
	f = fopen(file, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(99);
}

static bool in_part(const char *path, enum runtime_part part)
{
	const char *unit;

	return part_of_source(path, &unit) == part && unit;
}

static void longest_row_wins(void)
{
	verdict("longest_row_wins", in_part("common/builtins/user_read.c", PART_BASE) &&
					    in_part("common/builtins/date.c", PART_BUILTINS) &&
					    in_part("common/context/ctx.c", PART_BASE) &&
					    in_part("common/context/overhead.c", PART_EVENTS) &&
					    in_part("common/arrays/map.c", PART_ARRAYS) &&
					    in_part("common/arrays/map_memory.c", PART_BASE) &&
					    in_part("common/arrays/merge_send.c", PART_MERGE) &&
					    in_part("kernel/probes/uprobe.c", PART_BASE) &&
					    in_part("kernel/probes/perf_task.c", PART_KERNEL) &&
					    in_part("kernel/builtins/kernel_stack.c", PART_UNWIND));
}

static void references_find_their_parts(void)
{
	bool needed[RUNTIME_PARTS] = {0};
	bool read = parts_needed(root, object, needed);

	verdict("references_find_their_parts", read && needed[PART_BASE] && needed[PART_UNWIND] &&
						       !needed[PART_KERNEL] &&
						       !needed[PART_BUILTINS]);
}

static void words_name_parts(void)
{
	bool named[RUNTIME_PARTS] = {0};

	parts_named(root, "static void f(void) { xmkdtemp(), fputs(\"main2\"); }", named);
	verdict("words_name_parts", named[PART_BASE] && !named[PART_UNWIND]);
}

/* `main' is what the object defines; only unwinding has a definition of that name. */
static void definitions_are_compared(void)
{
	const char *other = part_misplaced_symbol(root, object, PART_KERNEL);

	verdict("definitions_are_compared", !part_misplaced_symbol(root, object, PART_UNWIND) &&
						    other && !strcmp(other, "main"));
}

static void no_object_is_an_error(void)
{
	bool needed[RUNTIME_PARTS] = {0};

	verdict("no_object_is_an_error",
		!parts_needed(root, xprintf("%s/common/context/a.c", root), needed) &&
			!parts_needed(root, "/nonexistent", needed) &&
			!object_has_section("/nonexistent", ".text") &&
			object_has_section(object, ".symtab") &&
			!object_has_section(object, "__versions"));
}

static bool is_named(const char *name, enum runtime_part part)
{
	bool named[RUNTIME_PARTS] = {0};

	parts_named(root, name, named);
	return named[part];
}

/* Parts of --merge use arrays. */
static void parts_name_those_they_use(void)
{
	verdict("parts_name_those_they_use",
		is_named("tmpfile", PART_MERGE) && is_named("tmpfile", PART_ARRAYS) &&
			!is_named("tmpfile", PART_BUILTINS) && !is_named("rewind", PART_MERGE) &&
			is_named("rewind", PART_ARRAYS) && part_may_use(PART_MERGE, PART_ARRAYS) &&
			!part_may_use(PART_ARRAYS, PART_MERGE) &&
			!part_may_use(PART_PRETTY, PART_BUILTINS));
}

/* The index of the sources is read from the cache until one of them changes. */
static void index_is_cached(void)
{
	char *digest = strdup(runtime_digest(root)), path[PATH_MAX];
	bool ok;

	arena_free_all(); /* as the next run begins */
	ok = !strcmp(runtime_digest(root), digest) && is_named("fputs", PART_BASE) &&
	     is_named("mkdtemp", PART_UNWIND);
	arena_free_all();
	write_source("common/context/a.c", "int renamed(const char *s,\n\t  void *f)\n{\n}\n");
	ok = ok && strcmp(runtime_digest(root), digest) && is_named("renamed", PART_BASE) &&
	     !is_named("fputs", PART_BASE);
	arena_free_all();
	snprintf(path, sizeof path, "%s/common/unwind/b.c", root);
	ok = ok && !rename(path, xprintf("%s/common/pretty.c", root)) &&
	     !is_named("mkdtemp", PART_UNWIND) && is_named("mkdtemp", PART_BUILTINS);
	verdict("index_is_cached", ok);
	free(digest);
}

int main(void)
{
	char self[PATH_MAX], dir[] = "/tmp/test_runtime_parts.XXXXXX";
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0 || !mkdtemp(dir))
		return 99;
	self[n] = 0;
	root = dir;
	setenv("USTAP_CACHE_DIR", xprintf("%s/cache", root), 1);
	object = xprintf("%s/test_runtime_parts-test_runtime_parts.o", dirname(self));
	write_source("common/context/a.c", "int fputs(const char *s,\n\t  void *f)\n{\n}\n");
	write_source("common/unwind/b.c", "enum answer mkdtemp(int n)\n{\n}\nint main(void) {}\n");
	write_source("common/arrays/merge_a.c", "int tmpfile(void)\n{\n}\n");
	write_source("common/arrays/d.c", "void rewind(void *f)\n{\n}\n");
	/* none of these defines what the object refers to */
	write_source("kernel/probes/perf.c",
		     "static int exit(int n)\n{\n}\nint fopen(int n);\nextern int mkdir;\n"
		     "struct readlink;\n\tint fclose(void)\n/* printf(x) */\nstruct strchr {\n");
	write_source("common/fp/c.c", "typedef int puts;\nenum { exit };\nint other = 1, v[2];\n");
	longest_row_wins();
	references_find_their_parts();
	words_name_parts();
	parts_name_those_they_use();
	definitions_are_compared();
	no_object_is_an_error();
	index_is_cached();
	cache_remove(dir);
	arena_free_all();
	return failed;
}
