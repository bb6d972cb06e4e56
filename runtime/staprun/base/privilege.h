/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights of the caller, and the file of the script, opened with them. */
#ifndef STAPRUN_BASE_PRIVILEGE_H
#define STAPRUN_BASE_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

/* -------------------------------------------------------------- privilege.c */

enum role {
	ROLE_NONE, /* no permission */
	ROLE_USR,  /* stapusr: modules that root has installed in the trusted directory */
	ROLE_SYS,  /* stapsys: also those signed with a key that the kernel trusts, if the kernel
		    * enforces signatures */
	ROLE_DEV,  /* stapdev: any module, which is equivalent to root */
	ROLE_ROOT
};

/* Rights of the user who runs a set-user-ID staprun, by group: root, stapdev, stapsys, stapusr
 * or nothing. */
enum role caller_role(void);
/* Use the caller's rights on files until privilege_resume(). */
void privilege_suspend(void);
void privilege_resume(void);
/* Drop privileges permanently, in a child that becomes the caller's command, or where none are
 * needed. False on failure. */
bool privilege_drop(void);
/* Drop permanently all capabilities, and the means to regain one by exec, and, if the caller may
 * change ids, take UID and GID without groups. ANONYMOUS_ID: one that no other process has, if the
 * user namespace maps such an id. False with errno set. */
#define ANONYMOUS_ID    (~0u)
#define ANONYMOUS_FIRST 0x7e000000u
#define OVERFLOW_ID     65534u
/* Drop all privileges for good: become UID and GID, ANONYMOUS_ID for ids of no other process,
 * without capabilities, and with no_new_privs. False: not all could be dropped; the caller exits.
 */
bool privilege_leave(uid_t uid, gid_t gid);
/* Open closed standard descriptors, so that no other file gets their numbers; writing to them still
 * fails. False after a message. */
bool secure_descriptors(void);

/* ------------------------------------------------------------ script_file.c */

extern int script_fd; /* --fd: descriptor of the script; -1: it is opened by name */
/* Open the script's file PATH for reading with the rights that are in effect; -1 with errno set. */
int open_script_file(const char *path);

#endif
