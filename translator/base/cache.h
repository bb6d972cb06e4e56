/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache: files that ustap made, to be used by later runs. */
#ifndef USTAP_BASE_CACHE_H
#define USTAP_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Root's is /var/cache/ustap, others' ~/.cache/ustap, unless $USTAP_CACHE_DIR or $XDG_CACHE_HOME
 * names another one; created.  A directory that other users can change is not used, with a warning;
 * without any, it is a private one for this run.  NULL after an error. */
const char *cache_dir(void);
bool cache_be_private(void); /* from here on a new one, for this run; false after an error */
/* directory of SUB is made; NULL after an error */
char *cache_path(const char *sub, const char *key);
/* digest.c: SHA-256 over all parts, 64 hex digits */
char *hash_hex(const char *const parts[], size_t n);
/* The file PATH as text that is another if the file is another or was written to. */
char *file_identity(const char *path);
struct stat;
/* The same from *ST, which the caller has from stat(2) or fstat(2) of PATH. In the arena. */
char *file_identity_of(const char *path, const struct stat *st);
/* Move FROM to TO so that a concurrent reader sees all or nothing. */
bool cache_publish(const char *from, const char *to);
/* A file that begins with the digest of what follows.  A damaged one is removed. */
enum { SEAL_SIZE = 32 };
/* True if the file at PATH exists and its digest is right. Removes a damaged file. */
bool cache_sealed_is_sound(const char *path);
/* The contents, in the arena; NULL if the entry is missing or damaged. */
char *cache_read_sealed(const char *path);
/* Write N bytes at P with their digest to PATH, replacing it atomically. False: errno is set, and
 * PATH is as before. */
bool cache_write_sealed(const char *path, const void *p, size_t n);
/* An entry that is a directory: made in a directory of its own below SUB, then published as ENTRY
 * with digests of its files.  NULL, false: errno says why. */
char *cache_begin(const char *sub);
/* Write the digests of all files in DIR, from cache_begin(), and rename DIR to ENTRY. False with
 * errno set. */
bool cache_seal(const char *dir, const char *entry);
struct cache_text {
	const char *name, *text;
};
/* An entry of the file NAME, which is a copy of FROM, and N files of the TEXTS. */
bool cache_put(const char *sub, const char *entry, const char *from, const char *name,
	       const struct cache_text *texts, size_t n);
/* Open file NAME of ENTRY for reading.  -1: it is missing, or was damaged and is removed. */
int cache_open(const char *entry, const char *name);
bool cache_is_sound(const char *entry);       /* the same of all its files */
void cache_discard(const char *entry);        /* remove it, which others may be using */
void cache_touch(const char *path);           /* this entry was used now */
void cache_remove(const char *path);          /* a file or a directory with all in it */
void cache_expire(const char *sub, int days); /* remove what was not used for so long */
bool cache_is_private(void);                  /* is it one for this run only? */

/* cache_lock.c: the lock of this run on the cache in DIR, until the process ends or
 * executes another program. */
void cache_hold(const char *dir);
/* Wait until no other run uses the cache, at most 5 s; false: some still do. */
bool cache_lock_alone(void);
/* Remove entries that were used least recently until the cache is as large as
 * USTAP_CACHE_MB allows; at most once a minute. */
void cache_enforce_limit(void);
bool cache_clean(void); /* --clean-cache; false after an error */
bool cache_show(void);  /* --cache; the same */

#endif
