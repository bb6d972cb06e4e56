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

/* Key for the data derived from file FD, of a module with BUILD_ID: it changes with the file. */
const char *debug_cache_key(int fd, const char *build_id);

struct debug_cache_file {
	const char *path; /* path of the file once it is published; NULL: nothing is cached */
	const char *tmp;
	int lock;
};
/* The cached file KEY.SUFFIX, not opened. */
struct debug_cache_file debug_cache_find(const char *key, const char *suffix);
/* Open K for reading; -1: not found. */
int debug_cache_open(const struct debug_cache_file *k);
/* Wait until no other process makes the file; look for it again before making it. */
void debug_cache_lock(struct debug_cache_file *k);
/* Release the lock; nothing happens without one. */
void debug_cache_unlock(struct debug_cache_file *k);
/* Create a file of SIZE bytes to be published as K, in memory if there is no room for it. -1:
 * error. */
int debug_cache_create(struct debug_cache_file *k, uint64_t size);
/* Publish FD from debug_cache_create() as K; false if it was removed or is in memory. */
bool debug_cache_publish(struct debug_cache_file *k, int fd);
void debug_cache_discard(struct debug_cache_file *k);       /* remove the unpublished file */
void debug_cache_damaged(const struct debug_cache_file *k); /* log it, remove the file */

/* A checksum against accidental damage, not against an attacker. */
uint64_t debug_cache_checksum(const void *p, size_t n, uint64_t seed);
/* Write N bytes at P to FD at offset AT, all of them. False with errno set. */
bool debug_cache_write(int fd, const void *p, size_t n, uint64_t at);

#endif
