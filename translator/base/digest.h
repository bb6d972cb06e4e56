/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 of bytes and files; hash_hex() of texts is in cache.h. */
#ifndef USTAP_DIGEST_H
#define USTAP_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_SIZE = 32, DIGEST_HEX = 2 * DIGEST_SIZE + 1 }; /* bytes; hex digits and a NUL */

/* SHA-256 of N bytes at P. */
void digest_bytes(const void *p, size_t n, unsigned char out[DIGEST_SIZE]);
/* The digest of the whole file FD in hex; false if it cannot be read. */
bool digest_file(int fd, char out[DIGEST_HEX]);

#endif
