/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written. The translator, staprun and ustap-test create files with these functions
 * only, which check-includes asserts. -1 or NULL (errno) on failure.
 */
#ifndef USTAP_CREATEFILE_H
#define USTAP_CREATEFILE_H

#include <stdio.h>

/* Open the file at PATH, which a user has named, for writing, created or truncated, with the
 * effective user's rights; root does not follow links of other users. */
int file_create(const char *path);
FILE *file_create_stream(const char *path);
/* What errno ERR of these two means. */
const char *file_create_error(int err);

/* Open PATH in a directory where no other user may write, created if it is missing; FLAGS as of
 * open(2). */
int private_open(const char *path, int flags);
/* The same, truncated, for writing. */
FILE *private_stream(const char *path);

#endif
