/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights of the caller, and the file of the script, opened with them. */
#ifndef STAPRUN_BASE_PRIVILEGE_H
#define STAPRUN_BASE_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

/* -------------------------------------------------------------- privilege.c */

enum role {
	ROLE_NONE, /* may do nothing */
	ROLE_USR,  /* stapusr: modules that root put in the trusted directory */
	ROLE_SYS,  /* stapsys: and those signed with a key that the kernel trusts, where it demands
		      that */
	ROLE_DEV,  /* stapdev: any module, which is as good as being root */
	ROLE_ROOT
};

enum role caller_role(void);
/* Act with the caller's rights on files until privilege_resume(). */
void privilege_suspend(void);
void privilege_resume(void);
/* For good, in a child that becomes the caller's command, or where it takes none.  False on
 * failure. */
bool privilege_drop(void);
/* For good: no capability, nor a way to get one by exec, and where the caller may change ids, UID
 * and GID without groups. ANONYMOUS_ID: one that no other process has, where the user namespace has
 * such an id.  False (errno). */
#define ANONYMOUS_ID    (~0u)
#define ANONYMOUS_FIRST 0x7e000000u
#define OVERFLOW_ID     65534u
bool privilege_leave(uid_t uid, gid_t gid);
/* Standard descriptors that are closed are filled, so that no file of ours gets their
 * numbers; writing to them still fails. */
void secure_descriptors(void);

/* ------------------------------------------------------------ script_file.c */

extern int script_fd; /* --fd: the script, open; -1: it is opened by name */
/* Open the file of the script, which PATH names, for reading with the rights that are in effect; -1
 * and errno. */
int open_script_file(const char *path);

#endif
