/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Construction of an index: threads scan units in turn, then their findings are merged. */
#include "name_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "index_scan.h"
#include "debug_cache.h"
#include "base/stack_limit.h"

#define THREADS 4 /* at most */

struct job {
	struct raw_file *f;
	atomic_size_t *next; /* the unit to be taken next; those of the alternate file come last */
	struct scan scan;
	pthread_t thread;
	bool started;
};

/* Pages that have been looked at count no more as memory of this process; they are still there. */
static void release(const struct raw_unit *u)
{
	uintptr_t from = ((uintptr_t)u->file->info.p + u->off + 4095) & ~(uintptr_t)4095;
	uintptr_t to = ((uintptr_t)u->file->info.p + u->end) & ~(uintptr_t)4095;

	if (u->file->mapped && from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

static void *run(void *arg)
{
	struct job *j = arg;
	struct raw_file *f = j->f, *alt = f->alt;
	size_t all = f->nunits + (alt ? alt->nunits : 0);

	for (size_t i; !j->scan.failed && (i = atomic_fetch_add(j->next, 1)) < all;) {
		bool own = i < f->nunits;

		if (!scan_unit(&j->scan, own ? &f->units[i] : &alt->units[i - f->nunits], !own))
			j->scan.failed = true;
		if (own)
			release(&f->units[i]);
	}
	return NULL;
}

/* ------------------------------------------------------------ putting it together */

struct index_new {
	LIST(char) strings;
	struct number_map string_offs; /* address -> offset */
	LIST(struct index_range) ranges;
	LIST(struct index_inlined) inlined;
	struct number_map inlined_ids; /* offsets of name and linkage name -> number */
	LIST(struct index_def) defs;
	LIST(struct index_instance) instances;
	uint32_t *outers;
	size_t nouters;
	size_t room; /* for strings: those of a compiler do not overlap */
	bool failed;
};

uint32_t index_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return (uint32_t)(h ^ h >> 32);
}

/* The offset of STR in the index. */
static uint32_t put_string(struct index_new *n, const char *str)
{
	bool is_new;
	uint32_t *off;
	size_t len = strlen(str) + 1;

	if (!*str)
		return 0;
	off = numbers_put(&n->string_offs, (uintptr_t)str, (uint32_t)n->strings.n, &is_new);
	if (!off) {
		n->failed = true;
		return 0;
	}
	if (!is_new)
		return *off;
	if (n->strings.n + len > n->room) {
		n->failed = true;
		return 0;
	}
	while (n->strings.n + len > n->strings.cap)
		if (!list_room((void **)&n->strings.v, n->strings.cap, &n->strings.cap, 1)) {
			n->failed = true;
			return 0;
		}
	memcpy(n->strings.v + n->strings.n, str, len);
	n->strings.n += len;
	return *off;
}

static void put_ranges(struct index_new *n, const struct scan *s)
{
	for (size_t i = 0; i < s->ranges.n && !n->failed; i++)
		n->failed |= !list_push(&n->ranges, s->ranges.v[i]);
}

static void put_instances(struct index_new *n, const struct scan *s)
{
	for (size_t i = 0; i < s->instances.n && !n->failed; i++)
		n->failed |= !list_push(&n->instances, s->instances.v[i]);
}

static void put_defs(struct index_new *n, const struct scan *s)
{
	for (size_t i = 0; i < s->defs.n && !n->failed; i++) {
		const struct def *d = &s->defs.v[i];
		const char *name = s->strings.v[d->name];
		struct index_def x = {index_hash(name), put_string(n, name), d->tag, d->die};

		n->failed |= !list_push(&n->defs, x);
	}
}

/* Numbers of S's names in N, which count their pairs. */
static uint32_t *put_names(struct index_new *n, const struct scan *s)
{
	uint32_t *ids = malloc((s->names.n + 1) * sizeof *ids);

	for (size_t i = 0; ids && i < s->names.n && !n->failed; i++) {
		uint32_t name = put_string(n, s->strings.v[s->names.v[i].name]), linkage = 0, *id;
		bool is_new;

		if (s->names.v[i].linkage)
			linkage = put_string(n, s->strings.v[s->names.v[i].linkage]);
		id = numbers_put(&n->inlined_ids, (uint64_t)name << 32 | linkage,
				 (uint32_t)n->inlined.n, &is_new);
		if (!id || (is_new &&
			    !list_push(&n->inlined, ((struct index_inlined){name, linkage, 0, 0}))))
			n->failed = true;
		ids[i] = id ? *id : 0;
	}
	if (!ids)
		n->failed = true;
	for (size_t i = 0; i < s->pairs.n && !n->failed; i++)
		n->inlined.v[ids[s->pairs.v[i].name]].n++;
	return ids;
}

/* The pairs of all, by name. */
static void put_pairs(struct index_new *n, struct job *jobs, uint32_t *ids[])
{
	uint32_t at = 0;

	for (size_t i = 0; i < n->inlined.n; i++) {
		n->inlined.v[i].first = at;
		at += n->inlined.v[i].n;
		n->inlined.v[i].n = 0;
	}
	n->outers = malloc((at + 1) * sizeof *n->outers);
	n->nouters = at;
	n->failed |= !n->outers;
	for (int j = 0; j < THREADS && !n->failed; j++)
		for (size_t i = 0; i < jobs[j].scan.pairs.n; i++) {
			struct inlined_pair p = jobs[j].scan.pairs.v[i];
			struct index_inlined *to = &n->inlined.v[ids[j][p.name]];

			n->outers[to->first + to->n++] = p.outer;
		}
}

static int by_address(const void *a, const void *b)
{
	const struct index_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static int by_hash(const void *a, const void *b)
{
	const struct index_def *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static int by_origin(const void *a, const void *b)
{
	const struct index_instance *x = a, *y = b;

	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static void put_together(struct index_new *n, struct job *jobs)
{
	uint32_t *ids[THREADS] = {NULL};

	n->failed |= !list_push(&n->strings, '\0');
	for (int j = 0; j < THREADS && !n->failed; j++) {
		n->failed |= jobs[j].scan.failed;
		put_ranges(n, &jobs[j].scan);
		put_defs(n, &jobs[j].scan);
		put_instances(n, &jobs[j].scan);
		ids[j] = put_names(n, &jobs[j].scan);
	}
	if (!n->failed)
		put_pairs(n, jobs, ids);
	for (int j = 0; j < THREADS; j++)
		free(ids[j]);
	if (n->ranges.n)
		qsort(n->ranges.v, n->ranges.n, sizeof *n->ranges.v, by_address);
	if (n->defs.n)
		qsort(n->defs.v, n->defs.n, sizeof *n->defs.v, by_hash);
	if (n->instances.n)
		qsort(n->instances.v, n->instances.n, sizeof *n->instances.v, by_origin);
}

/* ------------------------------------------------------------------- the file */

static bool write_index(const struct index_new *n, int fd, uint64_t *size)
{
	const struct {
		const void *p;
		size_t n, each;
	} parts[PART_N] = {
		[PART_RANGES] = {n->ranges.v, n->ranges.n, sizeof *n->ranges.v},
		[PART_INLINED] = {n->inlined.v, n->inlined.n, sizeof *n->inlined.v},
		[PART_OUTERS] = {n->outers, n->nouters, sizeof *n->outers},
		[PART_DEFS] = {n->defs.v, n->defs.n, sizeof *n->defs.v},
		[PART_INSTANCES] = {n->instances.v, n->instances.n, sizeof *n->instances.v},
		[PART_STRINGS] = {n->strings.v, n->strings.n, 1},
	};
	struct index_header h = {.magic = INDEX_MAGIC};
	uint64_t at = sizeof h;
	unsigned char *all;
	bool ok;

	for (int i = 0; i < PART_N; i++) {
		h.parts[i].off = at;
		h.parts[i].n = parts[i].n;
		at = (at + parts[i].n * parts[i].each + 7) & ~(uint64_t)7;
	}
	h.size = *size = at;
	if (n->strings.n > UINT32_MAX || ftruncate(fd, (off_t)at))
		return false;
	all = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED)
		return false;
	for (int i = 0; i < PART_N; i++)
		if (parts[i].n)
			memcpy(all + h.parts[i].off, parts[i].p, parts[i].n * parts[i].each);
	h.sum = debug_cache_checksum(all + sizeof h, at - sizeof h,
				     debug_cache_checksum(h.parts, sizeof h.parts, 0));
	memcpy(all, &h, sizeof h);
	ok = !msync(all, at, MS_ASYNC);
	munmap(all, at);
	return ok;
}

static void scan_all(struct raw_file *f, struct job *jobs)
{
	atomic_size_t next = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	for (int i = 0; i < THREADS; i++) {
		jobs[i].f = f;
		jobs[i].next = &next;
		jobs[i].started = i && i < processors &&
				  !thread_start(&jobs[i].thread, run, &jobs[i]);
	}
	run(&jobs[0]);
	for (int i = 1; i < THREADS; i++)
		if (jobs[i].started)
			pthread_join(jobs[i].thread, NULL);
}

/* The bytes of all strings in F, each of which a linker may have made the end of another one. */
static size_t room_for_strings(const struct raw_file *f)
{
	return f ? 8 * (f->str.n + f->line_str.n + f->info.n) + room_for_strings(f->alt) : 0;
}

bool index_build(struct raw_file *f, int fd, uint64_t *size)
{
	struct job *jobs = calloc(THREADS, sizeof *jobs);
	struct index_new n = {.room = room_for_strings(f)};
	bool ok;

	if (!jobs)
		return false;
	scan_all(f, jobs);
	put_together(&n, jobs);
	ok = !n.failed && write_index(&n, fd, size);
	for (int i = 0; i < THREADS; i++)
		scan_free(&jobs[i].scan);
	free(jobs);
	free(n.strings.v);
	free(n.ranges.v);
	free(n.inlined.v);
	free(n.defs.v);
	free(n.instances.v);
	free(n.outers);
	numbers_free(&n.string_offs);
	numbers_free(&n.inlined_ids);
	return ok;
}
