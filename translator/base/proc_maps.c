/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a process has mapped. A daemon that has called chroot(2) has mapped its program and
 * libraries before, so they are not below its root; a process in a container has other files at the
 * paths of this system's.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "answers.h"
#include "proc_maps.h"
#include "proc_root.h"

/* A line of /proc/PID/maps; PID may be a thread. */
struct line {
	int64_t pid;
	uint64_t start, end, offset, inode;
	char rights[5], path[PATH_MAX];
};

static const char *map_file(const struct line *l)
{
	return xprintf("/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, l->pid, l->start,
		       l->end);
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* True if PATH is the file of the line L. Only the inode number is compared if ustap may not follow
 * the link in map_files: some file systems (btrfs, overlayfs) have other devices in maps than
 * stat(2) returns. */
static bool is_file_of(const char *path, const struct line *l)
{
	struct stat st, mapped;

	if (!path || !file_answers(path) || stat(path, &st))
		return false;
	if (!stat(map_file(l), &mapped))
		return same_inode(&st, &mapped);
	return st.st_ino == l->inode;
}

/* The kernel gives the whole path, in which the process's root may be somewhere. */
static const char *path_of(const struct line *l, const char *root)
{
	const char *path = NULL;

	if (!*root)
		return file_answers(l->path) && !access(l->path, R_OK) ? xstrdup(l->path) : NULL;
	for (const char *rest = l->path; rest && !path; rest = strchr(rest + 1, '/')) {
		path = path_below(root, rest);
		if (!is_file_of(path, l))
			path = NULL;
	}
	if (path || !is_file_of(l->path, l))
		return path;
	return xstrdup(l->path);
}

/* Path from which the file of L has been deleted, in memory of the arena; NULL: it has not. */
static const char *deleted_from(const struct line *l)
{
	size_t n = strlen(l->path), unmarked = unmarked_length(l->path, n);

	return unmarked < n ? xstrndup(l->path, unmarked) : NULL;
}

/* Links through which the deleted file of L can be opened: that of the program, which its user may
 * follow, and that of the mapping, for which the kernel asks for CAP_CHECKPOINT_RESTORE. */
static const char *deleted_file(const struct line *l)
{
	const char *exe = xprintf("/proc/%" PRId64 "/exe", l->pid), *map = map_file(l);
	char target[PATH_MAX];
	ssize_t n = readlink(exe, target, sizeof target - 1);

	target[n < 0 ? 0 : n] = 0;
	if (!strcmp(target, l->path))
		map = exe;
	return file_answers(map) && !access(map, R_OK) ? map : NULL;
}

/* The code of L, if its file is deleted. All mappings of one file have one path. */
static void add_deleted(const struct line *l, mapped_vec *out)
{
	const char *from = deleted_from(l), *path = NULL;

	for (size_t i = 0; from && i < out->n && !path; i++)
		if (out->v[i].replaced && !strcmp(out->v[i].replaced, from))
			path = out->v[i].path;
	if (from && !path)
		path = deleted_file(l);
	if (path)
		vec_push(out, ((struct mapped_code){l->start, l->end, l->offset, path, from}));
}

void mapped_code(int64_t pid, mapped_vec *out)
{
	struct line l = {.pid = process_thread(pid)};
	FILE *f = fopen(xprintf("/proc/%" PRId64 "/maps", l.pid), "re");
	const char *root = process_root(pid);
	char text[PATH_MAX + 200];

	_Static_assert(PATH_MAX == 4096, "the width below");
	while (f && fgets(text, sizeof text, f)) {
		const struct mapped_code *last = out->n ? &out->v[out->n - 1] : NULL;
		const char *path;

		if (sscanf(text,
			   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %4095[^\n]",
			   &l.start, &l.end, l.rights, &l.offset, &l.inode, l.path) != 6 ||
		    *l.path != '/' || l.rights[2] != 'x')
			continue;
		path = path_of(&l, root);
		if (last && path && !strcmp(path, last->path))
			path = last->path;
		if (path)
			vec_push(out, ((struct mapped_code){l.start, l.end, l.offset, path, NULL}));
		else
			add_deleted(&l, out);
	}
	if (f)
		fclose(f);
}

/* ------------------------------------------------------------------- by name */

static const char *find_same(const mapped_vec *v, const char *path)
{
	struct stat st, mapped;

	if (!path || !file_answers(path) || stat(path, &st))
		return NULL;
	for (size_t i = 0; i < v->n; i++)
		if (!stat(v->v[i].path, &mapped) && same_inode(&st, &mapped))
			return v->v[i].path;
	return NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Path of a file as the process has mapped it. */
static const char *mapped_path(const struct mapped_code *m)
{
	return m->replaced ? m->replaced : m->path;
}

/* True if FILE is named as the target of the link LINK may be: libz.so.1.3 and libz.so.1. An
 * upgrade has changed the link. */
static bool is_version_of(const char *file, const char *link)
{
	size_t n = strlen(link);

	return strstr(link, ".so") && !strncmp(file, link, n) && file[n] == '.';
}

/* A library by the name of its file, or by that of a link beside it. */
static const char *find_library(const mapped_vec *v, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(last_part(mapped_path(&v->v[i])), name))
			return v->v[i].path;
	for (size_t i = 0; !found && i < v->n; i++)
		if (v->v[i].replaced && is_version_of(last_part(v->v[i].replaced), name))
			found = v->v[i].path;
	for (size_t i = 0; !found && i < v->n; i++) {
		const char *path = mapped_path(&v->v[i]);

		if (!i || path != v->v[i - 1].path)
			found = find_same(v,
					  path_real(xprintf("%.*s%s", (int)(last_part(path) - path),
							    path, name)));
	}
	return found;
}

/* A file that was at PATH, a path that the process sees, or saw below ROOT. */
static const char *find_replaced(const mapped_vec *v, const char *root, const char *path)
{
	const char *real = path_below(root, path);

	for (size_t i = 0; i < v->n; i++) {
		const char *was = v->v[i].replaced;

		if (was && (!strcmp(was, path) || is_version_of(was, path) ||
			    (real && !strcmp(was, real + strlen(root)))))
			return v->v[i].path;
	}
	return NULL;
}

/* A file by its absolute path: the former one if it has been replaced. */
static const char *find_path(const mapped_vec *v, const char *root, const char *path)
{
	const char *found = find_same(v, path_below(root, path));

	if (!found)
		found = find_replaced(v, root, path);
	if (!found && *root)
		found = find_same(v, path_real(path));
	return found;
}

/* NAME, a path from the current directory on, which need not exist. */
static const char *absolute(const char *name)
{
	const char *real = path_real(name), *dir;

	if (real)
		return real;
	dir = path_real(xstrndup(name, (size_t)(last_part(name) - name)));
	return dir ? xprintf("%s/%s", dir, last_part(name)) : NULL;
}

const char *mapped_by_name(int64_t pid, const char *name)
{
	const char *root = process_root(pid), *program = process_program(pid);
	mapped_vec v = {0};

	mapped_code(pid, &v);
	if (*name == '/')
		return find_path(&v, root, name);
	if (strchr(name, '/')) {
		name = absolute(name);
		return name ? find_path(&v, "", name) : NULL;
	}
	if (program && !strcmp(last_part(program), name))
		return program;
	for (size_t i = 0; program && i < v.n; i++)
		if (!strcmp(v.v[i].path, program) && !strcmp(last_part(mapped_path(&v.v[i])), name))
			return program;
	return strstr(name, ".so") ? find_library(&v, name) : NULL;
}
