/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File creation. The translator, staprun and ustap-test create files only with these functions,
 * which check-includes verifies. All return -1 or NULL with errno set on failure.
 */
#ifndef USTAP_CREATEFILE_H
#define USTAP_CREATEFILE_H

#include <stdio.h>

/* Open the file at PATH, named by a user, for writing, created or truncated, with the effective
 * user's rights; root does not follow links of other users. */
int file_create(const char *path);
/* file_create() as a stream, to be closed by the caller. */
FILE *file_create_stream(const char *path);
/* Text for errno ERR of the two functions above. */
const char *file_create_error(int err);

/* Open PATH in a directory that no other user can write to, created if missing; FLAGS as for
 * open(2). */
int private_open(const char *path, int flags);
/* private_open() for writing, truncated, as a stream. */
FILE *private_stream(const char *path);

#endif
