/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes and keeps artifacts: the backends, the cache, and where what comes with ustap is
 * found.  A part of ustap.h, which includes it where its types are known.
 */
#ifndef USTAP_ARTIFACT_H
#define USTAP_ARTIFACT_H

/* ---------------------------------------------------------------- backend/ */

struct unusable {
	enum errtag tag;
	const char *msg, *hint;
	struct loc loc;
}; /* hint: what mends it */
struct backend {
	const char *name; /* "kernel", "user" */
	/* Can this session's script be built, and run if it is to be?  False: WHY says. */
	bool (*usable)(const struct session *s, struct unusable *why);
	bool (*prepare)(struct session *s); /* fill the cache; errors reported */
	bool (*build)(struct session *s);   /* c_text -> artifact; errors reported */
};
extern const struct backend backend_kernel, backend_user;
extern const struct backend *const backends[]; /* by enum runtime; NULL for RT_AUTO; build.c */
/* session.c: report WHY; WHY for the point PP, which the user runtime does not have, where KERNEL
 * says why not to take the other, or is NULL. */
void report_unusable(const struct unusable *why);
void runtime_lacks_point(struct loc loc, const char *pp, const struct unusable *kernel,
			 struct unusable *why);
/* base/kernel_target.c: the kernel that GIVEN, of -r, means, a release or a directory of headers;
 * NULL: the running one.  build, the directory of its headers, may be NULL. */
struct kernel_target {
	const char *release, *build;
};
struct kernel_target kernel_target(const char *given);
const char *running_release(void);

/* ----------------------------------------------------------------- cache.c */

/* Root's is /var/cache/ustap, others' ~/.cache/ustap, unless $USTAP_CACHE_DIR or $XDG_CACHE_HOME
 * names another one; created.  A directory that other users can change is not used, with a warning;
 * without any, it is a private one for this run.  NULL after an error. */
const char *cache_dir(void);
bool cache_be_private(void); /* from here on a new one, for this run; false after an error */
char *cache_path(const char *sub, const char *key); /* directory of SUB is made; NULL after an error
						     */
char *hash_hex(const char *const parts[], size_t n); /* digest.c: SHA-256 over all parts, 64 hex
							digits */
/* The file PATH as text that is another if the file is another or was written to. */
char *file_identity(const char *path);
struct stat;
char *file_identity_of(const char *path, const struct stat *st);
/* Move FROM to TO so that a concurrent reader sees all or nothing. */
bool cache_publish(const char *from, const char *to);
/* A file that begins with the digest of what follows.  A damaged one is removed. */
enum { SEAL_SIZE = 32 };
bool cache_sealed_is_sound(const char *path);
char *cache_read_sealed(const char *path); /* what follows; NULL if it is missing or damaged */
bool cache_write_sealed(const char *path, const void *p, size_t n);
/* An entry that is a directory: made in a directory of its own below SUB, then published as ENTRY
 * with digests of its files.  NULL, false: errno says why. */
char *cache_begin(const char *sub);
bool cache_seal(const char *dir, const char *entry);
/* An entry of the file NAME, which is a copy of FROM, and, if MORE is not NULL, a file MORE with
 * TEXT. */
bool cache_put(const char *sub, const char *entry, const char *from, const char *name,
	       const char *more, const char *text);
/* Open file NAME of ENTRY for reading.  -1: it is missing, or was damaged and is removed. */
int cache_open(const char *entry, const char *name);
bool cache_is_sound(const char *entry);       /* the same of all its files */
void cache_discard(const char *entry);        /* remove it, which others may be using */
void cache_touch(const char *path);           /* this entry was used now */
void cache_remove(const char *path);          /* a file or a directory with all in it */
void cache_expire(const char *sub, int days); /* remove what was not used for so long */
bool cache_is_private(void);                  /* is it one for this run only? */

/* cache_size.c: the lock of this run on the cache in DIR, until the process ends or
 * executes another program. */
void cache_hold(const char *dir);
/* Is it a minute since a run last made the scan of all entries called SCAN, or was that with other
 * SETTINGS (at most 31 bytes)? If so, the caller makes it now. */
bool cache_scan_due(const char *scan, const char *settings);
/* Remove entries that were used least recently until the cache is as large as
 * USTAP_CACHE_MB allows; at most once a minute. */
void cache_enforce_limit(void);
bool cache_clean(void); /* --clean-cache; false after an error */
bool cache_show(void);  /* --cache; the same */

/* --------------------------------------------------------------- subprocess.c */

char *find_in_path(const char *name); /* absolute path by $PATH, or NULL */
/* A program that ustap runs; for root one that nobody else can change. */
char *find_tool(const char *name);
/* Run argv (no shell); stdout+stderr to LOG if not NULL.  Exit status, or 128+signal.  Root's
 * programs have an environment that does not depend on root's. */
int run_command(const char *const argv[], const char *cwd, const char *log);
/* What argv prints; NULL if it fails. */
char *command_output(const char *const argv[]);

/* ------------------------------------------------------------- environment.c */

/* The value of variable NAME, a path; for root NULL, with a warning, if others can change what it
 * names. */
const char *environment_path(const char *name);
/* Warn root that others can change PATH, which OPTION names and which decides what root's programs
 * do. */
void warn_untrusted(const char *option, const char *path);
/* Take out of root's environment what libraries would misuse. */
void environment_clean(void);
/* --tmpdir: the private directory is to be in DIR; false after an error. */
bool private_dir_in(const char *dir);
const char *private_dir(void);      /* of this process, made; NULL after an error */
const char *private_dir_made(void); /* NULL: it is not */
void private_dir_remove(bool keep);

/* --------------------------------------------------------------- installed.c */

/* Directory of the data that comes with ustap, "runtime" or "tapsets":
 * -R, $USTAP_RUNTIME or $USTAP_TAPSETS, else of the build tree that this program
 * is in, else the installed one.  NULL if there is none. */
const char *data_path(const char *what);
void runtime_sources_are(const char *dir); /* -R */
/* The archive that scripts for the user runtime are linked with: $USTAP_USER_RUNTIME,
 * else the one beside this program, else the installed one.  NULL if there is none. */
const char *user_runtime_path(void);
/* The loader: $USTAP_STAPRUN, else beside this program, installed, or in $PATH; NULL. */
const char *staprun_path(void);
char *program_dir(void); /* of this program; "" if it cannot be known */

#endif
