/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process("BUILD-ID"): the file that has it. Build-ids have no index, so the likely locations
 * are searched in turn: links by build-id, the programs of -c and -x, files mapped by processes,
 * programs and libraries of the system.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "process_point.h"
#include "base/proc_maps.h"
#include "session.h"

struct id_search {
	const char *id, *found;
	struct smap seen;
};

bool is_build_id(const char *name)
{
	size_t n = strlen(name);

	/* 8 bytes are the fewest that a linker makes */
	return n >= 16 && n % 2 == 0 && strspn(name, "0123456789abcdefABCDEF") == n;
}

static bool try(struct id_search *s, const char *path)
{
	const char *id;

	if (s->found || smap_get(&s->seen, path))
		return s->found;
	smap_put(&s->seen, xstrdup(path), s);
	id = file_build_id(path);
	if (id && !strcasecmp(id, s->id))
		s->found = xstrdup(path);
	return s->found;
}

/* Try the links "ab/cdef" in the build-id directories. */
static bool try_links(struct id_search *s)
{
	static const char *const dirs[] = {"/usr/lib/debug/.build-id", "/usr/lib/.build-id"};

	for (size_t i = 0; i < ARRAY_LEN(dirs) && !s->found; i++)
		try(s, xprintf("%s/%.2s/%s", dirs[i], s->id, s->id + 2));
	return s->found;
}

/* The files that process PID has mapped to execute. */
static bool try_process(struct id_search *s, int64_t pid)
{
	mapped_vec v = {0};

	mapped_code(pid, &v);
	for (size_t i = 0; i < v.n && !s->found; i++)
		try(s, v.v[i].path);
	return s->found;
}

static bool try_processes(struct id_search *s)
{
	DIR *d = opendir("/proc");

	for (struct dirent *e; d && !s->found && (e = readdir(d));)
		if (isdigit((unsigned char)e->d_name[0]))
			try_process(s, atoi(e->d_name));
	if (d)
		closedir(d);
	return s->found;
}

static bool try_files(struct id_search *s, const char *pattern)
{
	glob_t g;

	if (glob(pattern, GLOB_NOSORT, NULL, &g))
		return false;
	for (size_t i = 0; i < g.gl_pathc && !s->found; i++)
		try(s, g.gl_pathv[i]);
	globfree(&g);
	return s->found;
}

static bool try_system(struct id_search *s)
{
	static const char *const libraries[] = {"/usr/lib/*-linux-gnu/*.so*",
						"/lib/*-linux-gnu/*.so*", "/usr/lib64/*.so*",
						"/usr/lib/*.so*", "/usr/local/lib/*.so*"};
	const char *path = getenv("PATH");

	for (size_t n; path && *path && !s->found; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		try_files(s, xprintf("%.*s/*", (int)n, path));
	}
	for (size_t i = 0; i < ARRAY_LEN(libraries) && !s->found; i++)
		try_files(s, libraries[i]);
	return s->found;
}

const char *build_id_file(const struct session *s, const char *command, const char *id,
			  struct loc loc, bool quiet)
{
	struct id_search search = {.id = id};

	if (try_links(&search) || (command && try(&search, command)))
		return search.found;
	for (size_t i = 0; i < s->opt.pids.n && !search.found; i++)
		try_process(&search, s->opt.pids.v[i]);
	if (search.found || try_processes(&search) || try_system(&search))
		return search.found;
	if (!quiet) {
		diag_error(E_NO_FILE, loc, "no program or library has the build-id %s", id);
		diag_hint("searched: /usr/lib/debug/.build-id, the programs of -c and -x, files "
			  "mapped by processes, and the programs and libraries of the system");
	}
	return NULL;
}
