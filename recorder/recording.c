/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a recording: functions, threads and where their events are. */
#include "recording.h"
#include "base/json_text.h"
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More sites, and longer chunks, no recording has. */
enum { SITES_MAX = 1 << 22, MODULES_MAX = 1 << 16, CHUNK_MAX = 1 << 20 };

#define TIME_MAX 4e18 /* ns */

/* Sites as they are read, to be sorted by function. */
struct raw_site {
	uint32_t index, module, flags;
	uint64_t addr;
	char *name, *place; /* place: FILE:LINE, or "" */
	bool inlined;
};
struct raw_sites {
	struct raw_site *v;
	size_t n, cap;
};

/* ------------------------------------------------------------------ chunks */

/* qsort() takes no NULL, which an empty array is. */
static void sort(void *v, size_t n, size_t size, int (*order)(const void *, const void *))
{
	if (n)
		qsort(v, n, size, order);
}

/* Room for one more element of SIZE bytes in *V, whose capacity is *CAP. */
static void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 64;
	return xrealloc(v, *cap * size);
}

/* The string at *TEXT, which ends before END, and a copy; NULL: it is not ended. */
static char *take_text(const char **text, const char *end)
{
	const char *s = *text, *nul = memchr(s, 0, (size_t)(end - s));

	if (!nul)
		return NULL;
	*text = nul + 1;
	return xstrndup(s, (size_t)(nul - s));
}

static bool is_inlined(const char *point)
{
	static const char word[] = ".inline";
	size_t n = strlen(point);

	return n >= sizeof word - 1 && !strcmp(point + n - (sizeof word - 1), word);
}

/* FILE:LINE of `function("NAME@FILE:LINE")', without the directory. */
static char *place_of(const char *point)
{
	const char *at = strrchr(point, '@'), *end = at ? strchr(at, '"') : NULL, *slash;

	if (!at || !end)
		return xstrndup("", 0);
	slash = memrchr(at, '/', (size_t)(end - at));
	at = slash ? slash : at;
	return xstrndup(at + 1, (size_t)(end - at - 1));
}

static void add_module(struct recording *r, uint32_t index, char *path)
{
	if (index >= MODULES_MAX) {
		free(path);
		return;
	}
	if (index >= r->nmodules) {
		r->modules = xrealloc(r->modules, (index + 1) * sizeof *r->modules);
		while (r->nmodules <= index)
			r->modules[r->nmodules++] = NULL;
	}
	free(r->modules[index]);
	r->modules[index] = path;
}

static bool add_site(struct recording *r, struct raw_sites *all, const struct ust_calls_site *s,
		     const char *text)
{
	const char *end = text + s->len;
	struct raw_site to = {
		.index = s->index, .module = s->module, .flags = s->flags, .addr = s->addr};
	char *point;

	to.name = take_text(&text, end);
	if (!to.name)
		return false;
	if (s->flags & UST_CALLS_MODULE) {
		add_module(r, s->index, to.name);
		return true;
	}
	point = take_text(&text, end);
	if (!point || s->index >= SITES_MAX) {
		free(to.name);
		free(point);
		return false;
	}
	to.place = place_of(point);
	to.inlined = is_inlined(point);
	free(point);
	all->v = grow(all->v, all->n, &all->cap, sizeof *all->v);
	all->v[all->n++] = to;
	return true;
}

static bool take_sites(struct recording *r, struct raw_sites *all, const char *text, size_t len)
{
	struct ust_calls_site s;

	while (len >= sizeof s) {
		size_t padded;

		memcpy(&s, text, sizeof s);
		text += sizeof s;
		len -= sizeof s;
		padded = ((size_t)s.len + 7) & ~(size_t)7;
		if (padded > len || !add_site(r, all, &s, text))
			return false;
		text += padded;
		len -= padded;
	}
	return !len;
}

struct chunks {
	struct raw_sites sites;
	size_t pieces_cap, triggers_cap, values_cap;
	char *buf; /* CHUNK_MAX bytes */
};

static bool take_events(struct recording *r, struct chunks *c, const char *text, size_t len,
			uint64_t at)
{
	struct piece p = {.at = at + sizeof p.head};

	if (len < sizeof p.head)
		return false;
	memcpy(&p.head, text, sizeof p.head);
	if (!p.head.n || p.head.n != (len - sizeof p.head) / sizeof(struct ust_call_event) ||
	    (len - sizeof p.head) % sizeof(struct ust_call_event) ||
	    p.head.first > UINT64_MAX - p.head.n)
		return false;
	r->pieces = grow(r->pieces, r->npieces, &c->pieces_cap, sizeof *r->pieces);
	r->pieces[r->npieces++] = p;
	return true;
}

static bool take_moment(struct recording *r, struct chunks *c, uint32_t type, const char *text,
			size_t len)
{
	struct ust_calls_moment t;

	if (len != sizeof t)
		return false;
	memcpy(&t, text, sizeof t);
	if (type == UST_CALLS_START) {
		r->began = t;
		return true;
	}
	r->triggers = grow(r->triggers, r->ntriggers, &c->triggers_cap, sizeof *r->triggers);
	r->triggers[r->ntriggers++] = t;
	return true;
}

static bool take_values(struct recording *r, struct chunks *c, const char *text, size_t len,
			uint64_t at)
{
	struct ust_calls_values v;

	if (len < sizeof v)
		return false;
	memcpy(&v, text, sizeof v);
	if (v.len > UST_CALLS_TEXT_MAX || v.len > len - sizeof v)
		return false;
	r->values = grow(r->values, r->nvalues, &c->values_cap, sizeof *r->values);
	r->values[r->nvalues++] = (struct values){v.pid, v.tid,    v.since,
						  v.len, v.number, at + sizeof v};
	return true;
}

/* A chunk whose LEN bytes are at the offset AT of the file. */
static bool take_chunk(struct recording *r, struct chunks *c, const struct ust_calls_head *h,
		       const char *text, uint64_t at)
{
	switch (h->type) {
	case UST_CALLS_SITES:
		return take_sites(r, &c->sites, text, h->len);
	case UST_CALLS_EVENTS:
		return take_events(r, c, text, h->len, at);
	case UST_CALLS_VALUES:
		return take_values(r, c, text, h->len, at);
	case UST_CALLS_TRIGGER:
	case UST_CALLS_START:
		return take_moment(r, c, h->type, text, h->len);
	default:
		return false;
	}
}

static bool read_chunks(struct recording *r, struct chunks *c, FILE *f)
{
	struct ust_calls_head h;
	uint64_t at = 0;
	size_t got;

	while ((got = fread(&h, 1, sizeof h, f)) == sizeof h) {
		if (h.magic != UST_CALLS_MAGIC || h.len > CHUNK_MAX || h.len % 8)
			break;
		at += sizeof h;
		if (fread(c->buf, 1, h.len, f) != h.len) {
			say("%s: the last chunk is incomplete", r->path);
			return at > sizeof h;
		}
		r->damaged += !take_chunk(r, c, &h, c->buf, at);
		at += h.len;
	}
	if (got && at)
		say("%s: damaged at byte %llu; the rest is ignored", r->path,
		    (unsigned long long)at);
	return at || fail("%s: not a recording of ustap record", r->path);
}

/* --------------------------------------------------------------- functions */

/* The entry and the returns of a function are together, as are all instances of an inlined
 * one. */
static int by_function(const void *pa, const void *pb)
{
	const struct raw_site *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (!order)
		order = strcmp(a->place, b->place);
	if (!order)
		order = a->inlined - b->inlined;
	if (order || *a->place)
		return order;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static bool same_name(const struct function *a, const struct function *b)
{
	return a->module == b->module && !strcmp(a->name, b->name);
}

static void make_titles(struct recording *r)
{
	for (size_t i = 0; i < r->nfunctions; i++) {
		struct function *f = &r->functions[i];
		const char *path = f->module < r->nmodules ? r->modules[f->module] : NULL, *base;
		bool twice = (i && same_name(f - 1, f)) ||
			     (i + 1 < r->nfunctions && same_name(f, f + 1));
		struct text t = {0};

		base = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		text_put(&t, f->name);
		if (twice && *f->place) {
			text_put(&t, "@");
			text_put(&t, f->place);
		}
		if (f->inlined)
			text_put(&t, " (inlined)");
		if (r->has_files && base) {
			text_put(&t, " [");
			text_put(&t, base);
			text_put(&t, "]");
		}
		text_add(&t, "", 1);
		f->title = t.s;
		mask_controls(f->title, strlen(f->title));
	}
}

static void make_functions(struct recording *r, struct raw_sites *all)
{
	size_t cap = 0;

	sort(all->v, all->n, sizeof *all->v, by_function);
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].index >= r->nsites)
			r->nsites = all->v[i].index + 1;
	r->sites = xrealloc(NULL, (r->nsites + 1) * sizeof *r->sites);
	for (size_t i = 0; i < r->nsites; i++)
		r->sites[i] = (struct site){.function = NO_FUNCTION};
	for (size_t i = 0; i < all->n; i++) {
		struct raw_site *s = &all->v[i];
		struct function f = {.name = s->name, .module = s->module, .addr = s->addr};

		if (!i || by_function(s - 1, s)) {
			f.place = s->place;
			f.inlined = s->inlined;
			r->has_files |= i && f.module != s[-1].module;
			r->functions = grow(r->functions, r->nfunctions, &cap,
					    sizeof *r->functions);
			r->functions[r->nfunctions++] = f;
		}
		r->sites[s->index] = (struct site){(uint32_t)r->nfunctions - 1,
						   s->flags & UST_CALLS_RETURN};
	}
}

/* Names belong to functions; those of further sites are not needed. */
static void free_sites(struct recording *r, struct raw_sites *all)
{
	size_t f = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (f < r->nfunctions && r->functions[f].name == all->v[i].name) {
			f++;
			continue;
		}
		free(all->v[i].name);
		free(all->v[i].place);
	}
	free(all->v);
}

/* ----------------------------------------------------------------- threads */

static int by_thread(const void *pa, const void *pb)
{
	const struct ust_calls_events *a = &((const struct piece *)pa)->head,
				      *b = &((const struct piece *)pb)->head;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void make_threads(struct recording *r)
{
	size_t cap = 0;

	sort(r->pieces, r->npieces, sizeof *r->pieces, by_thread);
	for (size_t i = 0; i < r->npieces; i++) {
		const struct ust_calls_events *h = &r->pieces[i].head;
		struct thread *t = r->nthreads ? &r->threads[r->nthreads - 1] : NULL;

		if (!t || t->pid != h->pid || t->tid != h->tid || t->since != h->since) {
			r->threads = grow(r->threads, r->nthreads, &cap, sizeof *r->threads);
			t = &r->threads[r->nthreads++];
			*t = (struct thread){
				.pid = h->pid, .tid = h->tid, .since = h->since, .first = i};
		}
		t->end = i + 1;
	}
}

static int by_event(const void *pa, const void *pb)
{
	const struct values *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

size_t recording_find_values(const struct recording *r, const struct thread *t, uint64_t number)
{
	struct values key = {.pid = t->pid, .tid = t->tid, .since = t->since, .number = number},
		      *v = NULL;

	if (r->nvalues)
		v = bsearch(&key, r->values, r->nvalues, sizeof key, by_event);
	return v ? (size_t)(v - r->values) + 1 : 0;
}

void recording_values(const struct recording *r, size_t values, char text[UST_CALLS_TEXT_MAX + 1])
{
	const struct values *v = values ? &r->values[values - 1] : NULL;

	text[0] = 0;
	if (!v || pread(r->fd, text, v->len, (off_t)v->at) != (ssize_t)v->len)
		return;
	text[v->len] = 0;
	mask_controls(text, strlen(text));
}

/* The rate of the processor's clock: from the start to the last piece. The start of the recording
 * is the time of the first event. */
static void calibrate(struct recording *r)
{
	struct ust_calls_moment last = r->began;
	struct ust_call_event e;

	r->start = UINT64_MAX;
	for (size_t i = 0; i < r->npieces; i++) {
		const struct piece *p = &r->pieces[i];

		if (p->head.ticks > last.ticks)
			last = (struct ust_calls_moment){.ticks = p->head.ticks, .ns = p->head.ns};
		if (pread(r->fd, &e, sizeof e, (off_t)p->at) == sizeof e && e.ticks < r->start)
			r->start = e.ticks;
	}
	r->ns_per_tick = 1;
	if (last.ticks > r->began.ticks && last.ns > r->began.ns)
		r->ns_per_tick = (double)(last.ns - r->began.ns) /
				 (double)(last.ticks - r->began.ticks);
}

double recording_ns(const struct recording *r, uint64_t ticks)
{
	return (double)ticks * r->ns_per_tick;
}

uint64_t recording_time(const struct recording *r, uint64_t ticks)
{
	double ns = ticks > r->start ? recording_ns(r, ticks - r->start) : 0;

	return ns < TIME_MAX ? (uint64_t)(ns + 0.5) : (uint64_t)TIME_MAX;
}

static int by_ticks(const void *pa, const void *pb)
{
	const struct ust_calls_moment *a = pa, *b = pb;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* F itself if it is a regular file, else a temporary copy of it, as of a
 * pipe: events are read once more, thread by thread. NULL after a message. */
static FILE *seekable(FILE *f, const char *path)
{
	static const uint64_t magic = UST_CALLS_MAGIC;
	char buf[1 << 16];
	struct stat st;
	FILE *copy;
	size_t n;
	bool ok;

	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode))
		return f;
	n = fread(buf, 1, sizeof buf, f);
	if (!ferror(f) && (n < sizeof magic || memcmp(buf, &magic, sizeof magic) != 0)) {
		fail("%s: not a recording of ustap record", path);
		fclose(f);
		return NULL;
	}
	copy = ferror(f) ? NULL : tmpfile();
	for (ok = copy; ok && n; n = fread(buf, 1, sizeof buf, f))
		ok = fwrite(buf, 1, n, copy) == n;
	ok = ok && !ferror(f) && !fflush(copy);
	if (!ok)
		fail("cannot read %s: %s", path, strerror(errno));
	fclose(f);
	if (ok) {
		rewind(copy);
		return copy;
	}
	if (copy)
		fclose(copy);
	return NULL;
}

bool recording_open(struct recording *r, const char *path)
{
	struct chunks c = {.buf = NULL};
	FILE *f = fopen(path, "re");
	bool ok;

	*r = (struct recording){.path = path, .fd = -1};
	if (!f)
		return fail("cannot open %s: %s", path, strerror(errno));
	f = seekable(f, path);
	if (!f)
		return false;
	c.buf = xrealloc(NULL, CHUNK_MAX);
	ok = read_chunks(r, &c, f);
	free(c.buf);
	r->fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
	fclose(f);
	if (ok) {
		make_functions(r, &c.sites);
		make_threads(r);
		sort(r->values, r->nvalues, sizeof *r->values, by_event);
		sort(r->triggers, r->ntriggers, sizeof *r->triggers, by_ticks);
		calibrate(r);
	}
	free_sites(r, &c.sites);
	make_titles(r);
	if (r->damaged)
		say("%s: %llu damaged chunks are ignored", path, (unsigned long long)r->damaged);
	return ok;
}

bool recording_check_thread(const struct recording *r, int64_t thread)
{
	for (size_t i = 0; i < r->nthreads; i++)
		if (r->threads[i].tid == thread)
			return true;
	return thread < 0 || fail("%s: no calls of thread %" PRId64, r->path, thread);
}

void recording_missing(const struct recording *r, uint64_t events)
{
	if (events)
		say("%s: %" PRIu64 " entries and returns are missing", r->path, events);
}

void recording_close(struct recording *r)
{
	for (size_t i = 0; i < r->nmodules; i++)
		free(r->modules[i]);
	for (size_t i = 0; i < r->nfunctions; i++) {
		free(r->functions[i].name);
		free(r->functions[i].place);
		free(r->functions[i].title);
	}
	free(r->modules);
	free(r->functions);
	free(r->sites);
	free(r->pieces);
	free(r->values);
	free(r->threads);
	free(r->triggers);
	if (r->fd >= 0)
		close(r->fd);
}
