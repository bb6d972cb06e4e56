/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patched files and the probe sites in them. The script's files come first; others are added when a
 * process is found to map them.
 */
#include "elfid.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patch.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/watched.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "wire_agent.h"
#include "wire_records.h"

#include "answers.h"
#include "bisect.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* ------------------------------------------------------------------- files */

static struct file *append(struct injector *in, const char *path)
{
	struct file *f = xrealloc(NULL, sizeof *f);

	*f = (struct file){.path = xstrndup(path, strlen(path))};
	in->files = xrealloc(in->files, (in->nfiles + 1) * sizeof *in->files);
	return in->files[in->nfiles++] = f;
}

/* Paths are resolved in the mount namespace of staprun. */
/* Difference of the open file F from the identity WANT; NULL if it matches. */
static const char *difference(const struct file *f, const char *want)
{
	char found[ELFID_TEXT];

	if (!want || !*want)
		return NULL;
	elffile_identity(f->elf, found);
	return elfid_difference(found, want);
}

/* Failures are not reported for files without probe sites, which are listed for unwinding. */
static void open_module(struct file *f, const char *identity)
{
	const char *why = NULL;
	struct stat st;

	f->elf = elffile_open(f->path, &why);
	if (!f->elf || stat(f->path, &st) < 0) {
		if (f->probed && errno == ETIMEDOUT)
			warning("cannot probe %s: its file system does not respond", f->path);
		else if (f->probed)
			warning("cannot probe %s: %s", f->path,
				!f->elf && errno == ENOEXEC && why ? why : strerror(errno));
		return;
	}
	why = difference(f, identity);
	if (why) {
		if (f->probed)
			warning("cannot probe %s: it differs from the file the script was compiled "
				"for: %s",
				f->path, why);
		elffile_close(f->elf);
		f->elf = NULL;
		return;
	}
	f->dev = st.st_dev;
	f->ino = st.st_ino;
}

static bool same(const struct file *a, const struct file *b)
{
	return a->elf && b->elf && a->dev == b->dev && a->ino == b->ino;
}

/* Number of the first file that is the same file under several names. */
static uint32_t first_of(const struct injector *in, uint32_t i)
{
	uint32_t k = 0;

	while (k < i && !same(in->files[k], in->files[i]))
		k++;
	return k;
}

/* Compare by path: files of an overlay have other device and inode numbers in /proc/PID/maps than
 * in stat(2). */
static bool same_by_name(const struct file *f, pid_t pid, const struct mapping *m)
{
	const char *a = strrchr(f->path, '/'), *b = strrchr(m->path, '/');
	char name[4200];
	struct stat st;

	if (m->deleted || !a || !b || strcmp(a, b))
		return false;
	snprintf(name, sizeof name, "/proc/%d/root%s", (int)proc_live_thread(pid), m->path);
	return !stat(name, &st) && st.st_dev == f->dev && st.st_ino == f->ino;
}

bool file_is(const struct file *f, pid_t pid, const struct mapping *m)
{
	return f->elf && (elffile_same(f->elf, m->dev_major, m->dev_minor, m->inode) ||
			  same_by_name(f, pid, m));
}

struct file *file_of(const struct injector *in, pid_t pid, const struct mapping *m)
{
	for (size_t i = 0; i < in->nfiles; i++)
		if (file_is(in->files[i], pid, m))
			return in->files[i];
	return NULL;
}

/* Open the file by its name in the process's root, or by the mapping, which requires privileges. */
static struct elf_file *open_mapped(pid_t pid, const struct mapping *m, struct stat *st)
{
	char names[2][4200];
	const char *why;
	int tid = proc_live_thread(pid);

	snprintf(names[0], sizeof names[0], "/proc/%d/root%s", tid, m->path);
	snprintf(names[1], sizeof names[1], "/proc/%d/map_files/%llx-%llx", tid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	for (int i = m->deleted; i < 2; i++) {
		struct elf_file *elf = NULL;

		if (file_answers(names[i]) && !stat(names[i], st))
			elf = elffile_open(names[i], &why);

		if (elf)
			return elf;
	}
	return NULL;
}

struct file *file_add(struct injector *in, pid_t pid, const struct mapping *m)
{
	struct stat st;
	struct elf_file *elf = open_mapped(pid, m, &st);
	struct file *f;

	if (!elf)
		return NULL;
	f = append(in, m->path);
	f->elf = elf;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return f;
}

/* ------------------------------------------------------------------- places */

struct site {
	uint32_t file, number;
	struct ust_site_info info;
};

/* Order: file, address, entry before return, script order. */
static int by_place(const void *a, const void *b)
{
	const struct site *s = a, *t = b;
	uint32_t sr = s->info.flags & UST_SITE_INFO_RETURN,
		 tr = t->info.flags & UST_SITE_INFO_RETURN;

	if (s->file != t->file)
		return s->file < t->file ? -1 : 1;
	if (s->info.addr != t->info.addr)
		return s->info.addr < t->info.addr ? -1 : 1;
	if (sr != tr)
		return sr < tr ? -1 : 1;
	return s->number < t->number ? -1 : s->number > t->number;
}

/* Sorted sites whose files could be opened. */
static size_t read_sites(struct injector *in, struct site *v)
{
	const struct ust_layout *a = &in->blob->made;
	struct ust_site_info info;
	size_t n = 0;

	in->fileless = xrealloc(NULL, (a->nsites + 1) * sizeof *in->fileless);
	for (uint32_t i = 0; i < a->nsites; i++) {
		in->blob->agent.site(i, &info);
		if (info.module >= a->nmodules || !in->files[info.module]->elf)
			in->fileless[in->nfileless++] = i;
		else if (info.flags & UST_SITE_INFO_WATCH)
			watch_add(in, i, &info);
		else
			v[n++] = (struct site){first_of(in, info.module), i, info};
	}
	qsort(v, n, sizeof *v, by_place);
	return n;
}

static struct place *add_place(struct file *f, size_t at, const struct place *place)
{
	if (!(f->n & (f->n - 1)))
		f->places = xrealloc(f->places, (f->n ? 2 * f->n : 1) * sizeof *f->places);
	memmove(f->places + at + 1, f->places + at, (f->n - at) * sizeof *f->places);
	f->n++;
	f->places[at] = *place;
	return &f->places[at];
}

/* Index of the first site at or after ADDR. */
static size_t place_at(const struct file *f, uint64_t addr)
{
	return BISECT(mid, f->n, f->places[mid].addr < addr);
}

bool file_has_place(const struct file *f, uint64_t addr)
{
	size_t i = place_at(f, addr);

	return i < f->n && f->places[i].addr == addr;
}

const struct place *file_find_place(const struct file *f, uint64_t addr)
{
	return file_has_place(f, addr) ? &f->places[place_at(f, addr)] : NULL;
}

struct place *file_place(struct file *f, uint64_t addr)
{
	struct place new = {.addr = addr};

	if (file_has_place(f, addr))
		return &f->places[place_at(f, addr)];
	if (!elffile_offset_of_addr(f->elf, addr, &new.offset))
		return NULL;
	return add_place(f, place_at(f, addr), &new);
}

static void count_gate(struct place *p, uint32_t gate)
{
	p->always |= !gate;
	for (uint16_t i = 0; i < p->ngates; i++)
		if (p->gates[i] == gate - 1)
			return;
	if (!gate)
		return;
	p->gates = xrealloc(p->gates, (p->ngates + 1u) * sizeof *p->gates);
	p->gates[p->ngates++] = gate - 1;
}

/* Add S, number AT in the agent's order, to this site. */
static void count_site(struct place *p, const struct site *s, uint32_t at)
{
	bool is_return = s->info.flags & UST_SITE_INFO_RETURN;
	uint16_t *n = is_return ? &p->rn : &p->n;

	if (*n == UINT16_MAX)
		return;
	if (!*n)
		*(is_return ? &p->rfirst : &p->first) = at;
	++*n;
	count_gate(p, s->info.gate);
	p->full |= !!(s->info.flags & UST_SITE_INFO_ALL_REGS);
	p->no_room |= !!(s->info.flags & UST_SITE_INFO_NO_ROOM);
	p->others |= !(s->info.flags & UST_SITE_INFO_CALLS);
	if (s->info.semaphore) {
		p->semaphore = s->info.semaphore;
		p->sem_offset = s->info.sem_offset;
	}
}

static void make_places(struct injector *in, const struct site *v, size_t n)
{
	uint32_t *order = (uint32_t *)in->blob->made.order;

	in->order = xrealloc(NULL, (n + 1) * sizeof *in->order);
	in->norder = n;
	for (size_t i = 0; i < n; i++) {
		struct file *f = in->files[v[i].file];
		const struct ust_site_info *info = &v[i].info;
		struct place new = {.addr = info->addr, .offset = info->offset, .pp = info->pp};
		struct place *p = f->n ? &f->places[f->n - 1] : NULL;

		if (!p || p->addr != info->addr)
			p = add_place(f, f->n, &new);
		order[i] = in->order[i] = v[i].number;
		count_site(p, &v[i], (uint32_t)i);
		in->returns |= !!p->rn;
	}
}

/* ------------------------------------------------------- what is known of sites */

/* Note FLAGS for N sites from FIRST on, in the agent's order. */
static void note_order(const struct injector *in, uint32_t first, uint32_t n, uint32_t flags)
{
	for (uint32_t i = first; i < first + n && i < in->norder; i++)
		script_note(in->script, in->order[i], flags);
}

static void note_file(const struct injector *in, const struct file *f)
{
	uint32_t flags = (f->mapped ? UST_COUNT_MAPPED : 0) | (f->other ? UST_COUNT_OTHER : 0);

	for (size_t i = 0; i < f->n; i++) {
		const struct place *p = &f->places[i];
		uint32_t here = flags | (p->armed  ? UST_COUNT_PLACED
					 : p->told ? UST_COUNT_FAILED
						   : 0);

		if (p->trapped)
			here |= UST_COUNT_TRAP | patch_reason_of(p->why) << UST_COUNT_WHY;

		note_order(in, p->first, p->n, here);
		note_order(in, p->rfirst, p->rn, here);
	}
}

void files_note(const struct injector *in)
{
	for (size_t i = 0; i < in->nfileless; i++)
		script_note(in->script, in->fileless[i], UST_COUNT_NO_FILE);
	for (size_t i = 0; i < in->nfiles; i++)
		note_file(in, in->files[i]);
	watched_note(in);
	script_notes_flush(in->script);
}

static void warn_of_other(pid_t pid, const struct mapping *m)
{
	if (m->deleted) {
		warning("process %d has mapped the former file of %s, which was replaced: that one "
			"is not probed",
			(int)pid, m->path);
		hint("restart the program; or name the process with -x, as root");
	} else {
		warning("process %d has mapped another file that it knows as %s: that one is not "
			"probed",
			(int)pid, m->path);
		hint("name the process with -x: the script's paths are those that it sees");
	}
}

void file_note_replaced(const struct injector *in, pid_t pid, const struct mapping *m)
{
	for (size_t i = 0; i < in->nfiles; i++) {
		struct file *f = in->files[i];

		if (!f->probed || f->retired || f->other || strcmp(f->path, m->path))
			continue;
		f->other = true;
		warn_of_other(pid, m);
	}
}

/* vfork() returns twice, to two processes that share their memory: the child takes the note about
 * the parent's return. The translator refuses other functions that may return more than once; the
 * kernel runtime can probe this one. */
static const char *const vforks[] = {"vfork", "__vfork"};

static void refuse_returns(struct injector *in, struct file *f, const char *name)
{
	uint64_t addr = elffile_function(f->elf, name);

	for (size_t i = 0; addr && i < f->n; i++) {
		struct place *p = &f->places[i];

		if (!p->rn || p->addr < addr || p->addr - addr > 4)
			continue;
		warning("probe %s cannot be armed: %s() may return twice", p->pp, name);
		note_order(in, p->rfirst, p->rn, UST_COUNT_FAILED);
		in->unplaced += p->rn;
		p->rn = 0;
		p->told = !p->n;
	}
}

static void refuse_vforks(struct injector *in)
{
	for (size_t i = 0; i < in->nfiles; i++)
		for (size_t k = 0; in->files[i]->elf && k < sizeof vforks / sizeof *vforks; k++)
			refuse_returns(in, in->files[i], vforks[k]);
}

static void mark_probed(struct injector *in)
{
	const struct ust_layout *a = &in->blob->made;
	struct ust_site_info info;

	for (uint32_t i = 0; i < a->nsites; i++) {
		in->blob->agent.site(i, &info);
		if (info.module < a->nmodules)
			in->files[info.module]->probed = true;
	}
	for (uint32_t i = 0; i < a->nmodules; i++)
		in->files[i]->probed |= a->events && blob_wants(in->blob, UST_EVENTS, i, 0);
}

bool files_open(struct injector *in)
{
	const struct blob *b = in->blob;
	const struct ust_layout *a = &b->made;
	struct site *sites = xrealloc(NULL, (a->nsites + 1) * sizeof *sites);
	size_t n;

	gates_init(in);
	for (uint32_t i = 0; i < a->nmodules; i++) {
		const char *identity;

		append(in, b->agent.module(i, &identity));
	}
	mark_probed(in);
	for (uint32_t i = 0; i < a->nmodules; i++) {
		const char *identity;

		b->agent.module(i, &identity);
		open_module(in->files[i], identity);
	}
	n = read_sites(in, sites);
	in->unplaced = (unsigned)in->nfileless;
	make_places(in, sites, n);
	free(sites);
	if (in->returns)
		refuse_vforks(in);
	return n || in->nwatches || !a->nsites;
}

static void file_free(struct file *f)
{
	elffile_close(f->elf);
	patch_text_free(f->all);
	for (int k = 0; k < CALLS; k++) {
		if (f->calls[k])
			free(f->calls[k]->places);
		free(f->calls[k]);
	}
	for (size_t k = 0; k < f->n; k++)
		free(f->places[k].gates);
	free(f->places);
	free(f->path);
	free(f);
}

void files_close(struct injector *in)
{
	for (size_t i = 0; i < in->nfiles; i++)
		file_free(in->files[i]);
	free(in->files);
	free(in->order);
	free(in->fileless);
	watched_free(in);
	free(in->gates);
	in->gates = NULL;
	in->ngates = 0;
	in->files = NULL;
	in->nfiles = 0;
}

/* ---------------------------------------------------------- replaced files */

/* A copy of the places of F, with room as add_place() expects. */
static struct place *copy_places(const struct file *f)
{
	size_t room = 1;
	struct place *v;

	while (room < f->n)
		room *= 2;
	v = xrealloc(NULL, room * sizeof *v);
	for (size_t i = 0; i < f->n; i++) {
		size_t size = f->places[i].ngates * sizeof *v->gates;

		v[i] = f->places[i];
		v[i].gates = size ? memcpy(xrealloc(NULL, size), f->places[i].gates, size) : NULL;
	}
	return v;
}

/* Processes that have F keep what it was, as a file of its own; F becomes ELF. */
static void retire(struct injector *in, struct file *f, struct elf_file *elf, const struct stat *st)
{
	struct file *old = append(in, f->path);
	char *path = old->path;

	*old = *f;
	old->path = path;
	old->retired = true;
	old->places = copy_places(f);
	f->elf = elf;
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->all = NULL;
	memset(f->calls, 0, sizeof f->calls);
	for (struct process *p = in->processes; p; p = p->next)
		for (size_t i = 0; i < p->nloaded; i++)
			if (p->loaded[i].file == f)
				p->loaded[i].file = old;
}

static bool is_used(const struct injector *in, const struct file *f)
{
	for (const struct process *p = in->processes; p; p = p->next)
		for (size_t i = 0; i < p->nloaded; i++) {
			const struct file *l = p->loaded[i].file;

			if (l == f || l == f->calls[CALLS_ACTION] || l == f->calls[CALLS_MASK])
				return true;
		}
	return false;
}

static void drop_retired(struct injector *in)
{
	for (size_t i = in->blob->made.nmodules; i < in->nfiles;) {
		struct file *f = in->files[i];

		if (!f->retired || is_used(in, f)) {
			i++;
			continue;
		}
		file_free(f);
		in->files[i] = in->files[--in->nfiles];
	}
}

static void refresh(struct injector *in, struct file *f, const struct stat *st)
{
	char before[ELFID_TEXT];
	struct elf_file *elf = elffile_open(f->path, NULL);
	struct file now = {.elf = elf};
	const char *why;

	elffile_identity(f->elf, before);
	why = elf ? difference(&now, before) : strerror(errno);
	if (!why) {
		retire(in, f, elf, st);
		return;
	}
	f->other = true;
	warning("%s was replaced, and differs from the file the script was compiled for (%s): "
		"processes that run it now are not probed",
		f->path, why);
	elffile_close(elf);
}

void files_refresh(struct injector *in)
{
	struct stat st;

	drop_retired(in);
	for (size_t i = 0; i < in->blob->made.nmodules; i++) {
		struct file *f = in->files[i];

		if (f->probed && f->elf && !stat(f->path, &st) &&
		    (st.st_dev != f->dev || st.st_ino != f->ino))
			refresh(in, f, &st);
	}
}
