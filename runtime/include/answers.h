/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose file system may never respond; used by the translator and staprun. */
#ifndef USTAP_ANSWERS_H
#define USTAP_ANSWERS_H

#include <stdbool.h>

/*
 * Check that the file system of PATH responds. False, with errno ETIMEDOUT, if it is FUSE and its
 * server leaves a request unanswered for five seconds; true for everything else, also if PATH does
 * not exist. A file on FUSE is read completely, so that its pages are in the page cache when the
 * caller reads them.
 */
bool file_answers(const char *path);

#endif
