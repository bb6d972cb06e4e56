/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may use staprun where it is installed setuid root.
 *
 * Loading a module of one's own making is as good as being root, so that is
 * for root and group stapdev.  Group stapusr may load only what root has put
 * in /lib/modules/RELEASE/ustap.  Everybody else is refused.  Files named by
 * the caller are opened, and his command runs, with his own rights.  A script for
 * the user runtime is for everybody: all of it happens with the caller's rights.
 */
#include "staprun.h"

#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

static bool in_group(const char *name)
{
	const struct group *g = getgrnam(name);
	gid_t *list;
	bool found;
	int n;

	if (!g)
		return false;
	n = getgroups(0, NULL);
	if (n < 0)
		return false;
	list = xrealloc(NULL, ((size_t)n + 1) * sizeof *list);
	n = getgroups(n, list);
	found = getgid() == g->gr_gid;
	for (int i = 0; i < n; i++)
		found |= list[i] == g->gr_gid;
	free(list);
	return found;
}

enum role caller_role(void)
{
	if (geteuid() != 0)
		return ROLE_NONE;
	if (getuid() == 0)
		return ROLE_ROOT;
	if (in_group("stapdev"))
		return ROLE_DEV;
	return in_group("stapusr") ? ROLE_USR : ROLE_NONE;
}

static bool suspended;

/* The effective group is changed first and last: both need root's rights. */
void privilege_suspend(void)
{
	suspended = geteuid() == 0;
	if (!suspended)
		return;
	if (setegid(getgid()) || seteuid(getuid()))
		abort();
}

static gid_t saved_group(void)
{
	gid_t r, e, s;

	return getresgid(&r, &e, &s) ? getgid() : s;
}

void privilege_resume(void)
{
	if (!suspended)
		return;
	if (seteuid(0) || setegid(saved_group()))
		abort();
}

bool privilege_drop(void)
{
	gid_t gid = getgid();
	uid_t uid = getuid();

	return !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid);
}

void secure_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_NOCTTY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		abort();
	close(fd);
}
