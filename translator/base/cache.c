/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache: files that ustap made, to be used by later runs.
 *
 * Names contain the SHA-256 of all that went into an entry, so an entry is never changed, only made
 * and removed.  It appears by rename(2), and has the SHA-256 of its contents with it, which is
 * compared each time it is used; a damaged entry is removed and made again.
 *
 * An entry is a directory whose file SHA256SUMS lists the others, as sha256sum(1) does; or, for
 * formats of our own, one file that begins with its digest (sealed). Only root and the caller
 * can change a component of the cache's path (trust.h), so a checked path stays valid.
 */
#include "cache.h"
#include "diag.h"
#include "environment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "createfile.h"
#include "digest.h"
#include "trust.h"

#define SUMS       "SHA256SUMS"
#define SUMS_HEAD  "# ustap cache entry of %u files\n"
#define ROOT_CACHE "/var/cache/ustap"

/* ----------------------------------------------------------------- its directory */

static const char *home_of_password_file(void)
{
	const struct passwd *pw = getpwuid(geteuid());

	return pw && *pw->pw_dir == '/' ? xprintf("%s/.cache/ustap", pw->pw_dir) : NULL;
}

/* A place for the cache, and the variable that names
 * it; without a path the password file has it. */
struct candidate {
	const char *variable, *path;
};

static size_t list_candidates(struct candidate v[4])
{
	const char *dir;
	size_t n = 0;

	if ((dir = getenv("USTAP_CACHE_DIR")) && *dir)
		v[n++] = (struct candidate){"USTAP_CACHE_DIR", dir};
	if ((dir = getenv("XDG_CACHE_HOME")) && *dir == '/')
		v[n++] = (struct candidate){"XDG_CACHE_HOME", xprintf("%s/ustap", dir)};
	/* $HOME is another user's after `su' and `sudo -E' */
	if (!geteuid()) {
		v[n++] = (struct candidate){NULL, ROOT_CACHE};
		return n;
	}
	if ((dir = getenv("HOME")) && *dir == '/')
		v[n++] = (struct candidate){"HOME", xprintf("%s/.cache/ustap", dir)};
	v[n++] = (struct candidate){0};
	return n;
}

/* A path that leads to the open directory FD without links. */
static const char *path_of(int fd, const char *path)
{
	char real[PATH_MAX];
	ssize_t n = readlink(xprintf("/proc/self/fd/%d", fd), real, sizeof real);

	if (n > 0 && n < (ssize_t)sizeof real)
		return xstrndup(real, (size_t)n);
	return realpath(path, real) ? xstrdup(real) : NULL;
}

static const char *open_candidate(const struct candidate *c, struct distrust *why)
{
	int fd = trusted_dir(c->path, TRUST_CREATE | TRUST_PRIVATE, why);
	const char *real = fd < 0 ? NULL : path_of(fd, c->path);

	if (fd >= 0)
		close(fd);
	return real;
}

static void warn_candidate(const struct candidate *c, const struct distrust *why)
{
	diag_warn(W_UNTRUSTED, (struct loc){0}, "the cache in %s is not used: %s %s", c->path,
		  why->path, why->why);
	if (c->variable)
		diag_hint("set %s to a directory that no other user can change", c->variable);
	else
		diag_hint("set USTAP_CACHE_DIR to a directory that no other user can change");
}

static const char *chosen_dir; /* not of the arena: a server empties that */
static bool chosen_is_private;

bool cache_is_private(void) { return chosen_is_private; }

static const char *private_cache(void)
{
	const char *dir = private_dir();
	char *path = dir ? xprintf("%s/cache", dir) : NULL;

	return path && (!mkdir(path, 0700) || errno == EEXIST) ? path : NULL;
}

bool cache_be_private(void)
{
	const char *dir = private_cache();

	chosen_dir = dir ? strdup(dir) : NULL;
	chosen_is_private = dir;
	return dir;
}

const char *cache_dir(void)
{
	struct candidate v[4];
	size_t n = chosen_dir ? 0 : list_candidates(v);
	struct distrust why;

	for (size_t i = 0; i < n && !chosen_dir; i++) {
		const char *dir;

		if (!v[i].path && !(v[i].path = home_of_password_file()))
			continue;
		dir = open_candidate(&v[i], &why);
		if (dir) {
			chosen_dir = strdup(dir);
			cache_hold(dir);
		} else {
			warn_candidate(&v[i], &why);
		}
	}
	if (!chosen_dir && cache_be_private())
		diag_warn(W_UNTRUSTED, (struct loc){0}, "nothing is cached; this run uses %s",
			  chosen_dir);
	return chosen_dir;
}

static bool make_sub(const char *dir)
{
	static ARENA_STATE struct smap known;
	struct distrust why;
	int fd;

	if (smap_get(&known, dir))
		return true;
	fd = trusted_dir(dir, TRUST_CREATE | TRUST_PRIVATE, &why);
	if (fd < 0) {
		diag_warn(W_UNTRUSTED, (struct loc){0}, "the cache in %s is not used: %s %s", dir,
			  why.path, why.why);
		diag_hint("remove it: rm -r %s", dir);
		return false;
	}
	close(fd);
	smap_put(&known, dir, (void *)dir);
	return true;
}

char *cache_path(const char *sub, const char *key)
{
	const char *root = cache_dir();
	char *dir;

	if (!root)
		return NULL;
	dir = xprintf("%s/%s", root, sub);
	if (make_sub(dir))
		return xprintf("%s/%s", dir, key);
	root = cache_be_private() ? chosen_dir : NULL;
	dir = root ? xprintf("%s/%s", root, sub) : NULL;
	return dir && make_sub(dir) ? xprintf("%s/%s", dir, key) : NULL;
}

/* ------------------------------------------------------------------- one file */

char *file_identity_of(const char *path, const struct stat *st)
{
	/* the time of the last change of the inode cannot be set */
	return xprintf("%s %lld %lld.%09ld %lld.%09ld %llu %llu", path, (long long)st->st_size,
		       (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
		       (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec,
		       (unsigned long long)st->st_dev, (unsigned long long)st->st_ino);
}

char *file_identity(const char *path)
{
	struct stat st;

	return stat(path, &st) ? xprintf("%s -", path) : file_identity_of(path, &st);
}

/* Open NAME in directory DIR if it is a regular file that no other user can write to. */
static int open_own(int dir, const char *name)
{
	int fd = dir == -1 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct distrust why;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || !trusted_status(&st, &why))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool write_new(const char *path, const void *p, size_t n, const void *q, size_t m)
{
	int fd = private_open(path, O_WRONLY | O_EXCL);
	bool ok = fd >= 0 && write_all(fd, p, n) && write_all(fd, q, m);
	int err = errno;

	if (fd >= 0 && close(fd))
		return false;
	errno = err;
	return ok;
}

bool cache_publish(const char *from, const char *to)
{
	if (!rename(from, to))
		return true;
	/* a directory that another run published first is as good as ours */
	return errno == ENOTEMPTY || errno == EEXIST;
}

/* Map the whole file PATH, of *SIZE bytes, if it is sealed and sound; NULL if not, and it is
 * removed if it is there. */
static char *map_sealed(const char *path, size_t *size)
{
	unsigned char digest[DIGEST_SIZE];
	int fd = open_own(AT_FDCWD, path);
	char *p = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	*size = fstat(fd, &st) ? 0 : (size_t)st.st_size;
	if (*size >= SEAL_SIZE)
		p = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p != MAP_FAILED) {
		digest_bytes(p + SEAL_SIZE, *size - SEAL_SIZE, digest);
		if (!memcmp(p, digest, SEAL_SIZE))
			return p;
		munmap(p, *size);
	}
	vlog(1, "%s is damaged, made again", path);
	unlink(path);
	return NULL;
}

bool cache_sealed_is_sound(const char *path)
{
	size_t size;
	char *p = map_sealed(path, &size);

	if (p)
		munmap(p, size);
	return p;
}

char *cache_read_sealed(const char *path)
{
	size_t size;
	char *p = map_sealed(path, &size),
	     *text = p ? xstrndup(p + SEAL_SIZE, size - SEAL_SIZE) : NULL;

	if (p)
		munmap(p, size);
	return text;
}

bool cache_write_sealed(const char *path, const void *p, size_t n)
{
	char *new = xprintf("%s.new-%ld", path, (long)getpid());
	unsigned char digest[DIGEST_SIZE];
	int err;

	digest_bytes(p, n, digest);
	unlink(new); /* of a process that was killed */
	if (write_new(new, digest, sizeof digest, p, n) && cache_publish(new, path))
		return true;
	err = errno;
	unlink(new);
	errno = err;
	return false;
}

/* --------------------------------------------------------------- directories */

char *cache_begin(const char *sub)
{
	char *dir = cache_path(sub, ".new-XXXXXX");

	return dir ? mkdtemp(dir) : NULL;
}

/* One line of SHA256SUMS for each file of the directory DIR. */
static bool list_sums(const char *dir, struct strbuf *out, unsigned *n)
{
	DIR *d = opendir(dir);
	char hex[DIGEST_HEX];
	struct dirent *e;
	bool ok = d;

	while (ok && (e = readdir(d))) {
		int fd;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, SUMS))
			continue;
		fd = open_own(dirfd(d), e->d_name);
		ok = fd >= 0 && digest_file(fd, hex);
		if (fd >= 0)
			close(fd);
		sb_printf(out, "%s  %s\n", hex, e->d_name);
		++*n;
	}
	if (d)
		closedir(d);
	return ok;
}

bool cache_seal(const char *dir, const char *entry)
{
	struct strbuf lines = {0}, text = {0};
	unsigned n = 0;

	sb_add(&lines, "");
	if (!list_sums(dir, &lines, &n))
		return false;
	sb_printf(&text, SUMS_HEAD "%s", n, lines.s);
	return write_new(xprintf("%s/" SUMS, dir), text.s, text.n, "", 0) &&
	       cache_publish(dir, entry);
}

static int open_entry(const char *entry)
{
	int dir = open(entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct distrust why;
	struct stat st;

	if (dir >= 0 && (fstat(dir, &st) || !trusted_status(&st, &why))) {
		close(dir);
		dir = -1;
	}
	return dir;
}

/* The lines of SHA256SUMS in DIR; NULL if it is damaged as a whole. */
static char *read_sums(int dir)
{
	int fd = open_own(dir, SUMS);
	unsigned n = 0, lines = 0;
	char *text, *end;
	size_t len;

	text = fd < 0 ? NULL : read_stream(fd, &len);
	if (fd >= 0)
		close(fd);
	end = text ? strchr(text, '\n') : NULL;
	if (!end || strlen(text) != len || sscanf(text, "# ustap cache entry of %u", &n) != 1)
		return NULL;
	end++;
	if (strncmp(text, xprintf(SUMS_HEAD, n), (size_t)(end - text)))
		return NULL;
	for (const char *p = end; (p = strchr(p, '\n')); p++)
		lines++;
	return lines == n ? end : NULL;
}

/* Open file NAME of DIR if its digest is the one in SUMS. */
static int open_listed(int dir, const char *sums, const char *name)
{
	const char *line = strstr(sums, xprintf("  %s\n", name));
	char hex[DIGEST_HEX];
	int fd;

	if (!line || line - sums < DIGEST_HEX - 1)
		return -1;
	fd = open_own(dir, name);
	if (fd >= 0 &&
	    (!digest_file(fd, hex) || memcmp(line - (DIGEST_HEX - 1), hex, DIGEST_HEX - 1))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void cache_discard(const char *entry)
{
	const char *slash = strrchr(entry, '/');
	char *old = xprintf("%.*s/.old-XXXXXX", (int)(slash - entry), entry);

	/* another run may use it, so it goes as a whole */
	if (mkdtemp(old) && rename(entry, old))
		rmdir(old);
	cache_remove(access(old, F_OK) ? entry : old);
}

int cache_open(const char *entry, const char *name)
{
	int dir = open_entry(entry), fd;
	char *sums;

	if (dir < 0)
		return -1;
	sums = read_sums(dir);
	fd = sums ? open_listed(dir, sums, name) : -1;
	close(dir);
	if (fd >= 0) {
		cache_touch(entry);
		return fd;
	}
	vlog(1, "%s is damaged, made again", entry);
	cache_discard(entry);
	return -1;
}

bool cache_is_sound(const char *entry)
{
	int dir = open_entry(entry);
	char *sums = dir < 0 ? NULL : read_sums(dir);
	bool ok = sums;

	for (char *line = sums; ok && line && *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, "\n");
		int fd = n > DIGEST_HEX + 1
				 ? open_listed(dir, line,
					       xstrndup(line + DIGEST_HEX + 1, n - DIGEST_HEX - 1))
				 : -1;

		ok = fd >= 0;
		if (ok)
			close(fd);
	}
	if (dir < 0)
		return false;
	close(dir);
	if (ok) {
		cache_touch(entry);
		return true;
	}
	vlog(1, "%s is damaged, made again", entry);
	cache_discard(entry);
	return false;
}

bool cache_put(const char *sub, const char *entry, const char *from, const char *name,
	       const struct cache_text *texts, size_t n)
{
	char *dir = cache_begin(sub), *copy;
	size_t len;
	int err;
	bool ok;

	if (!dir)
		return false;
	copy = read_file(from, &len);
	ok = copy && write_new(xprintf("%s/%s", dir, name), copy, len, "", 0);
	for (size_t i = 0; ok && i < n; i++)
		ok = write_new(xprintf("%s/%s", dir, texts[i].name), texts[i].text,
			       strlen(texts[i].text), "", 0);
	ok = ok && cache_seal(dir, entry);
	err = errno;
	if (!access(dir, F_OK))
		cache_remove(dir);
	errno = err;
	return ok;
}

/* ------------------------------------------------------------------------- use */

void cache_touch(const char *path) { utimensat(AT_FDCWD, path, NULL, 0); }
