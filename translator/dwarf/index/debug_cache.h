/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kept files: what was made of large debug files, in the folder "names" of the
 * cache.  Each is made under a lock of its own, appears by rename, and goes
 * when room is needed for others and it was not used for longest.
 */
#ifndef USTAP_KEPT_H
#define USTAP_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name for what is made of file FD, of a module with BUILD_ID: another one when the file is
 * another. */
const char *kept_key(int fd, const char *build_id);

struct kept {
	const char *path; /* where it is to be; NULL: nothing is kept */
	const char *tmp;
	int lock;
};
/* The kept file KEY.SUFFIX, not opened. */
struct kept kept_file(const char *key, const char *suffix);
/* Open it; -1: it is not there. */
int kept_open(const struct kept *k);
/* Wait until no other process makes it; then look again before making it. */
void kept_lock(struct kept *k);
void kept_unlock(struct kept *k);
/* A new file of SIZE bytes to be published as K; where there is no room for it, one in memory. -1:
 * error. */
int kept_create(struct kept *k, uint64_t size);
/* Make FD from kept_create() appear; false if it is gone or never had a name. */
bool kept_publish(struct kept *k, int fd);
void kept_discard(struct kept *k);       /* the file that was begun */
void kept_damaged(const struct kept *k); /* remove the file itself, and say why */

/* A checksum that knows damage from use, not an attacker's. */
uint64_t kept_sum(const void *p, size_t n, uint64_t seed);
bool kept_write(int fd, const void *p, size_t n, uint64_t at);

#endif
