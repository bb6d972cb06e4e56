/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment.
 *
 * Variables may be those of another user (`su' without `-', `sudo -E'). For root a variable is
 * used only if no other user can change the file or directory that it names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "trust.h"
#include "cache.h"
#include "diag.h"
#include "environment.h"

const char *environment_path(const char *name)
{
	static ARENA_STATE struct smap told;
	const char *path = getenv(name);
	struct distrust why;

	if (!path || !*path)
		return NULL;
	if (trusted_for_root(path, &why))
		return path;
	if (why.missing) /* another user may make it in the next moment */
		return "/nonexistent";
	if (!smap_get(&told, name)) {
		smap_put(&told, name, (void *)name);
		diag_warn(W_UNTRUSTED, (struct loc){0}, "%s=%s is not used: %s %s", name, path,
			  why.path, why.why);
		diag_hint("for root, the environment may name only paths that no other user can "
			  "change: unset the variable, or make root the owner");
	}
	return NULL;
}

void warn_untrusted(const char *option, const char *path)
{
	struct distrust why;

	if (trusted_for_root(path, &why))
		return;
	diag_warn(W_UNTRUSTED, (struct loc){0},
		  "%s %s: %s %s, so other users can decide what root runs here", option, path,
		  why.path, why.why);
}

void environment_clean(void)
{
	const char *cache;

	if (geteuid())
		return;
	/* names a file whose lines are sent to the servers of DEBUGINFOD_URLS */
	unsetenv("DEBUGINFOD_HEADERS_FILE");
	cache = getenv("DEBUGINFOD_URLS");
	if (!cache || !*cache || environment_path("DEBUGINFOD_CACHE_PATH"))
		return;
	/* libdebuginfod would write below $HOME, through links of its owner */
	cache = cache_path("debuginfod", "");
	setenv("DEBUGINFOD_CACHE_PATH", cache ? cache : "/nonexistent", 1);
}

void private_dir_remove(bool keep)
{
	const char *dir = private_dir_made();

	if (!dir)
		return;
	if (keep)
		fprintf(stderr, "ustap: kept %s\n", dir);
	else
		cache_remove(dir);
	private_dir_forget();
}
