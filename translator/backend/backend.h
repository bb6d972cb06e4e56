/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the backends: what building is for both of them. */
#ifndef USTAP_BACKEND_BACKEND_H
#define USTAP_BACKEND_BACKEND_H

#include "ustap.h"

/* What was not used for so long leaves the cache. */
enum { UNUSED_DAYS = 30 };

/* Fill in WHY; false. */
bool refuse(struct unusable *why, enum errtag tag, const char *msg, const char *hint);
/* The file PATH as text that is another if the file is another. */
char *file_identity(const char *path);
/* Write the N bytes of TEXT to PATH; false after an error. */
bool write_text(const char *path, const char *text, size_t n);
/* Report that COMMAND failed with its output in the file LOG. */
void report_failure(const char *what, const char *log);
/* Report the compiler's errors of embedded C, which LOG shows; HINT: below those of what only a
 * kernel has.  False if there are none. */
bool report_embedded(const struct session *s, const char *log, const char *hint);
/* Put the artifact also into the current directory, as NAME; false after an error. */
bool copy_here(struct session *s, const char *name);

#endif
