/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache of data derived from large debug files, in the folder "names" of the cache. Each file is
 * made under a lock of its own and appears by rename. The least recently used ones are removed when
 * others need room.
 */
#ifndef USTAP_KEPT_H
#define USTAP_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name for what is made of file FD, of a module with BUILD_ID: another one when the file is
 * another. */
const char *debug_cache_key(int fd, const char *build_id);

struct debug_cache_file {
	const char *path; /* where it is to be; NULL: nothing is kept */
	const char *tmp;
	int lock;
};
/* The kept file KEY.SUFFIX, not opened. */
struct debug_cache_file debug_cache_find(const char *key, const char *suffix);
/* Open it; -1: it is not there. */
int debug_cache_open(const struct debug_cache_file *k);
/* Wait until no other process makes it; then look again before making it. */
void debug_cache_lock(struct debug_cache_file *k);
void debug_cache_unlock(struct debug_cache_file *k);
/* A new file of SIZE bytes to be published as K; where there is no room for it, one in memory. -1:
 * error. */
int debug_cache_create(struct debug_cache_file *k, uint64_t size);
/* Make FD from debug_cache_create() appear; false if it is gone or never had a name. */
bool debug_cache_publish(struct debug_cache_file *k, int fd);
void debug_cache_discard(struct debug_cache_file *k);       /* the file that was begun */
void debug_cache_damaged(const struct debug_cache_file *k); /* remove the file itself, and say why
							     */

/* A checksum that knows damage from use, not an attacker's. */
uint64_t debug_cache_checksum(const void *p, size_t n, uint64_t seed);
bool debug_cache_write(int fd, const void *p, size_t n, uint64_t at);

#endif
