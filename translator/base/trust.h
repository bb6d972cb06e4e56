/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that other users may have made: opened without waiting and without following their links.
 *
 * A path is trusted if only root and the caller can change what it names: every directory on the
 * way, every symbolic link and the file belong to one of them, and no other user may write
 * there. Directories with the sticky bit, such as /tmp, may be writable, since the entries of
 * others cannot be replaced in them. The walk holds a descriptor of each directory, so a swap
 * during the walk changes nothing.
 */
#ifndef USTAP_TRUST_H
#define USTAP_TRUST_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Open the regular file PATH for reading; errno is EINVAL if it is a FIFO, a device or a directory,
 * which are not opened, ETIMEDOUT if its FUSE server does not answer. -1 on failure. */
int open_regular(const char *path);
/* The same as a stream. */
FILE *fopen_regular(const char *path);

/* Why a path is not trusted: the component and a
 * phrase such as "belongs to user alice (uid 1000)". */
struct distrust {
	char path[4096];
	char why[200];
	bool missing;
}; /* missing: it does not exist */

enum trust_flags {
	TRUST_CREATE = 1,  /* make missing directories with mode 0700 */
	TRUST_PRIVATE = 2, /* the directory itself may not be writable by others, sticky or not */
};
/* Open the directory PATH for openat(2) and the like.  -1: WHY has the component and the reason. */
int trusted_dir(const char *path, unsigned flags, struct distrust *why);
/* Open the regular file PATH for reading.  -1: as before. */
int trusted_file(const char *path, struct distrust *why);
/* Is PATH, a file or a directory, trusted?  True as well for every user but root, who trust their
 * own environment. */
bool trusted_for_root(const char *path, struct distrust *why);
/* May only root and the caller change the object with status ST?  WHY->why is filled in if not. */
bool trusted_status(const struct stat *st, struct distrust *why);

/* Does the regular file PATH begin as an ELF file does?  What is marked ? may name any file. */
bool file_is_elf(const char *path);

#endif
