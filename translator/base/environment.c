/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment, and temporary directories.
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

/* ------------------------------------------------------- temporary directory */

/* One for each process; a forked child does not remove that of its parent. */
static struct {
	char *dir;
	const char *parent;
	pid_t owner;
} private;

bool private_dir_in(const char *dir)
{
	struct distrust why;
	int fd = trusted_dir(dir, 0, &why);

	if (fd >= 0) {
		close(fd);
		private.parent = strdup(dir);
		return true;
	}
	diag_error(E_OPTION, (struct loc){0}, "--tmpdir %s: %s %s", dir, why.path, why.why);
	return false;
}

static const char *parent_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	struct distrust why;
	int fd;

	if (private.parent)
		return private.parent;
	if (!tmp || !*tmp || !strcmp(tmp, "/tmp"))
		return "/tmp";
	fd = trusted_dir(tmp, 0, &why);
	if (fd >= 0) {
		close(fd);
		return tmp;
	}
	diag_warn(W_UNTRUSTED, (struct loc){0}, "TMPDIR=%s is not used: %s %s", tmp, why.path,
		  why.why);
	diag_hint("temporary files are in /tmp instead");
	return "/tmp";
}

const char *private_dir_made(void) { return private.owner == getpid() ? private.dir : NULL; }

const char *private_dir(void)
{
	const char *parent;
	char *dir;

	if (private_dir_made())
		return private.dir;
	parent = parent_dir();
	dir = xprintf("%s/ustapXXXXXX", parent);
	if (!mkdtemp(dir)) {
		diag_error(E_IO, (struct loc){0}, "cannot make a directory in %s: %s", parent,
			   strerror(errno));
		return NULL;
	}
	private.dir = strdup(dir);
	private.owner = getpid();
	return private.dir;
}

void private_dir_remove(bool keep)
{
	if (!private_dir_made())
		return;
	if (keep)
		fprintf(stderr, "ustap: kept %s\n", private.dir);
	else
		cache_remove(private.dir);
	free(private.dir);
	private.dir = NULL;
}
