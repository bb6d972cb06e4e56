/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stamps: identity and checksum of a large cached file, in a small file beside it.
 *
 * A stamp is valid as long as the machine has been up and the file has the same inode, size and
 * time: only its owner can have written to it. Otherwise the file is read once as a whole.
 */
#ifndef USTAP_STAMP_H
#define USTAP_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* The checksum of file FD of SIZE bytes; false if it does not have one. */
typedef bool (*stamp_sum_fn)(int fd, uint64_t size, uint64_t *sum);

bool stamp_sum(int fd, uint64_t size, uint64_t *sum); /* of any file: all of its bytes */
/* Write the stamp KEY: FD as it is now has the checksum SUM. Errors are ignored: the file is read
 * as a whole then. */
void stamp_write(const char *key, int fd, uint64_t sum);
/* Is FD what the stamp of KEY says? */
bool stamp_fits(int fd, const char *key, stamp_sum_fn sum);

#endif
