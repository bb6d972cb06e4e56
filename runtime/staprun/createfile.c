/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that ustap and staprun write: at a path that a user names (-o, --counts, --report, "save"),
 * and in directories of their own.
 *
 * Where other users may create files, such a path may be a link that one of them has put there,
 * and root would overwrite any file. So root follows symbolic links only from directories that
 * no other user can write to, or links of its own, and writes there only to existing files of
 * its own or of the directory's owner. The kernel has such rules, too (fs.protected_symlinks
 * and others), but they may be off, and hold in sticky directories only.
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

/* On the way to a file: REST is the path from DIR. */
struct walk {
	int dir;
	struct stat st; /* of DIR */
	char *rest;
	unsigned links;
};

/* Can users other than root create files in it? */
static bool is_shared(const struct stat *dir)
{
	return dir->st_uid || dir->st_mode & S_IWOTH || (dir->st_mode & S_IWGRP && dir->st_gid);
}

/* -1 (errno), as other functions here. */
static int refuse(int err)
{
	errno = err;
	return -1;
}

/* DIR becomes FD's. */
static int enter(struct walk *w, int fd)
{
	if (fd < 0)
		return -1;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	return fstat(fd, &w->st);
}

/* Links of /proc lead to open files rather than to paths: only the kernel can follow them. */
static bool is_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* LINK, of which ST tells, is followed by the rest of the path from now on. */
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

/* The next component of the path, which is taken from its rest; free() it. NULL: no memory. */
static char *next_component(struct walk *w)
{
	char *at = w->rest + strspn(w->rest, "/"), *name = strndup(at, strcspn(at, "/"));

	if (!name)
		return NULL;
	at += strlen(name);
	memmove(w->rest, at, strlen(at) + 1);
	return name;
}

/* May root write to an existing file in a shared directory? */
static bool is_harmless(const struct stat *file, const struct stat *dir)
{
	return (!file->st_uid || file->st_uid == dir->st_uid) &&
	       (!S_ISREG(file->st_mode) || file->st_nlink == 1);
}

/* The file NAME in w->dir exists. At least 0: it is open; -1: failed, or, if errno is EAGAIN, a
 * link was followed or the file is gone. */
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
	/* the same file again, unless a link has led elsewhere */
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

/* A stream of FD, which may be -1. */
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

/* No other user can write there, so what a link would lead to is the caller's own mistake. */
int private_open(const char *path, int flags)
{
	return open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

FILE *private_stream(const char *path) { return stream_of(private_open(path, O_WRONLY | O_TRUNC)); }
