/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/maps: mappings and free ranges. A struct maps is sorted by address, as the kernel
 * writes the file.
 */
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "bisect.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * LOWEST: addresses excluded by vm.mmap_min_addr. STACK_GAP: the kernel keeps 256 pages free below
 * a stack (mm/mmap.c, stack_guard_gap), which appear free here. GROWTH: left for heap and stack to
 * grow into, if there is other room.
 */
enum { LOWEST = 64 << 10, STACK_GAP = 1 << 20, GROWTH = 512 << 20, PAGE = 4096 };

static struct mapping *insert(struct maps *m, size_t at)
{
	if ((m->n & (m->n - 1)) == 0)
		m->v = xrealloc(m->v, (m->n ? 2 * m->n : 1) * sizeof *m->v);
	memmove(m->v + at + 1, m->v + at, (m->n - at) * sizeof *m->v);
	m->n++;
	m->v[at] = (struct mapping){0};
	return &m->v[at];
}

/* The kernel writes a newline in a name as \012, its only escape. */
static char *copy_path(const char *s, bool *deleted)
{
	static const char mark[] = " (deleted)";
	char *path = xstrndup(s, strcspn(s, "\n")), *to = path;
	size_t n = strlen(path);

	*deleted = n >= sizeof mark - 1 && !strcmp(path + n - (sizeof mark - 1), mark);
	if (*deleted)
		path[n - (sizeof mark - 1)] = 0;
	for (const char *p = path; *p; p++) {
		bool newline = !strncmp(p, "\\012", 4);

		*to++ = newline ? '\n' : *p;
		p += newline ? 3 : 0;
	}
	*to = 0;
	return path;
}

static bool parse_line(struct mapping *map, const char *line)
{
	char perm[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &map->start, &map->end, perm, &map->offset, &map->dev_major, &map->dev_minor,
		   &map->inode, &path) < 7 ||
	    !path)
		return false;
	map->read = perm[0] == 'r';
	map->write = perm[1] == 'w';
	map->exec = perm[2] == 'x';
	map->shared = perm[3] == 's';
	map->path = copy_path(line + path, &map->deleted);
	return true;
}

/* Initial program break: before the first call of brk(2) no mapping shows it. */
static uint64_t brk_start(pid_t pid)
{
	struct proc_stat s;

	return proc_stat_read(&s, pid) ? proc_stat_number(&s, STAT_START_BRK) : 0;
}

static int read_lines(struct maps *m, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	int err;

	errno = 0;
	while (getline(&line, &size, f) > 0) {
		struct mapping map = {0};

		if (parse_line(&map, line))
			*insert(m, m->n) = map;
	}
	err = ferror(f) ? errno : m->n ? 0 : ESRCH; /* empty: a zombie, a kernel thread */
	free(line);
	return err;
}

static int read_of(struct maps *m, pid_t tid)
{
	char name[40];
	FILE *f;
	int err;

	snprintf(name, sizeof name, "/proc/%d/maps", (int)tid);
	f = fopen(name, "re");
	if (!f)
		return errno;
	err = read_lines(m, f);
	fclose(f);
	return err;
}

/* Read by any thread: a leader that has exited has no memory map. */
static int read_of_threads(struct maps *m, pid_t pid)
{
	struct dirent *de;
	char name[40];
	int err = ESRCH;
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
	dir = opendir(name);
	while (dir && err && (de = readdir(dir)))
		if (atoi(de->d_name) > 0)
			err = read_of(m, atoi(de->d_name));
	if (dir)
		closedir(dir);
	return err;
}

bool maps_read(struct maps *m, pid_t pid)
{
	const struct mapping *heap;
	int err;

	*m = (struct maps){0};
	err = read_of(m, pid);
	if (err == ESRCH)
		err = read_of_threads(m, pid);
	if (err) {
		maps_free(m);
		errno = err;
		return false;
	}
	heap = maps_named(m, "[heap]");
	m->brk = heap ? heap->end : brk_start(pid);
	return true;
}

void maps_free(struct maps *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].path);
	free(m->v);
	*m = (struct maps){0};
}

/* Index of the first mapping that ends after ADDR; m->n if not found. */
static size_t lower_bound(const struct maps *m, uint64_t addr)
{
	return BISECT(mid, m->n, m->v[mid].end <= addr);
}

const struct mapping *maps_at(const struct maps *m, uint64_t addr)
{
	size_t i = lower_bound(m, addr);

	return i < m->n && m->v[i].start <= addr ? &m->v[i] : NULL;
}

const struct mapping *maps_named(const struct maps *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->v[i].path, path))
			return &m->v[i];
	return NULL;
}

struct gap {
	uint64_t lo, hi, near, size, best;
};

/* Choose the free range [LO, HI) if it is closer. */
static void consider(struct gap *g, uint64_t lo, uint64_t hi)
{
	uint64_t at, far, near = g->near & -(uint64_t)PAGE;

	lo = ((lo > g->lo ? lo : g->lo) + PAGE - 1) & -(uint64_t)PAGE;
	hi = (hi < g->hi ? hi : g->hi) & -(uint64_t)PAGE;
	if (hi < lo || hi - lo < g->size)
		return;
	at = near < lo ? lo : near > hi - g->size ? hi - g->size : near;
	far = at > near ? at - near : near - at;
	if (!g->best || far < (g->best > near ? g->best - near : near - g->best))
		g->best = at;
}

/* Between mappings I - 1 and I, with ROOM bytes left to heap and stack. */
static void consider_between(struct gap *g, const struct maps *m, size_t i, uint64_t room)
{
	uint64_t start = i ? m->v[i - 1].end : 0, end = i < m->n ? m->v[i].start : UINT64_MAX;

	if (i < m->n && !strcmp(m->v[i].path, "[stack]")) {
		uint64_t below = room > STACK_GAP ? room : STACK_GAP;

		end = end > below ? end - below : 0;
	}
	if (room && m->brk >= start && m->brk < end) {
		consider(g, start, m->brk);
		start = m->brk + room;
	}
	consider(g, start, end);
}

uint64_t maps_gap(const struct maps *m, uint64_t lo, uint64_t hi, uint64_t near, uint64_t size)
{
	struct gap g = {.lo = lo > LOWEST ? lo : LOWEST, .hi = hi, .near = near, .size = size};

	for (uint64_t room = GROWTH;; room = 0) {
		for (size_t i = lower_bound(m, g.lo); i <= m->n; i++) {
			if (i && m->v[i - 1].end >= hi)
				break;
			consider_between(&g, m, i, room);
		}
		if (g.best || !room)
			return g.best;
	}
}

void maps_add(struct maps *m, uint64_t start, uint64_t size)
{
	struct mapping *map = insert(m, lower_bound(m, start));

	map->start = start;
	map->end = start + size;
	map->path = xstrndup("", 0);
}

bool maps_have_room(const struct maps *m, uint64_t start, uint64_t size)
{
	size_t i = lower_bound(m, start);

	return i == m->n || m->v[i].start >= start + size;
}

void maps_remove(struct maps *m, uint64_t start)
{
	size_t i = lower_bound(m, start);

	if (i == m->n || m->v[i].start != start)
		return;
	free(m->v[i].path);
	m->n--;
	memmove(&m->v[i], &m->v[i + 1], (m->n - i) * sizeof *m->v);
}
