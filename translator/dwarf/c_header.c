/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and constants of C headers, "<sys/time.h>". The C compiler makes a shared library of them,
 * which holds little but debug information; it is cached under a hash of all the text that the
 * compiler would read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "createfile.h"
#include "values.h"
#include "base/cache.h"
#include "base/subprocess.h"

#define KEPT_DAYS 30

static const char *failed(struct var_error *err, const char *hint, const char *msg)
{
	err->tag = E_BUILD;
	err->msg = msg;
	err->hint = hint;
	return NULL;
}

/* "<a.h><b.h>" as lines of #include; NULL if it is something else. */
const char *header_include_lines(const char *headers)
{
	struct strbuf sb = {0};
	for (const char *p = headers; *p;) {
		const char *end = *p == '<' ? strchr(p, '>') : NULL;
		if (!end || memchr(p, '\n', (size_t)(end - p)))
			return NULL;
		sb_printf(&sb, "#include %.*s\n", (int)(end + 1 - p), p);
		p = end + 1;
	}
	return sb.s;
}

bool write_private_file(const char *path, const char *text)
{
	FILE *f = private_stream(path);
	bool ok = f && fputs(text, f) >= 0;
	if (f)
		ok = fclose(f) == 0 && ok;
	return ok;
}

/* The first error message in the compiler's output. */
const char *header_compile_error(const char *log)
{
	size_t len;
	char *text = read_file(log, &len);
	const char *error = text ? strstr(text, "error: ") : NULL;
	if (!error)
		return "the C compiler fails";
	return xstrndup(error + 7, strcspn(error + 7, "\n"));
}

/* Compile the source in the directory DIR to a shared library in the cache; its path. NULL: ERR has
 * the reason. */
static const char *compile(const char *what, const char *cc, const char *dir, struct var_error *err)
{
	const char *src = xprintf("%s/types.c", dir), *all = xprintf("%s/types.i", dir);
	const char *lib = xprintf("%s/types.so", dir), *log = xprintf("%s/log", dir);
	/* a linker that is found first in $PATH need not be one that can take gcc's plugin */
	const char *no_plugin = strstr(cc, "gcc") ? "-fno-use-linker-plugin" : NULL;
	const char *const expand[] = {cc, "-E", "-o", all, src, NULL};
	const char *const make[] = {
		cc,      "-g",      "-O0",       "-w", "-fno-eliminate-unused-debug-types",
		"-fpic", "-shared", "-nostdlib", "-o", lib,
		all,     no_plugin, NULL};
	size_t len;
	if (run_command(expand, NULL, log) != 0)
		return failed(err, NULL, xprintf("%s: %s", what, header_compile_error(log)));
	const char *text = read_file(all, &len);
	const char *const parts[] = {"types 2", cc, text ? text : ""};
	char *entry = cache_path("types", hash_hex(parts, ARRAY_LEN(parts)));
	const char *kept = entry ? xprintf("%s/types.so", entry) : NULL;
	if (entry && cache_is_sound(entry))
		return kept;
	if (run_command(make, NULL, log) != 0)
		return failed(err, NULL, xprintf("%s: %s", what, header_compile_error(log)));
	if (!entry || !cache_put("types", entry, lib, "types.so", NULL, 0))
		return failed(err, NULL, xprintf("%s: cannot write to the cache", what));
	cache_expire("types", KEPT_DAYS);
	return kept;
}

static const char *make_module(const char *headers, const char *code, const char *what,
			       struct var_error *err)
{
	const char *lines = header_include_lines(headers), *cc = find_tool("gcc"), *made;
	char *dir = cache_begin("types");
	cc = cc ? cc : find_tool("cc");
	if (!lines)
		return failed(err, NULL, xprintf("\"%s\" is not a list of <header.h>", headers));
	if (!cc)
		return failed(err, "apt install gcc", "types of headers need a C compiler");
	if (!dir)
		return failed(err, NULL, xprintf("cannot write to the cache: %s", strerror(errno)));
	if (write_private_file(xprintf("%s/types.c", dir), xprintf("%s%s", lines, code)))
		made = compile(what, cc, dir, err);
	else
		made = failed(err, NULL, xprintf("cannot write to %s: %s", dir, strerror(errno)));
	cache_remove(dir);
	return made;
}

const char *compile_module(const char *headers, const char *code, const char *what,
			   struct var_error *err)
{
	static ARENA_STATE struct smap made; /* headers and code -> path, or its error */
	const char *key = xprintf("%s %s", headers, code);
	struct entry {
		const char *path;
		struct var_error err;
	} *e = smap_get(&made, key);
	if (!e) {
		e = xalloc(sizeof *e);
		e->path = make_module(headers, code, what, err);
		e->err = *err;
		smap_put(&made, key, e);
	}
	if (!e->path)
		failed(err, e->err.hint, e->err.msg);
	return e->path;
}

const char *header_module(const char *headers, struct var_error *err)
{
	return compile_module(headers, "", xprintf("no types of %s", headers), err);
}
