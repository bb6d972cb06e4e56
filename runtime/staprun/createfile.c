/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File creation by ustap and staprun: at a path that a user names (-o, --counts, --report, "save"),
 * and in their own directories.
 *
 * Where other users may create files, such a path may be a link that one of them has created, and
 * root would overwrite any file. So root follows symbolic links only from directories that no other
 * user can write to, or links of its own, and writes there only to existing files of its own or of
 * the directory's owner. The kernel has similar rules (fs.protected_symlinks and others), but they
 * may be off, and apply only to sticky directories.
 */
#include "createfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MODE = 0666, FLAGS = O_WRONLY | O_CLOEXEC | O_NOCTTY, MAX_LINKS = 40 };

/* Path walk: REST is the remaining path from DIR. */
struct walk {
	int dir;
	struct stat st; /* of DIR */
	char *rest;
	unsigned links;
};

/* True if users other than root can create files in the directory. */
static bool is_shared(const struct stat *dir)
{
	return dir->st_uid || dir->st_mode & S_IWOTH || (dir->st_mode & S_IWGRP && dir->st_gid);
}

/* Fail with errno ERR; returns -1 like the functions below. */
static int refuse(int err)
{
	errno = err;
	return -1;
}

/* Make FD the current directory; takes FD. */
static int enter(struct walk *w, int fd)
{
	if (fd < 0)
		return -1;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	return fstat(fd, &w->st);
}

/* True for procfs: its links lead to open files instead of paths, and only the kernel can follow
 * them. */
static bool is_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Follow LINK, whose status is ST: its target precedes the rest of the path. */
static int follow(struct walk *w, int link, const struct stat *st)
{
	char to[4096], *rest;
	ssize_t n;

	if (is_shared(&w->st) && (st->st_uid || st->st_nlink > 1))
		return refuse(EPERM);
	if (++w->links > MAX_LINKS)
		return refuse(ELOOP);
	n = readlinkat(link, "", to, sizeof to);
	if (n <= 0 || n == sizeof to)
		return refuse(n < 0 ? errno : ENAMETOOLONG);
	rest = malloc((size_t)n + strlen(w->rest) + 2);
	if (!rest)
		return refuse(ENOMEM);
	sprintf(rest, "%.*s%s%s", (int)n, to, *w->rest ? "/" : "", w->rest);
	free(w->rest);
	w->rest = rest;
	return *to == '/' ? enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

/* Take the next component off the rest of the path; the caller frees it. NULL if out of memory. */
static char *next_component(struct walk *w)
{
	char *at = w->rest + strspn(w->rest, "/"), *name = strndup(at, strcspn(at, "/"));

	if (!name)
		return NULL;
	at += strlen(name);
	memmove(w->rest, at, strlen(at) + 1);
	return name;
}

/* True if root may write to an existing file in a shared directory. */
static bool is_harmless(const struct stat *file, const struct stat *dir)
{
	return (!file->st_uid || file->st_uid == dir->st_uid) &&
	       (!S_ISREG(file->st_mode) || file->st_nlink == 1);
}

/* Open NAME, which exists in w->dir. Returns a descriptor, or -1; with errno EAGAIN a link was
 * followed or the file has disappeared. */
static int open_existing(struct walk *w, const char *name)
{
	int fd, at = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char path[40];
	struct stat st;

	if (at < 0)
		return refuse(errno == ENOENT && w->links++ < MAX_LINKS ? EAGAIN : errno);
	if (fstat(at, &st)) {
		fd = -1;
	} else if (S_ISLNK(st.st_mode) && is_proc(w->dir)) {
		fd = openat(w->dir, name, FLAGS | O_TRUNC);
	} else if (S_ISLNK(st.st_mode)) {
		fd = follow(w, at, &st) < 0 ? -1 : refuse(EAGAIN);
	} else if (is_shared(&w->st) && !is_harmless(&st, &w->st)) {
		fd = refuse(EPERM);
	} else {
		snprintf(path, sizeof path, "/proc/self/fd/%d", at);
		fd = open(path, FLAGS | O_TRUNC);
	}
	close(at);
	return fd;
}

static int open_last(struct walk *w, const char *name)
{
	int fd = openat(w->dir, name, FLAGS | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);

	if (fd >= 0 || errno != EEXIST)
		return fd;
	fd = open_existing(w, name);
	/* the same file again, unless a link led elsewhere */
	if (fd < 0 && errno == EAGAIN && !*w->rest) {
		free(w->rest);
		w->rest = strdup(name);
		if (!w->rest)
			return refuse(ENOMEM);
	}
	return fd;
}

static int enter_component(struct walk *w, const char *name)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (!S_ISLNK(st.st_mode))
		return S_ISDIR(st.st_mode) ? enter(w, fd) : refuse(ENOTDIR);
	if (is_proc(w->dir))
		err = enter(w, openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	else
		err = follow(w, fd, &st);
	close(fd);
	return err;
}

static int open_as_root(const char *path)
{
	struct walk w = {.dir = -1, .rest = strdup(path)};
	int fd = -1, err = refuse(ENOMEM);

	if (w.rest)
		err = enter(&w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));

	while (!err && fd < 0) {
		char *name = next_component(&w);

		if (!name)
			err = refuse(ENOMEM);
		else if (!*name)
			err = refuse(*path ? EISDIR : ENOENT);
		else if (*w.rest)
			err = enter_component(&w, name);
		else if ((fd = open_last(&w, name)) < 0)
			err = errno == EAGAIN ? 0 : -1;
		free(name);
	}
	err = errno;
	if (w.dir >= 0)
		close(w.dir);
	free(w.rest);
	errno = err;
	return fd;
}

int file_create(const char *path)
{
	return geteuid() == 0 ? open_as_root(path) : open(path, FLAGS | O_CREAT | O_TRUNC, MODE);
}

/* A stream of FD; NULL if FD is -1. */
static FILE *stream_of(int fd)
{
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *file_create_stream(const char *path) { return stream_of(file_create(path)); }

const char *file_create_error(int err)
{
	if (err == EPERM && geteuid() == 0)
		return "the path leads through a link or file of another user in a directory that "
		       "not only root can write to";
	return strerror(err);
}

/* No other user can write to the directory, so following a link would be the caller's own
 * mistake. */
int private_open(const char *path, int flags)
{
	return open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

FILE *private_stream(const char *path) { return stream_of(private_open(path, O_WRONLY | O_TRUNC)); }
