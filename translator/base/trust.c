/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trusted paths and regular files; see trust.h. */
#include "trust.h"

#include "answers.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* as many as the kernel follows */

/* ------------------------------------------------------------- regular files */

/* O_PATH opens nothing, so it neither waits for the writer of a FIFO nor starts a device. */
int open_regular(const char *path)
{
	int fd = file_answers(path) ? open(path, O_PATH | O_CLOEXEC) : -1, out;
	char name[40];
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	out = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (out < 0 && errno == ENOENT) /* no /proc here */
		out = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	close(fd);
	return out;
}

FILE *fopen_regular(const char *path)
{
	int fd = open_regular(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

/* ------------------------------------------------------------------ ownership */

/* In a user namespace the users outside appear as this one, the owner of the system's directories
 * among them. */
static bool is_outside_namespace(uid_t uid)
{
	static int whole = -1;
	unsigned long first, outside, n;
	FILE *f;

	if (uid != 65534)
		return false;
	if (whole < 0) {
		f = fopen("/proc/self/uid_map", "re");
		whole = !f || fscanf(f, "%lu %lu %lu", &first, &outside, &n) != 3 ||
			n > 4294967290ul;
		if (f)
			fclose(f);
	}
	return !whole;
}

/* Debian gives each user a group of the same name, and some systems a umask of 002 with it. */
static bool is_private_group(gid_t gid)
{
	const struct passwd *pw = geteuid() ? getpwuid(geteuid()) : NULL;
	char name[256];
	const struct group *g;

	if (!pw || pw->pw_gid != gid || strlen(pw->pw_name) >= sizeof name)
		return false;
	strcpy(name, pw->pw_name);
	g = getgrgid(gid);
	return g && !strcmp(g->gr_name, name) &&
	       (!g->gr_mem[0] || (!strcmp(g->gr_mem[0], name) && !g->gr_mem[1]));
}

static void describe_owner(uid_t uid, char *to, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		snprintf(to, size, "belongs to user %.64s (uid %u)", pw->pw_name, (unsigned)uid);
	else
		snprintf(to, size, "belongs to uid %u", (unsigned)uid);
}

static bool owner_is_trusted(const struct stat *st, struct distrust *why)
{
	if (st->st_uid == 0 || st->st_uid == geteuid() || is_outside_namespace(st->st_uid))
		return true;
	describe_owner(st->st_uid, why->why, sizeof why->why);
	return false;
}

bool trusted_status(const struct stat *st, struct distrust *why)
{
	if (!owner_is_trusted(st, why))
		return false;
	if (!(st->st_mode & S_IWOTH) && (!(st->st_mode & S_IWGRP) || is_private_group(st->st_gid)))
		return true;
	snprintf(why->why, sizeof why->why, "is writable by %s (mode %04o)",
		 st->st_mode & S_IWOTH ? "every user" : "its group", (unsigned)st->st_mode & 07777);
	return false;
}

/* ---------------------------------------------------------------------- walk */

/* A walk from the root directory: DIR is an O_PATH
 * descriptor of DONE, REST is still to be walked. */
struct walk {
	int dir;
	char done[PATH_MAX], rest[PATH_MAX];
	unsigned links, flags;
	struct distrust *why;
};

static int fail_walk(struct walk *w, const char *name, const char *reason)
{
	snprintf(w->why->path, sizeof w->why->path, "%.2000s/%.1000s", w->done, name);
	if (reason)
		snprintf(w->why->why, sizeof w->why->why, "%s", reason);
	return -1;
}

static bool start_at_root(struct walk *w)
{
	if (w->dir >= 0)
		close(w->dir);
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	w->done[0] = 0;
	return w->dir >= 0;
}

/* The target of the link FD goes before what is left of the path. */
static bool follow_link(struct walk *w, int fd, const char *name)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof target - 1);

	if (n <= 0 || ++w->links > MAX_LINKS || (size_t)n + strlen(w->rest) + 2 > sizeof w->rest) {
		fail_walk(w, name, "is a symbolic link that cannot be followed");
		return false;
	}
	target[n] = 0;
	strcpy(rest, w->rest);
	strcpy(w->rest, target);
	if (*rest) {
		strcat(w->rest, "/");
		strcat(w->rest, rest);
	}
	return *target != '/' || start_at_root(w);
}

static bool enter(struct walk *w, int fd, const char *name)
{
	struct stat st;
	size_t n;

	if (fstat(fd, &st) || (!trusted_status(&st, w->why) &&
			       !(st.st_mode & S_ISVTX && owner_is_trusted(&st, w->why)))) {
		fail_walk(w, name, NULL);
		return false;
	}
	close(w->dir);
	w->dir = fd;
	n = strlen(w->done);
	if (!strcmp(name, "..")) {
		*(strrchr(w->done, '/') ? strrchr(w->done, '/') : w->done) = 0;
		return true;
	}
	return (size_t)snprintf(w->done + n, sizeof w->done - n, "/%s", name) < sizeof w->done - n;
}

/* Take the next component off REST; false at the end. */
static bool next_component(struct walk *w, char name[NAME_MAX + 1])
{
	size_t skip, n;

	do {
		skip = strspn(w->rest, "/");
		n = strcspn(w->rest + skip, "/");
		if (n > NAME_MAX)
			n = NAME_MAX;
		memcpy(name, w->rest + skip, n);
		name[n] = 0;
		memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	} while (!strcmp(name, "."));
	return n > 0;
}

static int open_component(const struct walk *w, const char *name)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != ENOENT || !(w->flags & TRUST_CREATE))
		return fd;
	if (mkdirat(w->dir, name, 0700) && errno != EEXIST)
		return -1;
	return openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* Walk to the end of REST, or to the last component, if that is not a directory: *FILE is it then,
 * else -1. */
static bool walk(struct walk *w, int *file)
{
	char name[NAME_MAX + 1];
	struct stat st;

	*file = -1;
	while (next_component(w, name)) {
		int fd = open_component(w, name);
		bool ok;

		if (fd < 0 || fstat(fd, &st)) {
			w->why->missing = errno == ENOENT;
			fail_walk(w, name, strerror(errno));
			return false;
		}
		if (S_ISLNK(st.st_mode)) {
			ok = owner_is_trusted(&st, w->why) ? follow_link(w, fd, name)
							   : fail_walk(w, name, NULL) == 0;
			close(fd);
		} else if (S_ISDIR(st.st_mode)) {
			ok = enter(w, fd, name);
			if (!ok)
				close(fd);
		} else if (w->rest[strspn(w->rest, "/")]) {
			close(fd);
			fail_walk(w, name, strerror(ENOTDIR));
			return false;
		} else {
			*file = fd;
			if (trusted_status(&st, w->why))
				return true;
			fail_walk(w, name, NULL);
			ok = false;
		}
		if (!ok)
			return false;
	}
	return true;
}

/* Walk PATH; false with all closed, WHY filled in. */
static bool walk_path(struct walk *w, const char *path, unsigned flags, struct distrust *why,
		      int *file)
{
	char cwd[PATH_MAX] = "";
	int n;

	*w = (struct walk){.dir = -1, .flags = flags, .why = why};
	*file = -1;
	if (*path != '/' && !getcwd(cwd, sizeof cwd))
		*cwd = 0;
	n = snprintf(w->rest, sizeof w->rest, "%s/%s", cwd, path);
	if (n < (int)sizeof w->rest && start_at_root(w) && walk(w, file))
		return true;
	if (!*why->path)
		snprintf(why->path, sizeof why->path, "%.4000s", path);
	if (!*why->why)
		snprintf(why->why, sizeof why->why, "%s", strerror(errno));
	if (*file >= 0)
		close(*file);
	if (w->dir >= 0)
		close(w->dir);
	return false;
}

static int refuse_type(struct walk *w, const char *path, struct distrust *why, const char *reason)
{
	snprintf(why->path, sizeof why->path, "%.4000s", path);
	snprintf(why->why, sizeof why->why, "%s", reason);
	close(w->dir);
	return -1;
}

int trusted_dir(const char *path, unsigned flags, struct distrust *why)
{
	struct walk w;
	struct stat st;
	int file, fd;

	*why = (struct distrust){0};
	if (!walk_path(&w, path, flags, why, &file))
		return -1;
	if (file >= 0) {
		close(file);
		return refuse_type(&w, path, why, "is not a directory");
	}
	if (flags & TRUST_PRIVATE && (fstat(w.dir, &st) || !trusted_status(&st, why))) {
		snprintf(why->path, sizeof why->path, "%.4000s", path);
		close(w.dir);
		return -1;
	}
	fd = openat(w.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse_type(&w, path, why, strerror(errno));
	close(w.dir);
	return fd;
}

int trusted_file(const char *path, struct distrust *why)
{
	char name[40];
	struct walk w;
	int file, fd;

	*why = (struct distrust){0};
	if (!walk_path(&w, path, 0, why, &file))
		return -1;
	if (file < 0)
		return refuse_type(&w, path, why, "is a directory");
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	fd = open_regular(name);
	close(file);
	if (fd < 0)
		return refuse_type(&w, path, why,
				   errno == EINVAL ? "is not a regular file" : strerror(errno));
	close(w.dir);
	return fd;
}

bool trusted_for_root(const char *path, struct distrust *why)
{
	struct walk w;
	int file;

	*why = (struct distrust){0};
	if (geteuid())
		return true;
	if (!walk_path(&w, path, 0, why, &file))
		return false;
	if (file >= 0)
		close(file);
	close(w.dir);
	return true;
}

bool file_is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen_regular(path);
	bool elf = f && fread(magic, 1, sizeof magic, f) == sizeof magic &&
		   !memcmp(magic, "\177ELF", 4);

	if (f)
		fclose(f);
	return elf;
}
