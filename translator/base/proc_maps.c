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

/* A line of /proc/PID/maps. */
struct line {
	int64_t pid;
	uint64_t start, end, offset, inode;
	char rights[5], path[PATH_MAX];
};

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
	if (!stat(xprintf("/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, l->pid, l->start,
			  l->end),
		  &mapped))
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

void mapped_code(int64_t pid, mapped_vec *out)
{
	FILE *f = fopen(xprintf("/proc/%" PRId64 "/maps", pid), "re");
	const char *root = process_root(pid);
	char text[PATH_MAX + 200];
	struct line l = {.pid = pid};

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
			vec_push(out, ((struct mapped_code){l.start, l.end, l.offset, path}));
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

/* A library by the name of its file, or by that of a link beside it. */
static const char *find_library(const mapped_vec *v, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(last_part(v->v[i].path), name))
			return v->v[i].path;
	for (size_t i = 0; !found && i < v->n; i++) {
		const char *path = v->v[i].path;

		if (!i || path != v->v[i - 1].path)
			found = find_same(v,
					  path_real(xprintf("%.*s%s", (int)(last_part(path) - path),
							    path, name)));
	}
	return found;
}

const char *mapped_by_name(int64_t pid, const char *name)
{
	const char *root = process_root(pid), *program = process_program(pid), *found;
	mapped_vec v = {0};

	mapped_code(pid, &v);
	if (*name == '/') {
		found = find_same(&v, path_below(root, name));
		return found || !*root ? found : find_same(&v, path_real(name));
	}
	if (strchr(name, '/'))
		return NULL;
	if (program && !strcmp(last_part(program), name))
		return program;
	return strstr(name, ".so") ? find_library(&v, name) : NULL;
}
