/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache size: what the cache holds, its limit, and the removal of entries.
 *
 * Every run holds a shared lock on the cache. Beyond the limit the entries that were used least
 * recently go, but none that was used in the last minutes, which another run may be reading. To
 * look at all entries takes longer than a compile where there are thousands, so runs do that once
 * a minute; a file in the cache has the time.
 * --clean-cache waits for other runs to end and removes everything; where they do not end, it
 * spares what they may be reading.
 */
#include "cache.h"
#include "diag.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "createfile.h"

enum {
	DEFAULT_LIMIT_MB = 5120,
	MOST_LIMIT_MB = 1 << 24,
	SPARED_SECONDS = 600,
	SCAN_PAUSE_SECONDS = 60
};

static const char *const subs[] = {"kernels",   "modules", "blobs",   "names",
				   "stackmaps", "types",   "library", "debuginfod"};

/* One entry: a file or a directory right below one of `subs'. */
struct cached {
	const char *path;
	unsigned sub;
	uint64_t bytes;
	time_t used;
};
typedef VEC(struct cached) cached_vec;

/* --------------------------------------------------------------------- contents */

/* The bytes that PATH and all below it take on the disk; links are not followed. */
static uint64_t disk_bytes(const char *path)
{
	char *const paths[] = {(char *)path, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	uint64_t bytes = 0;

	for (FTSENT *e; fts && (e = fts_read(fts));)
		if (e->fts_info != FTS_DP && e->fts_statp)
			bytes += (uint64_t)e->fts_statp->st_blocks * 512;
	if (fts)
		fts_close(fts);
	return bytes;
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && !strcmp(s + n - k, suffix);
}

/* Files of "names" are touched by their access time, all other entries by their modification
 * time (cache_touch()). */
static time_t last_use(const struct stat *st, const char *sub)
{
	bool by_access = !strcmp(sub, "names") && st->st_atim.tv_sec > st->st_mtim.tv_sec;

	return by_access ? st->st_atim.tv_sec : st->st_mtim.tv_sec;
}

static void list_sub(const char *root, unsigned sub, cached_vec *out)
{
	int fd = open(xprintf("%s/%s", root, subs[sub]),
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct stat st;

	for (struct dirent *e; d && (e = readdir(d));) {
		struct cached c = {.sub = sub};

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    has_suffix(e->d_name, ".lock"))
			continue;
		c.path = xprintf("%s/%s/%s", root, subs[sub], e->d_name);
		if (lstat(c.path, &st))
			continue;
		c.used = last_use(&st, subs[sub]);
		c.bytes = S_ISDIR(st.st_mode) ? disk_bytes(c.path) : (uint64_t)st.st_blocks * 512;
		vec_push_large(out, c);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

static int by_use(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;

	return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->path, y->path);
}

/* All entries, least recently used first; their size. */
static uint64_t list_entries(const char *root, cached_vec *out)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < ARRAY_LEN(subs); i++)
		list_sub(root, i, out);
	for (size_t i = 0; i < out->n; i++)
		bytes += out->v[i].bytes;
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_use);
	return bytes;
}

/* ---------------------------------------------------------------------- removal */

/* Is it a minute since a run last made the scan of all entries called SCAN, or was that with other
 * SETTINGS (at most 31 bytes)? If so, the caller makes it now. */
static bool scan_due(const char *scan, const char *settings)
{
	const char *root = cache_dir();
	int fd = root ? private_open(xprintf("%s/.%s", root, scan), O_RDWR) : -1;
	size_t n = strlen(settings);
	time_t now = time(NULL);
	char last[32];
	struct stat st;
	bool due;

	if (fd < 0)
		return true;
	due = fstat(fd, &st) || st.st_mtime > now || now - st.st_mtime >= SCAN_PAUSE_SECONDS ||
	      pread(fd, last, sizeof last, 0) != (ssize_t)n || memcmp(last, settings, n);
	if (due && (ftruncate(fd, 0) || pwrite(fd, settings, n, 0) != (ssize_t)n))
		vlog(1, "cannot write %s/.%s: %s", root, scan, strerror(errno));
	close(fd);
	return due;
}

static uint64_t limit_mb(void)
{
	const char *text = getenv("USTAP_CACHE_MB");
	char *end;
	uint64_t mb;

	if (!text || !*text)
		return DEFAULT_LIMIT_MB;
	errno = 0;
	mb = strtoull(text, &end, 10);
	if (!errno && !*end && *text != '-' && mb && mb <= MOST_LIMIT_MB)
		return mb;
	diag_warn(W_UNTRUSTED, (struct loc){0},
		  "USTAP_CACHE_MB is \"%s\", not a number of megabytes up to %d; %d are used", text,
		  MOST_LIMIT_MB, DEFAULT_LIMIT_MB);
	return DEFAULT_LIMIT_MB;
}

static bool remove_entry(const struct cached *c)
{
	struct stat st;

	if (lstat(c->path, &st))
		return errno == ENOENT;
	if (!S_ISDIR(st.st_mode))
		return !unlink(c->path) || errno == ENOENT;
	cache_discard(c->path);
	return access(c->path, F_OK) != 0;
}

void cache_enforce_limit(void)
{
	const char *root = cache_dir();
	time_t spared = time(NULL) - SPARED_SECONDS;
	cached_vec all = {0};
	uint64_t bytes, limit;

	if (!root || cache_is_private())
		return;
	limit = limit_mb() << 20;
	if (!scan_due("limit", xprintf("%" PRIu64 "\n", limit >> 20)))
		return;
	bytes = list_entries(root, &all);
	for (size_t i = 0; i < all.n && bytes > limit && all.v[i].used < spared; i++) {
		if (!remove_entry(&all.v[i]))
			continue;
		vlog(1, "the cache is larger than %" PRIu64 " MB: removed %s", limit >> 20,
		     all.v[i].path);
		bytes -= all.v[i].bytes;
	}
}

bool cache_clean(void)
{
	const char *root = cache_dir();
	bool alone = root && cache_lock_alone();
	time_t spared = alone ? 0 : time(NULL) - SPARED_SECONDS;
	cached_vec all = {0};
	size_t failed = 0, left = 0;

	if (!root)
		return false;
	list_entries(root, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (!alone && all.v[i].used >= spared)
			left++;
		else if (!remove_entry(&all.v[i]))
			failed++;
	}
	if (left)
		fprintf(stderr,
			"ustap: another run uses the cache: %zu entries that were used in the last "
			"%d minutes stay\n",
			left, SPARED_SECONDS / 60);
	if (failed)
		diag_error(E_IO, (struct loc){0}, "cannot remove %zu entries of %s", failed, root);
	return !failed;
}

/* ---------------------------------------------------------------------- listing */

static const char *size_text(uint64_t bytes)
{
	return xprintf("%.1f MB", (double)bytes / (1 << 20));
}

static const char *age_text(time_t used)
{
	static const struct {
		time_t seconds;
		const char *name;
	} units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
	time_t age = time(NULL) - used;
	size_t i = 0;

	age = age > 0 ? age : 0;
	while (i + 1 < ARRAY_LEN(units) && age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	return xprintf("%lld %s%s ago", (long long)age, units[i].name, age == 1 ? "" : "s");
}

static void print_sub(const cached_vec *all, unsigned sub)
{
	time_t first = 0, last = 0;
	uint64_t bytes = 0;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].sub != sub)
			continue;
		first = n++ ? first : all->v[i].used;
		last = all->v[i].used;
		bytes += all->v[i].bytes;
	}
	if (n)
		printf("%-12s %7zu %12s   %-16s %s\n", subs[sub], n, size_text(bytes),
		       age_text(first), age_text(last));
}

bool cache_show(void)
{
	const char *root = cache_dir();
	cached_vec all = {0};
	uint64_t bytes;

	if (!root)
		return false;
	bytes = list_entries(root, &all);
	printf("cache of %s, limit %" PRIu64 " MB (USTAP_CACHE_MB)\n", printable(root), limit_mb());
	printf("%-12s %7s %12s   %-16s %s\n", "contents", "entries", "size", "least recent use",
	       "last use");
	for (unsigned i = 0; i < ARRAY_LEN(subs); i++)
		print_sub(&all, i);
	printf("%-12s %7zu %12s\n", "all", all.n, size_text(bytes));
	for (size_t i = 0; verbose && i < all.n; i++)
		printf("%12s   %-16s %s\n", size_text(all.v[i].bytes), age_text(all.v[i].used),
		       printable(all.v[i].path));
	return true;
}

static void expire_entry(const char *path, time_t before)
{
	struct stat st;

	if (lstat(path, &st) || st.st_mtime >= before)
		return;
	if (!S_ISDIR(st.st_mode))
		unlink(path);
	else
		cache_remove(path);
}

void cache_expire(const char *sub, int days)
{
	const char *root = cache_dir();
	char *path = root ? xprintf("%s/%s", root, sub) : NULL;
	bool due = path && scan_due(xprintf("%s-age", sub), xprintf("%d\n", days));
	DIR *dir = due ? opendir(path) : NULL;
	time_t before = time(NULL) - (time_t)days * 86400;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			expire_entry(xprintf("%s/%s", path, e->d_name), before);
	if (dir)
		closedir(dir);
}
