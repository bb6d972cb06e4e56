/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cache of data derived from large debug files; see debug_cache.h. */
#include "debug_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "createfile.h"
#include "dwarf/inflate.h"
#include "base/cache.h"
#include "base/diag.h"

#define KEPT_VERSION     "2"
#define DEFAULT_LIMIT_MB 3072

const char *debug_cache_key(int fd, const char *build_id)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	const char *const parts[] = {
		KEPT_VERSION,
		build_id,
		xprintf("%llu %llu %llu", (unsigned long long)st.st_dev,
			(unsigned long long)st.st_ino, (unsigned long long)st.st_size),
		/* the time of the last change of the inode cannot be set */
		xprintf("%lld %ld %lld %ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			(long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec),
	};
	return xprintf("%.40s-%s", *build_id ? build_id : "none",
		       hash_hex(parts, ARRAY_LEN(parts)));
}

struct debug_cache_file debug_cache_find(const char *key, const char *suffix)
{
	struct debug_cache_file k = {.lock = -1};

	if (key)
		k.path = cache_path("names", xprintf("%s.%s", key, suffix));
	k.tmp = k.path ? xprintf("%s.%d.tmp", k.path, (int)getpid()) : NULL;
	return k;
}

int debug_cache_open(const struct debug_cache_file *k)
{
	int fd = k->path ? open(k->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd >= 0)
		futimens(fd, (const struct timespec[]){{0, UTIME_NOW}, {0, UTIME_OMIT}});
	return fd;
}

void debug_cache_lock(struct debug_cache_file *k)
{
	if (!k->path)
		return;
	k->lock = private_open(xprintf("%s.lock", k->path), O_RDWR);
	if (k->lock >= 0)
		flock(k->lock, LOCK_EX);
}

void debug_cache_unlock(struct debug_cache_file *k)
{
	if (k->lock >= 0)
		close(k->lock);
	k->lock = -1;
}

/* ---------------------------------------------------------------------- room */

struct old_file {
	const char *path;
	uint64_t size;
	struct timespec used;
};
typedef VEC(struct old_file) old_vec;

static int by_use(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* List the cached files of DIR in OUT, least recently used first; returns their size in bytes. */
static uint64_t list_kept(const char *dir, old_vec *out)
{
	DIR *d = opendir(dir);
	uint64_t total = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		struct old_file f = {.path = xprintf("%s/%s", dir, e->d_name)};
		struct stat st;

		if (lstat(f.path, &st) || !S_ISREG(st.st_mode))
			continue;
		f.size = (uint64_t)st.st_blocks * 512;
		f.used = st.st_atim;
		total += f.size;
		vec_push(out, f);
	}
	if (d)
		closedir(d);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_use);
	return total;
}

static uint64_t limit(void)
{
	const char *mb = getenv("USTAP_NAMES_MB");

	return (mb && *mb ? strtoull(mb, NULL, 10) : DEFAULT_LIMIT_MB) << 20;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n >= k && !strcmp(path + n - k, suffix);
}

/* Locks stay, and what somebody may be at work on; what a killed process left goes. */
static bool may_go(const struct old_file *f, bool full)
{
	if (has_suffix(f->path, ".tmp"))
		return f->used.tv_sec < time(NULL) - 3600;
	return full && !has_suffix(f->path, ".lock");
}

/* Make room for SIZE bytes in DIR; how much more there is then. */
static uint64_t remove_old(const char *dir, uint64_t size)
{
	old_vec old = {0};
	uint64_t total = list_kept(dir, &old);

	for (size_t i = 0; i < old.n; i++)
		if (may_go(&old.v[i], total + size > limit()) && !unlink(old.v[i].path))
			total -= old.v[i].size;
	return total + size < limit() ? limit() - total - size : 0;
}

/* Make room for SIZE bytes; false if there is not enough. The free room is remembered, so that a
 * process that makes thousands of files does not list the folder for each of them. */
static bool make_room(const struct debug_cache_file *k, uint64_t size)
{
	static struct {
		char *dir;
		uint64_t more;
	} known;
	const char *dir = xstrndup(k->path, (size_t)(strrchr(k->path, '/') - k->path));
	uint64_t whole = (size | 4095) + 1;
	struct statvfs fs;

	if (size > limit())
		return false;
	if (!known.dir || strcmp(known.dir, dir) || known.more < whole) {
		free(known.dir);
		known.dir = strdup(dir);
		known.more = remove_old(dir, whole);
	} else {
		known.more -= whole;
	}
	return statvfs(dir, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize / 2 > size;
}

/* -------------------------------------------------------------------- making */

int debug_cache_create(struct debug_cache_file *k, uint64_t size)
{
	int fd = -1;

	if (k->path && make_room(k, size))
		fd = private_open(k->tmp, O_RDWR | O_TRUNC);
	if (fd < 0) {
		k->tmp = NULL;
		fd = memfd_create("ustap names", MFD_CLOEXEC);
	}
	if (fd >= 0 && k->tmp && fallocate(fd, 0, 0, (off_t)size)) {
		close(fd);
		debug_cache_discard(k);
		k->tmp = NULL;
		fd = memfd_create("ustap names", MFD_CLOEXEC);
	}
	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		return fd;
	if (fd >= 0)
		close(fd);
	debug_cache_discard(k);
	return -1;
}

bool debug_cache_publish(struct debug_cache_file *k, int fd)
{
	return k->tmp && !fchmod(fd, 0400) && !rename(k->tmp, k->path);
}

void debug_cache_discard(struct debug_cache_file *k)
{
	if (k->tmp)
		unlink(k->tmp);
}

void debug_cache_damaged(const struct debug_cache_file *k)
{
	if (!k->path)
		return;
	vlog(1, "%s is damaged, made again", k->path);
	unlink(k->path);
}

bool debug_cache_write(int fd, const void *p, size_t n, uint64_t at)
{
	for (const char *c = p; n;) {
		ssize_t k = pwrite(fd, c, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		c += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return true;
}

/* Four lanes, so that the multiplications do not wait for each other. */
uint64_t debug_cache_checksum(const void *p, size_t n, uint64_t seed)
{
	const uint64_t prime = 0x9e3779b97f4a7c15;
	uint64_t lane[4] = {seed ^ n, seed + 1, seed + 2, seed + 3}, h = 0;
	const unsigned char *c = p;

	for (; n >= 32; c += 32, n -= 32)
		for (int i = 0; i < 4; i++) {
			uint64_t w;

			memcpy(&w, c + 8 * i, 8);
			w = (lane[i] ^ w) * prime;
			lane[i] = w << 29 | w >> 35;
		}
	for (size_t i = 0; i < n; i++)
		lane[i & 3] = (lane[i & 3] ^ c[i]) * prime;
	for (int i = 0; i < 4; i++) {
		h = (h ^ lane[i]) * prime;
		h ^= h >> 32;
	}
	return h;
}

static bool names_are(const char *what)
{
	const char *env = getenv("USTAP_NAMES");

	return env && !strcmp(env, what);
}

bool index_is_off(void) { return names_are("no"); }
bool index_is_forced(void) { return names_are("all"); }
