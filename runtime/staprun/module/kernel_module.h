/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules: checking their files, inserting and removing them. */
#ifndef STAPRUN_MODULE_KERNEL_MODULE_H
#define STAPRUN_MODULE_KERNEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/exit_status.h"
#include "base/privilege.h"

/* ------------------------------------------------------------ module_file.c */

struct image {
	unsigned char *data;
	size_t size;
	char name[NAME_SIZE];
	const char *vermagic; /* in data; "" if missing */
	bool is_signed;       /* carries a signature: must not be changed */
	bool approved;        /* from the directory of approved modules */
	/* offsets of the name in the data: .modinfo and .gnu.linkonce.this_module */
	size_t name_at[2];
};

/* Read the module file that a caller with ROLE may load. False after a message. */
bool module_file_read(struct image *im, const char *path, enum role role);
/* Find name and vermagic in im->data; rejects files that ustap did not build. PATH is for
 * messages. */
bool module_file_check(struct image *im, const char *path);
/* Put NUMBER (7 digits) in its position in the module's name; no effect if the name has no number
 * or the image is signed. */
void module_file_set_number(struct image *im, unsigned number);
/* True if the name of the module ends in "_" and digits that ustap made, so that staprun may
 * replace them. */
bool module_file_has_number(const struct image *im);

/* Open NAME in the directory of approved modules; -1: not found, or writable by a user other than
 * root (errno EPERM). */
int module_file_open_approved(const char *name);

/* --------------------------------------------------------------- lockdown.c */

/* The first line of a small file without its newline; "" if it cannot be read. */
void kernel_setting(const char *path, char *buf, size_t size);
/* True if Secure Boot or an administrator has locked the kernel down. */
bool lockdown_active(void);
/* True if the kernel refuses modules without a signature that it trusts. */
bool signatures_enforced(void);

/* ------------------------------------------------------------ module_load.c */

/* Insert the module; false after a message with the reason and the remedy. */
bool module_load(struct image *im, unsigned buffer_mb);
/* Remove a module, waiting briefly if it is busy. False after a message. */
bool module_unload(const char *name);
/* module_unload() without messages: returns 0 or errno. Makes system calls only. */
int module_delete(const char *name);
/* Check that vermagic's release is that of the running kernel; false after a message. */
bool vermagic_fits(const struct image *im, const char *path);

#endif
