/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of kernel modules, checked; modules loaded and removed. */
#ifndef STAPRUN_MODULE_MODULE_H
#define STAPRUN_MODULE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/exit_status.h"
#include "base/privilege.h"

/* ------------------------------------------------------------ module_file.c */

struct image {
	unsigned char *data;
	size_t size;
	char name[NAME_SIZE];
	const char *vermagic; /* in data; "" if there is none */
	bool is_signed;       /* carries a signature: must stay as it is */
	bool approved;        /* from the directory of approved modules */
	/* where the name stands in the data: .modinfo and .gnu.linkonce.this_module */
	size_t name_at[2];
};

/* The bytes of the module file that the caller in ROLE may load.  False after a message. */
bool module_file_read(struct image *im, const char *path, enum role role);
/* Find name and vermagic in im->data; refuses what ustap did not build.  PATH is
 * for messages. */
bool module_file_check(struct image *im, const char *path);
/* Put NUMBER (7 digits) in the place for it in the module's name; nothing
 * happens where the name has no such place or the image is signed. */
void module_file_set_number(struct image *im, unsigned number);
bool module_file_has_number(const struct image *im);

/* Open NAME in the directory of approved modules; -1: it is not there, or is not only root's (errno
 * EPERM). */
int module_file_open_approved(const char *name);

/* ------------------------------------------------------------ module_load.c */

/* Does the kernel refuse modules without a signature that it trusts? */
bool signatures_enforced(void);

/* Insert the module; false after a message that says why and what mends it. */
bool module_load(struct image *im, unsigned buffer_mb);
/* Waits a while for a module that is busy.  False after a message. */
bool module_unload(const char *name);
/* The same without messages: 0 or errno.  Makes system calls only. */
int module_delete(const char *name);
/* Is vermagic's release that of the running kernel?  Else false after a message. */
bool vermagic_fits(const struct image *im, const char *path);

#endif
