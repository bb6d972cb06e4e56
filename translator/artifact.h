/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes and keeps artifacts: the backends, the cache, and where what comes with ustap is found.  A part of ustap.h, which
 * includes it where its types are known.
 */
#ifndef USTAP_ARTIFACT_H
#define USTAP_ARTIFACT_H

/* ---------------------------------------------------------------- backend/ */

struct unusable { enum errtag tag; const char *msg, *hint; struct loc loc; };   /* hint: what mends it */
struct backend {
	const char *name;                        /* "kernel", "user" */
	/* Can this session's script be built, and run if it is to be?  False: WHY says. */
	bool (*usable)(const struct session *s, struct unusable *why);
	bool (*prepare)(struct session *s);      /* fill the cache; errors reported */
	bool (*build)(struct session *s);        /* c_text -> artifact; errors reported */
};
extern const struct backend backend_kernel, backend_user;
/* backend/kernel.c: the kernel that S is for; build (its headers) may be NULL. */
struct kernel_target { const char *release, *build; };
struct kernel_target kernel_target(const struct session *s);

/* ----------------------------------------------------------------- cache.c */

/* ~/.cache/ustap or $USTAP_CACHE_DIR; created.  NULL if it cannot be. */
const char *cache_dir(void);
char *cache_path(const char *sub, const char *key);        /* directory of SUB is made */
char *hash_hex(const char *const parts[], size_t n);       /* 32 hex digits over all parts */
/* Move FROM to TO so that a concurrent reader sees all or nothing. */
bool cache_publish(const char *from, const char *to);
void cache_touch(const char *path);                        /* this entry was used now */
void cache_remove(const char *path);                       /* a file or a directory with all in it */
void cache_expire(const char *sub, int days);              /* remove what was not used for so long */
/* Directory of the data that comes with ustap, "runtime" or "tapsets":
 * $USTAP_RUNTIME or $USTAP_TAPSETS, else of the build tree that this program
 * is in, else the installed one.  NULL if there is none. */
const char *data_path(const char *what);
/* The archive that scripts for the user runtime are linked with: $USTAP_USER_RUNTIME,
 * else the one beside this program, else the installed one.  NULL if there is none. */
const char *user_runtime_path(void);
char *program_dir(void);                                   /* of this program; "" if it cannot be known */

#endif
