/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that a process can still take: the limits of control groups (Documentation/
 * admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst) and the machine's free memory (proc(5)).
 */
#include "base/memory_room.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the files of a group. Version 1 limits the sum of memory and swap, and its statistics
 * include the groups within a group by the names with `total_'. */
static const struct group_files {
	const char *limit, *usage, *swap_limit, *swap_usage, *prefix;
} group_files[] = {
	[1] = {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.memsw.limit_in_bytes",
	       "memory.memsw.usage_in_bytes", "total_"},
	[2] = {"memory.max", "memory.current", "memory.swap.max", "memory.swap.current", ""},
};

/* ------------------------------------------------------------------- numbers */

/* UINT64_MAX if the file DIR/NAME does not begin with a number, as at "max". */
static uint64_t read_number(const char *dir, const char *name)
{
	uint64_t n = UINT64_MAX;
	char path[PATH_MAX];
	FILE *f;

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return n;
	f = fopen(path, "re");
	if (!f)
		return n;
	if (fscanf(f, "%" SCNu64, &n) != 1)
		n = UINT64_MAX;
	fclose(f);
	return n;
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct reclaimable {
	uint64_t file, anon;
};

static struct reclaimable read_statistics(const char *dir, const char *prefix)
{
	struct reclaimable r = {0, 0};
	char path[PATH_MAX], name[64];
	size_t n = strlen(prefix);
	uint64_t value;
	FILE *f;

	if (snprintf(path, sizeof path, "%s/memory.stat", dir) >= (int)sizeof path)
		return r;
	f = fopen(path, "re");
	if (!f)
		return r;
	while (fscanf(f, "%63s %" SCNu64, name, &value) == 2) {
		if (strncmp(name, prefix, n) != 0)
			continue;
		if (!strcmp(name + n, "inactive_file") || !strcmp(name + n, "active_file"))
			r.file = add(r.file, value);
		else if (!strcmp(name + n, "inactive_anon") || !strcmp(name + n, "active_anon"))
			r.anon = add(r.anon, value);
	}
	fclose(f);
	return r;
}

uint64_t memory_room_of_group(const char *dir, int version, uint64_t swap, uint64_t need)
{
	const struct group_files *v = &group_files[version];
	uint64_t limit = read_number(dir, v->limit), usage = read_number(dir, v->usage);
	uint64_t left = less(limit, usage), swap_left = UINT64_MAX, swap_usage;
	struct reclaimable r;

	/* without a limit version 1 writes nearly 2^63 */
	if (limit >= INT64_MAX / 2 || usage == UINT64_MAX)
		return UINT64_MAX;
	/* without these files swap is not limited */
	swap_usage = read_number(dir, v->swap_usage);
	if (swap_usage != UINT64_MAX)
		swap_left = less(read_number(dir, v->swap_limit), swap_usage);
	/* the kernel may need milliseconds for the statistics of many groups */
	if (left >= need && (version == 2 || swap_left >= need))
		return left;
	r = read_statistics(dir, v->prefix);
	left = add(add(left, r.file), least(version == 2 ? least(swap, swap_left) : swap, r.anon));
	return version == 2 ? left : least(left, add(swap_left, r.file));
}

static struct memory_room room_of_machine(uint64_t *swap)
{
	struct memory_room r = {UINT64_MAX, true};
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kb, available = UINT64_MAX;
	char name[64];

	*swap = 0;
	while (f && fscanf(f, "%63s %" SCNu64 "%*[^\n]", name, &kb) == 2)
		if (!strcmp(name, "MemAvailable:"))
			available = kb << 10;
		else if (!strcmp(name, "SwapFree:"))
			*swap = kb << 10;
	if (f)
		fclose(f);
	r.bytes = add(available, *swap);
	return r;
}

/* -------------------------------------------------------------------- groups */

/* True if the comma-separated LIST has the word "memory". */
static bool has_memory(const char *list, size_t n)
{
	const char *end = list + n;

	for (const char *at = list, *next; at < end; at = next + 1) {
		next = memchr(at, ',', (size_t)(end - at));
		if (!next)
			next = end;
		if (next - at == 6 && !memcmp(at, "memory", 6))
			return true;
	}
	return false;
}

bool memory_group_mount(const char *line, int version, char *root, char *point)
{
	const char *rest = strstr(line, " - ");
	char type[16], options[256];

	_Static_assert(PATH_MAX == 4096, "widths below");
	/* spaces and the like in names are written as octal numbers: not a name used for these */
	return rest && sscanf(line, "%*d %*d %*s %4095s %4095s", root, point) == 2 &&
	       !strchr(root, '\\') && !strchr(point, '\\') &&
	       sscanf(rest, " - %15s %*s %255s", type, options) == 2 &&
	       (version == 2 ? !strcmp(type, "cgroup2")
			     : !strcmp(type, "cgroup") && has_memory(options, strlen(options)));
}

const char *memory_group_path(const char *line, int version)
{
	const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

	if (!path ||
	    (version == 2 ? path != list + 1 : !has_memory(list + 1, (size_t)(path - list - 1))))
		return NULL;
	return path + 1;
}

/* Where the groups are mounted; it is looked for once. */
struct hierarchy {
	int version; /* 0: not found */
	char root[PATH_MAX], point[PATH_MAX];
};

static const struct hierarchy *find_hierarchy(void)
{
	static struct hierarchy h;
	static bool looked;
	char *line = NULL;
	size_t size = 0;

	/* a machine can have both, with the controller of memory in one of them */
	for (int version = 1; version <= 2 && !looked && !h.version; version++) {
		FILE *f = fopen("/proc/self/mountinfo", "re");

		while (f && !h.version && getline(&line, &size, f) > 0)
			if (memory_group_mount(line, version, h.root, h.point))
				h.version = version;
		if (f)
			fclose(f);
	}
	looked = true;
	free(line);
	return &h;
}

/* Set DIR, of PATH_MAX bytes, to the directory of PID's group. False: it is not visible here. */
static bool find_group(const struct hierarchy *h, pid_t pid, char *dir)
{
	size_t n = strlen(h->root), size = 0;
	const char *path = NULL;
	char name[32], *line = NULL;
	bool found = false;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/cgroup", (int)pid);
	f = fopen(name, "re");
	while (f && !path && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		path = memory_group_path(line, h->version);
	}
	if (f)
		fclose(f);
	if (n == 1) /* "/" */
		n = 0;
	/* paths of groups outside of the namespace of control groups begin with "/.." */
	if (path && !strncmp(path, h->root, n) && (path[n] == '/' || !path[n]) &&
	    strncmp(path, "/..", 3) != 0)
		found = snprintf(dir, PATH_MAX, "%s%s", h->point, path + n) < PATH_MAX;
	free(line);
	return found;
}

struct memory_room memory_room(pid_t pid, uint64_t need)
{
	const struct hierarchy *h = find_hierarchy();
	uint64_t swap, bytes;
	struct memory_room r = room_of_machine(&swap);
	char dir[PATH_MAX];

	if (!h->version || !find_group(h, pid, dir))
		return r;
	for (size_t top = strlen(h->point); strlen(dir) > top; *strrchr(dir, '/') = 0) {
		bytes = memory_room_of_group(dir, h->version, swap, need);
		if (bytes < r.bytes)
			r = (struct memory_room){bytes, false};
	}
	/* the mounted directory itself may be a container's group */
	bytes = memory_room_of_group(h->point, h->version, swap, need);
	return bytes < r.bytes ? (struct memory_room){bytes, false} : r;
}
