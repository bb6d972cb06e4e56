/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Planning the patches of one mapped file: each probe site gets a trampoline and new code. The plan
 * uses the code in the process: a jump of another tracer is an instruction like any other. Nothing
 * in the process changes.
 */
#include "inject/arch/arch.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/arming.h"
#include "inject/patch/gate.h"
#include "inject/patch/goroutines.h"
#include "inject/patch/patch.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { UNKNOWN_END = 64, HEAD_ROOM = UST_PAGE };

static const uint64_t reach = (1ull << 31) - (1 << 20);

/* ------------------------------------------------------------ what there is */

uint64_t arm_text_addr(const struct file *f, const struct mapping *m)
{
	uint64_t offset = m->offset, addr = 0;

	while (!elffile_addr_of_offset(f->elf, offset, &addr) && offset < m->offset + UST_PAGE)
		offset++;
	return addr;
}

/* Find the addresses of F's code in its segments. */
static void add_data(const struct file *f, uint64_t addr)
{
	uint64_t most = 1ull << 29; /* bytes of a file with large tables */
	struct patch_data *v = NULL, d;
	size_t n = 0;
	ssize_t size;

	for (size_t i = 0; (size = elffile_segment(f->elf, i, most, &d.addr, &d.bytes)) >= 0; i++) {
		if (!size)
			continue;
		d.size = (size_t)size;
		most -= d.bytes ? d.size : most;
		v = xrealloc(v, (n + 1) * sizeof *v);
		v[n++] = d;
	}
	patch_text_add_data(f->all, addr, v, n, !elffile_is_pie(f->elf), elffile_has_relr(f->elf));
	free(v);
}

void arm_examine_file(struct file *f, const struct mapping *m)
{
	const uint8_t *bytes;
	uint64_t addr, start, end, next;
	size_t n;

	if (f->all)
		return;
	addr = arm_text_addr(f, m);
	n = elffile_text(f->elf, addr, &bytes);
	if (n)
		f->all = patch_text_new(bytes, n);
	if (f->all)
		add_data(f, addr);
	f->all_addr = addr;
	f->has_goroutines = goroutines_possible(f->elf);
	/* of Ada: the function by which a program initialises its units */
	f->looks_up = f->has_goroutines || elffile_function(f->elf, "adainit");
	elffile_function_at(f->elf, addr, &start, &end, &next);
}

/* If function bounds are unknown, the bytes after the site may belong to another function, and
 * those before it to the same. */
static void find_function(const struct arming *a, struct patch_site *s, uint64_t vaddr)
{
	uint64_t start = vaddr, end, next = vaddr + UNKNOWN_END, from, to;

	s->bounded = elffile_function_at(a->file->elf, vaddr, &start, &end, &next);
	s->hidden = !elffile_code_around(a->file->elf, vaddr, &from, &to);
	if (s->hidden)
		from = start, to = next;
	else if (!s->bounded)
		next = to;
	s->start = start + a->bias;
	s->end = (s->bounded ? end : next) + a->bias;
	s->next = next + a->bias;
	s->from = from + a->bias;
	s->to = to + a->bias;
}

/* The code that is mapped. */
static void find_bounds(const struct arming *a, struct patch_site *s, uint64_t vaddr)
{
	find_function(a, s, vaddr);
	if (s->start < a->m->start) {
		s->start = s->addr;
		s->bounded = false;
	}
	if (s->from < a->m->start) {
		s->from = s->start;
		s->hidden = true;
	}
	if (s->next > a->m->end)
		s->next = a->m->end;
	if (s->end > s->next)
		s->end = s->next;
	if (s->to > a->m->end)
		s->to = a->m->end;
}

/* Extend the code that is examined to that of the site, and as much as a jump before or behind. */
static void examine(struct arming *a, const struct patch_site *s)
{
	uint64_t lo = s->from - a->m->start > JUMP_BYTES ? s->from - JUMP_BYTES : a->m->start;
	uint64_t hi = (s->to > s->next ? s->to : s->next) + PATCH_BYTES;

	if (a->lo > lo)
		a->lo = lo;
	if (a->hi < hi)
		a->hi = hi < a->m->end ? hi : a->m->end;
}

static void add_target(struct arming *a, struct place *p)
{
	struct target *to = &a->v[a->n++];
	struct patch_site *s = &to->site;

	*to = (struct target){.place = p};
	s->addr = a->m->start + (p->offset - a->m->offset);
	a->bias = s->addr - p->addr;
	find_bounds(a, s, p->addr);
	s->all = a->file->all;
	s->all_start = a->file->all_addr + a->bias;
	s->first = p->first;
	s->rfirst = p->rfirst;
	s->n = p->n;
	s->site = p->n ? a->in->order[p->first] : 0;
	/* the program's entry point has no return address: the stack holds the number of its
	 * arguments */
	s->rn = p->addr == elffile_entry(a->file->elf) ? 0 : p->rn;
	s->hook = p->hook;
	s->full = p->full;
	s->no_room = p->no_room && !s->rn && !s->hook;
	s->busy = &a->busy;
	s->alone = a->file->has_goroutines && place_is_gated(p);
	s->calls = s->n == 1 && s->rn == 1 && !s->hook && !p->full && !p->others;
	examine(a, s);
}

static void find_targets(struct arming *a)
{
	struct file *f = a->file;

	arm_examine_file(f, a->m);
	a->v = xrealloc(NULL, (f->n + 1) * sizeof *a->v);
	a->lo = UINT64_MAX;
	for (size_t i = 0; i < f->n; i++) {
		struct place *p = &f->places[i];

		if (p->offset >= a->m->offset &&
		    p->offset - a->m->offset < a->m->end - a->m->start &&
		    (p->n || p->rn || p->hook))
			add_target(a, p);
	}
	for (size_t i = 0; i + 1 < a->n; i++)
		a->v[i].site.limit = a->v[i + 1].site.addr;
}

/* The first instruction of a known function, or what the script returns from. */
static bool is_entry(const struct patch_site *s)
{
	size_t pad = landing_pad(s->text, s->addr - s->start);

	return s->rn || (s->bounded && (s->addr == s->start || s->addr == s->start + pad));
}

/* A jump of another tracer may be longer than the function was, over padding after it. */
static void fit_jump(struct patch_site *s)
{
	if (s->text[s->addr - s->start] == JUMP && s->end < s->addr + JUMP_BYTES &&
	    s->next >= s->addr + JUMP_BYTES)
		s->end = s->addr + JUMP_BYTES;
}

/* Another tracer has changed code: no byte from there on may change. */
static void keep_away(const struct arming *a, struct patch_site *s, const struct place *p)
{
	const uint8_t *file;
	size_t n = elffile_text(a->file->elf, p->addr, &file), room = a->hi - s->addr;
	unsigned i = patch_foreign(s->text + (s->addr - s->start), file, n < room ? n : room);

	if (i && (!s->limit || s->limit > s->addr + i))
		s->limit = s->addr + i;
}

/* Other plans that are written first. */
static void apply_plans(const struct arming *a)
{
	for (const struct arming *q = a->process->plans; q; q = q->next)
		for (size_t i = 0; i < q->patches->n; i++) {
			const struct patch *p = &q->patches->v[i];

			if (p->addr >= a->lo && p->addr + p->len <= a->hi)
				memcpy(a->text + (p->addr - a->lo), p->new_text, p->len);
		}
}

static bool read_text(struct arming *a)
{
	a->text = xrealloc(NULL, a->hi - a->lo);
	if (!tracee_read(a->t, a->lo, a->text, a->hi - a->lo))
		return false;
	if (a->t->running)
		apply_plans(a);
	for (size_t i = 0; i < a->n; i++) {
		struct patch_site *s = &a->v[i].site;

		s->text = a->text + (s->start - a->lo);
		s->known = a->hi;
		fit_jump(s);
		keep_away(a, s, a->v[i].place);
		s->entry = is_entry(s);
	}
	return true;
}

/* The site's first byte, in memory and in the file. */
static uint8_t first_byte(const struct target *to)
{
	return to->site.text[to->site.addr - to->site.start];
}

static uint8_t file_byte(const struct arming *a, const struct target *to)
{
	const uint8_t *file;

	return elffile_text(a->file->elf, to->place->addr, &file) ? *file : first_byte(to);
}

/* True if a jump of another run, or of hooks that were armed before, contains the site's first
 * byte. */
static bool is_covered(const struct arming *a, const struct target *to)
{
	uint64_t before = to->site.addr - a->lo;
	const uint8_t *file;

	if (before > JUMP_BYTES)
		before = JUMP_BYTES;
	return elffile_text(a->file->elf, to->place->addr - before, &file) >= before &&
	       patch_covered(a->text + (to->site.addr - before - a->lo), file, before);
}

/* A jump or breakpoint of another tracer is recognised; any other difference means that the code is
 * not the one the script was compiled for. */
static const char *changed(const struct arming *a, const struct target *to)
{
	uint8_t there = first_byte(to);

	if (is_covered(a, to))
		return "a jump of another run covers these bytes";
	if (there == file_byte(a, to) || there == JUMP || there == BREAKPOINT)
		return NULL;
	return "the process has modified its code";
}

/* ---------------------------------------------------------------- planning */

static uint64_t low_end(const struct arming *a) { return a->hi > reach ? a->hi - reach : 0; }

static struct area_plan *new_area(struct arming *a, uint64_t lo, uint64_t hi, uint64_t near,
				  uint64_t size)
{
	struct area_plan plan;

	if (!area_begin(&plan, a->maps, &a->in->blob->made, lo, hi, near, size))
		return NULL;
	a->areas = xrealloc(a->areas, (a->nareas + 1) * sizeof *a->areas);
	a->areas[a->nareas] = plan;
	return &a->areas[a->nareas++];
}

/* True for the function that returns from signal handlers, if its unwind entry starts a byte early:
 * unwinders look up the byte before a return address. Corrects the start. */
static bool begins_later(struct patch_site *s)
{
	if (s->start + 1 != s->addr)
		return false;
	if (s->from == s->start)
		s->from++;
	s->start++;
	s->text++;
	return true;
}

static bool plan_jump(struct target *to, uint64_t at, uint64_t table)
{
	return patch_plan(&to->patch, &to->site, at, table) ||
	       (begins_later(&to->site) && patch_plan(&to->patch, &to->site, at, table));
}

static bool plan(struct arming *a, struct target *to)
{
	const char *why = changed(a, to);
	uint64_t at = area_next(&a->areas[0], 0);

	if (why) {
		to->patch.why = why;
		return false;
	}
	if (plan_jump(to, at, a->areas[0].start))
		area_take(&a->areas[0], &to->patch);
	return to->patch.way != PATCH_NONE;
}

/* The addresses that a punned jump behind PREFIX prefixes reaches; the pad, or 0. */
struct pun {
	unsigned prefix;
	uint64_t lo, hi, pad;
};

static uint64_t room_of(size_t n) { return n * ((STUB_BYTES + 15) & ~15ull); }

/* Plan with a trampoline in the range of PUN, or with its pad there. The gap before it may leave
 * too little room for OTHERS bytes. */
static bool pun_in(struct target *to, struct area_plan *area, const struct pun *pun,
		   uint64_t others)
{
	uint64_t lo = pun->lo, hi = pun->hi, pad = pun->pad;
	uint64_t at = area_next(area, pad ? pad + PAD_BYTES : lo - sizeof(struct ust_point));

	if (!area_fits(area, at + others) ||
	    (pad ? pad < area->start + area->used : at + sizeof(struct ust_point) > hi) ||
	    !patch_plan_punned(&to->patch, &to->site, pun->prefix, at, pad, area->start))
		return false;
	area_take(area, &to->patch);
	return true;
}

static bool may_share(const struct target *to)
{
	return !place_is_gated(to->place) && !to->place->hook;
}

/* Plan one jump for the first N of the targets from TO on. */
static bool plan_group(struct arming *a, struct target *to, unsigned n)
{
	struct patch patches[GROUP_MAX], *p[GROUP_MAX];
	const struct patch_site *sites[GROUP_MAX];
	uint64_t at[GROUP_MAX];

	for (unsigned i = 0; i < n; i++) {
		if (!may_share(&to[i]) || changed(a, &to[i]))
			return false;
		p[i] = &patches[i];
		sites[i] = &to[i].site;
		at[i] = i ? at[i - 1] + STUB_BYTES : area_next(&a->areas[0], 0);
	}
	if (!area_fits(&a->areas[0], at[n - 1]) ||
	    !patch_plan_group(p, sites, n, at, a->areas[0].start))
		return false;
	for (unsigned i = 0; i < n; i++) {
		to[i].patch = patches[i];
		area_take(&a->areas[0], &to[i].patch);
	}
	return true;
}

/* Too little room before the next sites: share the jump with as few of them as necessary. Returns
 * the number of sites that have one jump; 0: none can. */
static size_t share(struct arming *a, struct target *to)
{
	size_t left = a->n - (size_t)(to - a->v);

	for (unsigned n = 2; n <= GROUP_MAX && n <= left; n++)
		if (to[n - 1].site.addr < to->site.addr + JUMP_BYTES && plan_group(a, to, n))
			return n;
	return 0;
}

static bool pun_range(const struct patch_site *s, struct pun *p)
{
	p->pad = 0;
	if (patch_pun_range(s, p->prefix, &p->lo, &p->hi))
		return true;
	p->lo = p->hi = p->pad = patch_pun_pad(s, p->prefix);
	return p->pad;
}

static bool pun_behind(struct arming *a, struct target *to, unsigned prefix)
{
	struct pun p = {.prefix = prefix};
	struct area_plan *area;
	uint64_t first;

	if (!pun_range(&to->site, &p))
		return false;
	for (size_t i = 0; i < a->nareas; i++)
		if (pun_in(to, &a->areas[i], &p, i ? 0 : room_of(a->waiting)))
			return true;
	/* a page for the head before it, and one for a trampoline that starts at a page's end */
	first = (p.lo > 2 * HEAD_ROOM ? p.lo - HEAD_ROOM : HEAD_ROOM) & -(uint64_t)UST_PAGE;
	area = new_area(a, first, p.hi + 2 * HEAD_ROOM, first, 3 * HEAD_ROOM);
	return area && pun_in(to, area, &p, 0);
}

/* Other tracers see a hook as a jump or a breakpoint, by its first byte. */
static bool pun(struct arming *a, struct target *to)
{
	unsigned most = to->place->hook ? 0 : JUMP_PREFIXES;
	const char *why = to->patch.why;

	for (unsigned prefix = 0; prefix <= most; prefix++)
		if (pun_behind(a, to, prefix))
			return true;
	to->patch.way = PATCH_NONE;
	to->patch.why = why;
	return false;
}

/* True if the jump at the target behind TO can be the end of TO's jump. */
static bool can_join(const struct arming *a, const struct target *to)
{
	const struct target *next = to + 1, *end = a->v + a->n;

	return next < end && may_share(to) && may_share(next) &&
	       patch_can_join(&to->site, &next->patch) &&
	       (next + 1 == end || next[1].patch.joined || next[1].patch.way != PATCH_SHARED);
}

/* The lowest byte of a jump's distance may be the highest one of the jump that ends with it. In a
 * program at a low address that one must neither lead below address 0 nor into the program. */
static bool leads_up(uint64_t stub, uint64_t end)
{
	uint8_t lowest = (uint8_t)(stub - end);

	return lowest >= 0x10 && lowest < 0x80;
}

/* Give the jump at TO another trampoline; false if that leaves too little room for the sites
 * before. */
static bool move_trampoline(struct arming *a, struct target *to)
{
	struct area_plan *area = &a->areas[0];
	struct patch former = to->patch;
	uint64_t end = former.addr + JUMP_BYTES, at = area_next(area, 0);
	uint64_t others = room_of((size_t)(to - a->v));

	if (former.way == PATCH_PUNNED)
		return false;
	while (!leads_up(at + sizeof(struct ust_point), end))
		at += 16;
	if (area_fits(area, at + others) && plan_jump(to, at, area->start)) {
		area_take(area, &to->patch);
		return true;
	}
	to->patch = former;
	return false;
}

/* A jump whose last bytes are the first ones of the jump behind it. */
static bool pun_into(struct arming *a, struct target *to, const struct patch *jump)
{
	uint8_t *text = a->text + (jump->addr - a->lo);
	uint64_t limit = to->site.limit;
	bool done;

	memcpy(text, jump->new_text, jump->len);
	to->site.limit = 0;
	done = pun(a, to);
	to->site.limit = limit;
	memcpy(text, jump->old_text, jump->len);
	return done;
}

static bool pun_with_next(struct arming *a, struct target *to)
{
	enum { TRIES = 5 };
	const struct patch *jump = &to[1].patch;
	bool low = !(a->hi >> 31), done = false;

	if (!can_join(a, to))
		return false;
	if (low && !leads_up(jump->stub, jump->addr + JUMP_BYTES))
		move_trampoline(a, to + 1);
	for (int i = 0; i < TRIES && !done && (!i || (low && move_trampoline(a, to + 1))); i++)
		done = pun_into(a, to, jump);
	if (done && to[1].patch.addr < to->patch.addr + to->patch.span)
		patch_join(&to->patch, &to[1].patch);
	return done;
}

/*
 * Unwinders cache information by address: two runs must not place trampolines at the same one. The
 * distance is 1 to 4 MB modulo 16 MB: bits 16 to 23 of a jump to the area are the highest ones of
 * the jump that is joined to it from a function of one byte, which must neither lead to a negative
 * address in a program at a low one nor into its heap.
 */
static uint64_t some_way(void)
{
	enum { LEAST = 1 << 8, NEAR_PAGES = 3 << 8, STEP_PAGES = 1 << 12, STEPS = 1 << 4 };
	uint16_t r = 0;

	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (uint16_t)clock_ns();
	return (LEAST + r % NEAR_PAGES + (uint64_t)(r / NEAR_PAGES % STEPS) * STEP_PAGES) *
	       UST_PAGE;
}

/* A jump that begins before the site, behind what the sites before it change. */
static bool plan_early(struct arming *a, struct target *to)
{
	struct target *before = to > a->v ? to - 1 : NULL;
	uint64_t from = before ? before->site.addr + 1 : 0, at = area_next(&a->areas[0], 0);
	const char *why = to->patch.why;

	if (before && before->patch.way != PATCH_NONE &&
	    from < before->patch.addr + before->patch.span)
		from = before->patch.addr + before->patch.span;
	if (!may_share(to) || !area_fits(&a->areas[0], at + room_of(a->waiting)) ||
	    !patch_plan_early(&to->patch, &to->site, from, at, a->areas[0].start)) {
		to->patch.way = PATCH_NONE;
		to->patch.why = why;
		return false;
	}
	area_take(&a->areas[0], &to->patch);
	if (before && (!before->site.limit || before->site.limit > to->patch.addr))
		before->site.limit = to->patch.addr;
	return true;
}

/* A breakpoint needs a single byte. */
static void plan_trap(struct arming *a, struct target *to)
{
	const char *why = to->patch.why;
	uint64_t at = area_next(&a->areas[0], 0);

	if (!to->place->n && !to->place->rn &&
	    (to->place->hook < UST_HOOK_SIGNALS || !a->process->trapping))
		return;
	if (!area_fits(&a->areas[0], at) ||
	    !patch_plan_trap(&to->patch, &to->site, at, a->areas[0].start)) {
		to->patch.way = PATCH_NONE;
		return;
	}
	area_take(&a->areas[0], &to->patch);
	to->patch.why = why;
}

static bool plan_all(struct arming *a)
{
	uint64_t records = records_size(a->n);
	uint64_t size = AREA_HEAD_MAX + 16 + room_of(a->n) + records;

	if (!new_area(a, low_end(a), a->lo + reach, a->hi + some_way(), size))
		return false;
	/* a punned jump may leave a gap before its trampoline */
	a->areas[0].reserved = records;
	for (size_t i = 0, n; i < a->n; i += n)
		n = plan(a, &a->v[i]) || !(n = share(a, &a->v[i])) ? 1 : n;
	a->waiting = 0;
	for (size_t i = 0; i < a->n; i++)
		a->waiting += a->v[i].patch.way == PATCH_NONE;
	/* from the last one on: a jump may end with one that ends with the next */
	for (size_t i = a->n; i-- > 0;) {
		if (a->v[i].patch.way != PATCH_NONE)
			continue;
		a->waiting--;
		if (!changed(a, &a->v[i]) && !pun(a, &a->v[i]) && !pun_with_next(a, &a->v[i]) &&
		    !plan_early(a, &a->v[i]))
			plan_trap(a, &a->v[i]);
	}
	return true;
}

/* ----------------------------------------------------------------- results */

static void fill_records(struct arming *a)
{
	struct ust_record *r = records_place(&a->areas[0], a->n);

	for (size_t i = 0; i < a->n; i++) {
		const struct place *p = a->v[i].place;

		record_fill(&r[i], &a->v[i].patch);
		r[i].semaphore = p->semaphore ? p->semaphore + a->bias : 0;
		r[i].turns = p->turns;
	}
}

void arming_collect(struct arming *a)
{
	struct patches *v = xrealloc(NULL, sizeof *v + a->n * sizeof v->v[0]);

	patches_put(a->patches);
	*v = (struct patches){.refs = 1};
	a->gated = a->trapped = false;
	for (size_t i = 0; i < a->n; i++) {
		struct patch *p = &a->v[i].patch;

		if (p->way == PATCH_NONE)
			continue;
		p->place = a->v[i].place->addr;
		p->gated = place_is_gated(a->v[i].place);
		a->gated |= p->gated;
		a->trapped |= p->way == PATCH_TRAP;
		v->v[v->n++] = *p;
	}
	a->patches = xrealloc(v, sizeof *v + v->n * sizeof v->v[0]);
}

const char *arming_plan(struct arming *a)
{
	find_targets(a);
	a->places = a->file->places;
	a->nplaces = a->file->n;
	if (a->n && !read_text(a))
		return "its code cannot be read";
	if (a->n && !plan_all(a))
		return "no free address range near its code";
	if (a->n)
		fill_records(a);
	arming_collect(a);
	return NULL;
}

void arming_reset(struct arming *a)
{
	for (size_t i = 0; i < a->nareas; i++)
		area_free(&a->areas[i]);
	patches_put(a->patches);
	free(a->areas);
	free(a->text);
	free(a->v);
	a->areas = NULL;
	a->patches = NULL;
	a->text = NULL;
	a->v = NULL;
	a->n = a->nareas = 0;
}
