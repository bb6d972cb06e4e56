/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The temporary directory of this process, which no other user can change. For root, the variable
 * TMPDIR is used only if no other user can change the directory that it names.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trust.h"
#include "diag.h"
#include "environment.h"

/* One for each process; a forked child does not remove that of its parent. */
static struct {
	char *dir;
	const char *parent;
	pid_t owner;
	bool kept; /* signals do not remove it */
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

const char *private_dir_at_signal(void) { return private.kept ? NULL : private_dir_made(); }

void private_dir_keep(void) { private.kept = true; }

const char *private_dir(void)
{
	const char *parent;
	sigset_t all, before;
	char *dir;

	if (private_dir_made())
		return private.dir;
	parent = parent_dir();
	dir = xprintf("%s/ustapXXXXXX", parent);
	sigfillset(&all); /* a signal's handler removes what is known to have been made */
	sigprocmask(SIG_BLOCK, &all, &before);
	dir = mkdtemp(dir);
	if (dir) {
		private.dir = strdup(dir);
		private.owner = getpid();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!dir)
		diag_error(E_IO, (struct loc){0}, "cannot make a directory in %s: %s", parent,
			   strerror(errno));
	return dir ? private.dir : NULL;
}

void private_dir_forget(void)
{
	free(private.dir);
	private.dir = NULL;
}
