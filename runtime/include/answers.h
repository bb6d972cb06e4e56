/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose file system may never answer.  The translator and staprun use this. */
#ifndef USTAP_ANSWERS_H
#define USTAP_ANSWERS_H

#include <stdbool.h>

/*
 * Does the file system of PATH answer?  False, with errno ETIMEDOUT, if it is FUSE and its server
 * leaves a request without an answer for five seconds; true for everything else, also where PATH
 * does not exist.  A file on FUSE is read as a whole, so that its pages are in the page cache when
 * the caller reads them.
 */
bool file_answers(const char *path);

#endif
