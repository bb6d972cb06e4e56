/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roles of staprun's callers where it is installed setuid root.
 *
 * Loading a module of one's own is equivalent to root, so only root and group stapdev may do it.
 * Group stapusr may load only modules in /lib/modules/RELEASE/ustap, which root installs, within
 * the policy there. Group stapsys may also load signed modules, if the kernel enforces signatures.
 * All other users are refused. Files named by the caller are opened, and the command runs, with the
 * caller's rights. Any user may run a script for the user runtime, which uses the caller's rights
 * only.
 */
#include "base/message.h"
#include "base/privilege.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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
	if (in_group("stapsys"))
		return ROLE_SYS;
	return in_group("stapusr") ? ROLE_USR : ROLE_NONE;
}

static bool suspended;

/* The effective group is changed first and last: both changes need root's rights. */
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

/* ------------------------------------------------------------ for good */

enum {
	CAPABILITIES = 64,
	SECURE_NO_ROOT = 0x2f
}; /* SECBIT_NOROOT, _NO_SETUID_FIXUP, _KEEP_CAPS_LOCKED and their locks */

/* A user namespace may not map these ids; then only the id of its owner is available. */
static bool change_ids(uid_t uid, gid_t gid, bool must)
{
	bool groups = !setgroups(0, NULL), group = !setresgid(gid, gid, gid);

	return (!setresuid(uid, uid, uid) && groups && group) || !must;
}

static bool may_change_ids(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &head, have) && have[0].effective & 1u << CAP_SETUID;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	return !syscall(SYS_capset, &head, none);
}

static bool is_initial_namespace(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, count;
	bool initial = f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3 && !inside &&
		       !outside && count == ~0u;

	if (f)
		fclose(f);
	return initial;
}

bool privilege_leave(uid_t uid, gid_t gid)
{
	bool initial = is_initial_namespace();

	if (uid == ANONYMOUS_ID)
		uid = gid = initial ? ANONYMOUS_FIRST + (uid_t)getpid() : OVERFLOW_ID;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/* without that capability no process of another user can be traced */
	if (may_change_ids()) {
		/* exec by user 0 of a namespace must not restore capabilities */
		prctl(PR_SET_SECUREBITS, SECURE_NO_ROOT, 0, 0, 0);
		for (unsigned long cap = 0; cap < CAPABILITIES; cap++)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
		if (!change_ids(uid, gid, initial))
			return false;
	}
	return drop_capabilities();
}

bool secure_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_NOCTTY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || fail("cannot open /dev/null: %s", strerror(errno));
}
