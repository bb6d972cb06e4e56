/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where ustap keeps what it made (the cache) and finds what it came with (its
 * data).  Entries of the cache are named by a hash of all that went into them,
 * so they are never changed, only made and removed; they appear by rename, so
 * a reader sees all of one or nothing.
 */
#include "ustap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool make_dirs(const char *path)
{
	char *p = xstrdup(path);

	for (char *s = strchr(p + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = 0;
		mkdir(p, 0700);
		*s = '/';
	}
	return !mkdir(p, 0700) || errno == EEXIST;
}

static const char *home_cache(void)
{
	const struct passwd *pw = getpwuid(geteuid());

	return pw ? xprintf("%s/.cache/ustap", pw->pw_dir)
		  : xprintf("/tmp/ustap-%u", (unsigned)geteuid());
}

static const char *cache_root(void)
{
	const char *dir = getenv("USTAP_CACHE_DIR");

	if (dir && *dir)
		return dir;
	if ((dir = getenv("XDG_CACHE_HOME")) && *dir == '/')
		return xprintf("%s/ustap", dir);
	if ((dir = getenv("HOME")) && *dir == '/')
		return xprintf("%s/.cache/ustap", dir);
	return home_cache();
}

/* Another user's directory could hold modules that we would load as root. */
static bool owned_by_us(const char *dir)
{
	struct stat st;

	return !stat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & S_IWOTH);
}

const char *cache_dir(void)
{
	static ARENA_STATE const char *dir;
	const char *root;
	char real[PATH_MAX];

	if (dir)
		return dir;
	root = cache_root();
	if (!make_dirs(root) || !owned_by_us(root))     /* sudo may leave another's $HOME */
		root = home_cache();
	if (make_dirs(root) && owned_by_us(root) && realpath(root, real))
		dir = xstrdup(real);
	return dir;
}

char *cache_path(const char *sub, const char *key)
{
	const char *root = cache_dir();
	char *dir;

	if (!root)
		return NULL;
	dir = xprintf("%s/%s", root, sub);
	return make_dirs(dir) ? xprintf("%s/%s", dir, key) : NULL;
}

/* FNV-1a with 128 bits (RFC 9923); each part ends with its NUL, so that no two
 * lists of parts run into the same bytes. */
char *hash_hex(const char *const parts[], size_t n)
{
	const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13b;
	unsigned __int128 h = ((unsigned __int128)0x6c62272e07bb0142 << 64) + 0x62b821756295c58d;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = (const unsigned char *)parts[i];

		do
			h = (h ^ *p) * prime;
		while (*p++);
	}
	return xprintf("%016llx%016llx", (unsigned long long)(h >> 64), (unsigned long long)h);
}

bool cache_publish(const char *from, const char *to)
{
	if (!rename(from, to))
		return true;
	/* a directory that another run published first is as good as ours */
	return errno == ENOTEMPTY || errno == EEXIST;
}

void cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

void cache_remove(const char *path)
{
	const char *const argv[] = {"rm", "-rf", path, NULL};

	run_command(argv, NULL, NULL);
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
	DIR *dir = path ? opendir(path) : NULL;
	time_t before = time(NULL) - (time_t)days * 86400;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			expire_entry(xprintf("%s/%s", path, e->d_name), before);
	if (dir)
		closedir(dir);
}

/* -------------------------------------------------------------------- data */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *program_dir(void)
{
	char buf[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);

	if (n <= 0)
		return xstrdup("");
	buf[n] = 0;
	*strrchr(buf, '/') = 0;
	return xstrdup(buf);
}

const char *data_path(const char *what)
{
	const char *env = !strcmp(what, "runtime") ? getenv("USTAP_RUNTIME") : !strcmp(what, "tapsets") ? getenv("USTAP_TAPSETS") : NULL;
	char *dir = program_dir();
	const char *cand[] = {
		xprintf("%s/.srcdir/%s", dir, what),
		xprintf("%s/../share/ustap/%s", dir, what),
		xprintf("%s/%s", PKGDATADIR, what),
	};

	if (env && *env)
		return is_dir(env) ? env : NULL;
	for (size_t i = 0; i < ARRAY_LEN(cand); i++)
		if (is_dir(cand[i]))
			return cand[i];
	return NULL;
}

const char *user_runtime_path(void)
{
	const char *env = getenv("USTAP_USER_RUNTIME");
	char *dir = program_dir();
	const char *cand[] = {
		xprintf("%s/libustap_user.a", dir),
		xprintf("%s/../lib/ustap/libustap_user.a", dir),
		xprintf("%s/libustap_user.a", PKGLIBDIR),
	};

	if (env && *env)
		return access(env, R_OK) ? NULL : env;
	for (size_t i = 0; i < ARRAY_LEN(cand); i++)
		if (!access(cand[i], R_OK))
			return cand[i];
	return NULL;
}
