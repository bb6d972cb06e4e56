/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inflated copies of compressed debug files; see inflate.c. */
#ifndef USTAP_INFLATE_H
#define USTAP_INFLATE_H

#include <stdbool.h>

/* A file like FD, of a module with BUILD_ID, with its sections inflated; -1: on error, or if no
 * section is worth it. */
int inflate_file(int fd, const char *build_id);
/* Has FD sections that are compressed with zstd, and can they be inflated? */
bool is_zstd_file(int fd);

/* USTAP_NAMES=no: nothing is kept of debug information, and no index is made; =all: even of small
 * files. */
bool index_is_off(void);
/* True if USTAP_NAMES=all. */
bool index_is_forced(void);

#endif
