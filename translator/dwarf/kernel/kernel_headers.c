/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of headers of the kernel, "kernel<linux/fs.h>", that its BTF does not have: those of
 * private headers, and of a user's own. The kernel's build system compiles them as a part of a
 * module, with debug information; the result is linked, as modules of the debug package are, and
 * cached under a hash of the text that the compiler reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/subprocess.h"
#include "createfile.h"
#include "dwarf/values.h"
#include "kernel_image.h"

#define KEPT_DAYS 30

/* A program needs a segment. */
static const char object[] = "int ust_types;\n";
static const char kbuild[] = "obj-m := types.o\n"
			     "ccflags-y := -g -w -fno-eliminate-unused-debug-types\n";

/* The text of Kbuild, with the current directory as the last one that has headers, unless its name
 * means something to make. */
static const char *kbuild_text(void)
{
	char *here = getcwd(NULL, 0);
	const char *text = kbuild;

	if (here && !here[strcspn(here, " \t\n$#:%\\'\"")])
		text = xprintf("%sccflags-y += -idirafter %s\n", kbuild, here);
	free(here);
	return text;
}

/* Have the kernel's build system make GOAL in DIR. */
static bool make(const char *dir, const char *goal, const char *log)
{
	const char *const argv[] = {"make",
				    "-C",
				    kernel_target_get()->build,
				    xprintf("M=%s", dir),
				    "CONFIG_DEBUG_INFO_BTF=",
				    "CONFIG_DEBUG_INFO_BTF_MODULES=",
				    goal,
				    NULL};

	return run_command(argv, NULL, log) == 0;
}

/* The preprocessed TEXT without lines that name files, of which some are in the temporary folder.
 */
static const char *without_lines(const char *text)
{
	struct strbuf sb = {0};

	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (*text != '#')
			sb_addn(&sb, text, n);
	}
	return sb.s ? sb.s : "";
}

static const char *failed(struct var_error *err, const char *headers, const char *why)
{
	err->tag = E_BUILD;
	err->msg = xprintf("no types of kernel%s: %s", headers, why);
	err->hint = NULL;
	return NULL;
}

static const char *compile(const char *headers, const char *dir, struct var_error *err)
{
	const char *log = xprintf("%s/log", dir), *lib = xprintf("%s/types.so", dir);
	const char *const link[] = {"ld",
				    "-e",
				    "0",
				    "--unresolved-symbols=ignore-all",
				    "-o",
				    lib,
				    xprintf("%s/types.o", dir),
				    NULL};
	size_t len;
	char *entry, *text;

	if (!make(dir, "types.i", log))
		return failed(err, headers, header_compile_error(log));
	text = read_file(xprintf("%s/types.i", dir), &len);
	const char *const parts[] = {"kernel types 1", kernel_target_get()->build,
				     without_lines(text ? text : "")};

	entry = cache_path("types", hash_hex(parts, ARRAY_LEN(parts)));
	if (entry && cache_is_sound(entry))
		return xprintf("%s/types.so", entry);
	if (!make(dir, "types.o", log) || run_command(link, NULL, log) != 0)
		return failed(err, headers, header_compile_error(log));
	if (!entry || !cache_put("types", entry, lib, "types.so", NULL, 0))
		return failed(err, headers, "cannot write to the cache");
	cache_expire("types", KEPT_DAYS);
	return xprintf("%s/types.so", entry);
}

static const char *make_library(const char *headers, struct var_error *err)
{
	const char *lines = header_include_lines(headers), *made;
	char *dir;

	if (!lines)
		return failed(err, headers, "this is not a list of <header.h>");
	if (!kernel_target_get()->build)
		return failed(err, headers, "the kernel's headers are not installed");
	dir = cache_begin("types");
	if (!dir)
		return failed(err, headers, strerror(errno));
	if (write_private_file(xprintf("%s/types.c", dir), xprintf("%s%s", lines, object)) &&
	    write_private_file(xprintf("%s/Kbuild", dir), kbuild_text()))
		made = compile(headers, dir, err);
	else
		made = failed(err, headers, strerror(errno));
	cache_remove(dir);
	return made;
}

struct module *kernel_header_module(const char *headers, struct loc loc, struct var_error *err)
{
	static ARENA_STATE struct smap known; /* headers -> struct entry */
	struct entry {
		struct module *mod;
		struct var_error err;
	} *e = smap_get(&known, headers);
	const char *path;

	if (!e) {
		e = xalloc(sizeof *e);
		path = make_library(headers, err);
		e->mod = path ? module_get(path, loc) : NULL;
		e->err = *err;
		if (e->mod)
			e->mod->is_kernel = true;
		smap_put(&known, headers, e);
	}
	if (!e->mod)
		*err = e->err;
	return e->mod;
}
