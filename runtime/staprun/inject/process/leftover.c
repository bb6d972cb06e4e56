/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leftovers: scripts in a process whose tracer was killed. They are found in its memory and removed
 * like those of this run (detach.c).
 *
 * All data read here is in memory that the process can write. It is bounded, and leads only to
 * writes to that process's own memory and to calls that the process makes itself, so it gains
 * nothing by forging it.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "inject/user_runtime.h"
#include "wire.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEFTOVERS_MAX = 64 };
enum { RECORDS_MAX = 1 << 20 }; /* limits for one process, which bound the memory used for them */

/* A script in a process, as recorded in the process's memory. */
struct leftover {
	struct blob blob;
	struct injector in;
	struct process process;
	struct ust_process *head;
	uint32_t owner; /* of ust_shared */
	size_t nrecords;
};

/* -------------------------------------------------------------------- found */

static bool is_script(const struct mapping *m)
{
	return m->exec && !m->offset && blob_is_mapped_as(m->path);
}

/* True if whole mappings of the process cover [START, START + SIZE). */
static bool is_covered(const struct maps *maps, uint64_t start, uint64_t size)
{
	uint64_t at = start;
	const struct mapping *m;

	if (!size || start % UST_PAGE || size % UST_PAGE || start + size < start)
		return false;
	while (at < start + size && (m = maps_at(maps, at)))
		at = m->end;
	return at >= start + size;
}

static bool read_head(struct leftover *l, const struct tracee *t, const struct maps *maps,
		      uint64_t base)
{
	struct ust_process *h = l->head = xrealloc(NULL, sizeof *l->head);
	struct blob *b = &l->blob;

	if (base >= b->text || !tracee_read(t, base, h, sizeof *h) ||
	    h->private_size > b->text - base || h->nextents > UST_EXTENTS)
		return false;
	b->base = base;
	b->private_size = h->private_size;
	b->data_size = h->data_size;
	b->made = h->made;
	/* returns.c copies that table */
	return is_covered(maps, base, b->private_size) && is_covered(maps, b->data, b->data_size) &&
	       b->made.slots_mask < b->private_size / sizeof(struct ust_slot) &&
	       b->made.slots >= base && b->made.slots < base + b->private_size;
}

/* Read the script whose code M is; false if it is of another version of ustap. */
static bool read_leftover(struct leftover *l, const struct tracee *t, const struct maps *maps,
			  const struct mapping *m)
{
	const struct mapping *constants = maps_at(maps, m->end), *data;
	struct ust_agent agent;

	*l = (struct leftover){
		.blob = {
			.memfd = -1, .code = -1, .text = m->start, .text_size = m->end - m->start}};
	if (!constants || constants->inode != m->inode ||
	    !tracee_read(t, constants->start, &agent, sizeof agent) ||
	    agent.magic != UST_AGENT_MAGIC || agent.version != UST_WIRE_VERSION ||
	    agent.size != sizeof agent ||
	    !tracee_read(t, (uint64_t)&agent.shared->owner, &l->owner, sizeof l->owner))
		return false;
	data = maps_at(maps, (uint64_t)agent.shared);
	if (!data || !data->shared || data->start < constants->end)
		return false;
	l->blob.constants = constants->start;
	l->blob.constants_size = constants->end - constants->start;
	l->blob.data = data->start;
	return read_head(l, t, maps, (uint64_t)agent.process);
}

/* ----------------------------------------------------------------- restored */

/* True for private memory: of a file, or to which the program has moved its code. Never for a
 * shared mapping: a write would change the file. */
static bool is_private(const struct maps *maps, const struct patch *p)
{
	const struct mapping *first = maps_at(maps, p->addr),
			     *last = maps_at(maps, p->addr + p->len - 1);

	return first && last && !first->shared && !last->shared;
}

/* False if the program has unmapped it, and possibly mapped another object there. */
static bool is_area(const struct leftover *l, const struct tracee *t, const struct maps *maps,
		    const struct ust_extent *e)
{
	const struct mapping *m = maps_at(maps, e->start);
	uint64_t table[UST_COMMON_COUNT];
	static const uint64_t none[UST_COMMON_COUNT];

	if (!is_covered(maps, e->start, e->size) || !m->exec || m->write || m->shared || m->inode ||
	    e->start + e->size > m->end || !tracee_read(t, e->start, table, sizeof table))
		return false;
	/* killed between mapping and writing: the area is empty */
	return !memcmp(table, l->blob.made.common, sizeof table) ||
	       !memcmp(table, none, sizeof table);
}

static struct patches *read_patches(const struct maps *maps, const struct ust_record *r, uint32_t n)
{
	struct patches *v = xrealloc(NULL, sizeof *v + n * sizeof v->v[0]);

	v->refs = 1;
	v->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (record_read(&r[i], v->n ? &v->v[v->n - 1] : NULL, &v->v[v->n]) &&
		    is_private(maps, &v->v[v->n]) &&
		    (!v->n || v->v[v->n].addr > v->v[v->n - 1].addr))
			v->n++;
	records_join(v->v, v->n);
	return v;
}

static void lower(const struct tracee *t, uint64_t at)
{
	uint16_t count;

	if (!tracee_read(t, at, &count, sizeof count) || !count)
		return;
	count--;
	tracee_write(t, at, &count, sizeof count);
}

static void lower_semaphores(struct leftover *l, const struct tracee *t, const struct maps *maps,
			     const struct ust_record *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct mapping *m = r[i].semaphore ? maps_at(maps, r[i].semaphore) : NULL;
		uint16_t turn = r[i].turns;
		uint8_t *bits = turn / 8 < sizeof l->head->semaphores
					? &l->head->semaphores[turn / 8]
					: NULL;

		if (!m || !m->write || m->shared || !bits || (turn && !(*bits & 1 << turn % 8)))
			continue;
		lower(t, r[i].semaphore);
	}
}

/* Add the records of one file. */
static void add_loaded(struct leftover *l, const struct tracee *t, const struct maps *maps,
		       struct ust_extent *e)
{
	const uint64_t raised_at = l->blob.base + ((char *)&e->raised - (char *)l->head);
	struct process *p = &l->process;
	struct ust_record *r;

	if (!e->nrecords || e->nrecords > RECORDS_MAX - l->nrecords || e->records < e->start ||
	    e->records - e->start > e->size ||
	    e->nrecords > (e->size - (e->records - e->start)) / sizeof *r)
		return;
	r = xrealloc(NULL, e->nrecords * sizeof *r);
	if (tracee_read(t, e->records, r, e->nrecords * sizeof *r)) {
		l->nrecords += e->nrecords;
		p->loaded = xrealloc(p->loaded, (p->nloaded + 1) * sizeof *p->loaded);
		p->loaded[p->nloaded++] = (struct loaded){
			.patches = read_patches(maps, r, e->nrecords)};
		if (e->raised)
			lower_semaphores(l, t, maps, r, e->nrecords);
		e->raised = 0;
		tracee_write(t, raised_at, &e->raised, sizeof e->raised);
	}
	free(r);
}

static void read_process(struct leftover *l, const struct tracee *t, const struct maps *maps)
{
	struct process *p = &l->process;

	*p = (struct process){
		.pid = t->pid, .pidfd = -1, .injected = true, .trapping = l->head->trapping};
	p->areas = xrealloc(NULL, (l->head->nextents + 1) * sizeof *p->areas);
	for (uint32_t i = 0; i < l->head->nextents; i++) {
		struct ust_extent *e = &l->head->extents[i];

		if (!e->size || !is_area(l, t, maps, e))
			continue;
		p->areas[p->nareas++] = (struct area){
			.start = e->start, .size = e->size, .extent = i};
		add_loaded(l, t, maps, e);
	}
}

static void free_leftover(struct leftover *l)
{
	process_forget(&l->process);
	free(l->head);
}

/* ------------------------------------------------------------------ removed */

/* True if a later run has put jumps over those of L. */
static bool is_covered_by_other(const struct leftover *l, const struct tracee *t)
{
	uint8_t text[PATCH_BYTES];

	for (size_t i = 0; i < l->process.nloaded; i++) {
		const struct patches *v = l->process.loaded[i].patches;

		for (size_t k = 0; k < v->n; k++)
			if (tracee_read(t, v->v[k].addr, text, v->v[k].len) &&
			    memcmp(text, v->v[k].new_text, v->v[k].len) &&
			    memcmp(text, v->v[k].old_text, v->v[k].len))
				return true;
	}
	return false;
}

/* Remove one script. Returns 0, or errno with T released. *DONE: memory was unmapped. */
static int remove_one(struct tracee *t, const struct maps *maps, const struct mapping *m,
		      bool *done)
{
	const char *why = "jumps of another run lead to it";
	struct leftover l;
	int err = 0;

	if (read_leftover(&l, t, maps, m) && l.owner & UST_ORPHANED) {
		read_process(&l, t, maps);
		l.in = (struct injector){.blob = &l.blob};
		if (!is_covered_by_other(&l, t))
			err = detach_process(&l.in, &l.process, t, &why);
		*done = !err && !why;
		if (*done)
			note("process %d: removed the probes of a run that was killed",
			     (int)l.process.pid);
	}
	free_leftover(&l);
	return err;
}

/* Remove one of them; if several are stacked, only the last one can be removed first. */
static int remove_any(struct tracee *t, bool *done)
{
	struct maps maps;
	int err = 0;

	*done = false;
	if (!maps_read(&maps, t->pid))
		return 0;
	for (size_t i = 0; i < maps.n && !err && !*done; i++)
		if (is_script(&maps.v[i]))
			err = remove_one(t, &maps, &maps.v[i], done);
	maps_free(&maps);
	return err;
}

int leftovers_remove(struct tracee *t)
{
	bool done = true;
	int err = 0;

	for (int i = 0; i < LEFTOVERS_MAX && done && !err; i++)
		err = remove_any(t, &done);
	return err;
}

/* ------------------------------------------------------- listed, cleaned up */

/* Scripts in a process: running ones, and those whose tracer was killed, with their sites. */
struct found {
	unsigned live, orphaned, unknown, sites;
};

static unsigned count_sites(const struct leftover *l)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < l->head->nextents; i++)
		n += l->head->extents[i].size ? l->head->extents[i].nrecords : 0;
	return n < RECORDS_MAX ? (unsigned)n : RECORDS_MAX;
}

static void count_script(struct found *f, const struct tracee *t, const struct maps *maps,
			 const struct mapping *m)
{
	struct leftover l;

	if (!read_leftover(&l, t, maps, m)) {
		f->unknown++;
	} else if (l.owner & UST_ORPHANED) {
		f->orphaned++;
		f->sites += count_sites(&l);
	} else {
		f->live++;
	}
	free(l.head);
}

/* Returns false if PID's memory cannot be read. */
static bool look(pid_t pid, struct found *f)
{
	struct tracee t = {.pid = pid};
	struct maps maps;
	char name[40];
	bool any = false;

	*f = (struct found){0};
	if (!maps_read(&maps, pid))
		return false;
	for (size_t i = 0; i < maps.n; i++)
		any |= is_script(&maps.v[i]);
	snprintf(name, sizeof name, "/proc/%d/mem", (int)proc_live_thread(pid));
	t.mem = any ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	for (size_t i = 0; i < maps.n && t.mem >= 0; i++)
		if (is_script(&maps.v[i]))
			count_script(f, &t, &maps, &maps.v[i]);
	maps_free(&maps);
	if (t.mem >= 0)
		close(t.mem);
	return !any || t.mem >= 0;
}

/* The name may contain any bytes. */
static void read_name(pid_t pid, char *to, size_t size)
{
	char path[40];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, to, size - 1) : 0;
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	to[strcspn(to, "\n")] = 0;
	mask_controls(to, strlen(to));
}

/* staprun and its children map the script's memory, too. */
static bool is_staprun(const char *name) { return !strncmp(name, "staprun", 7); }

static void list_process(pid_t pid)
{
	struct found f;
	char name[64];

	read_name(pid, name, sizeof name);
	if (is_staprun(name) || !look(pid, &f))
		return;
	if (f.live)
		printf("process %d (%s): traced by %u running script%s\n", (int)pid, name, f.live,
		       f.live > 1 ? "s" : "");
	if (f.orphaned)
		printf("process %d (%s): %u probe sites of killed runs; remove them with: ustap "
		       "--cleanup=%d\n",
		       (int)pid, name, f.sites, (int)pid);
	if (f.unknown)
		printf("process %d (%s): script memory of another ustap version\n", (int)pid, name);
}

void leftovers_list(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	while (dir && (de = readdir(dir)))
		if (atoi(de->d_name) > 0)
			list_process(atoi(de->d_name));
	if (dir)
		closedir(dir);
}

bool leftovers_cleanup(pid_t pid)
{
	struct found before, after;
	struct tracee t;
	int err = stop_process(&t, pid);

	if (err)
		return trace_permission_explain(pid, err);
	look(pid, &before);
	err = leftovers_remove(&t);
	if (!err)
		tracee_release(&t);
	look(pid, &after);
	if (err || after.orphaned)
		return fail("process %d: memory of killed runs stays mapped; -v shows why; try "
			    "again later",
			    (int)pid);
	if (after.unknown)
		return fail("process %d: script memory of another ustap version stays mapped until "
			    "the process ends",
			    (int)pid);
	printf("process %d: %u probe sites of killed runs removed%s\n", (int)pid, before.sites,
	       after.live ? "; a running script still traces it" : "");
	return true;
}
