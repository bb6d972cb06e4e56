/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing code, in runs of adjacent pages, and moving threads out of code that changes. */
#include "inject/arch/regs.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/page.h"
#include "wire_agent.h"
#include "bisect.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ patches */

void patches_put(struct patches *v)
{
	if (v && !--v->refs)
		free(v);
}

/* The last patch that starts at or before ADDR. */
static const struct patch *last_before(const struct patches *v, uint64_t addr)
{
	size_t lo = BISECT(mid, v->n, v->v[mid].addr <= addr);

	return lo ? &v->v[lo - 1] : NULL;
}

const struct patch *patches_at(const struct patches *v, uint64_t addr)
{
	const struct patch *p = last_before(v, addr);

	return p && addr - p->addr < p->len ? p : NULL;
}

/* -------------------------------------------------------------------- text */

/* Patches on adjacent pages, and the bytes of these pages. */
struct stretch {
	size_t first, end;
	uint64_t start, size;
	uint8_t *bytes;
	bool *dirty; /* by page: changed in BYTES */
};

static uint64_t end_page(const struct patch *p)
{
	return page_down(p->addr + p->len - 1) + UST_PAGE;
}

static void next_stretch(struct stretch *r, const struct patches *v)
{
	uint64_t end;

	r->first = r->end;
	r->start = page_down(v->v[r->first].addr);
	for (end = r->start; r->end < v->n && page_down(v->v[r->end].addr) <= end; r->end++)
		if (end < end_page(&v->v[r->end]))
			end = end_page(&v->v[r->end]);
	r->size = end - r->start;
	r->bytes = xrealloc(r->bytes, r->size);
	r->dirty = xrealloc(r->dirty, r->size / UST_PAGE);
	memset(r->dirty, 0, r->size / UST_PAGE);
}

static void stretch_free(struct stretch *r)
{
	free(r->bytes);
	free(r->dirty);
}

/* Replace the SIZE bytes of code at ADDR by TEXT. */
static void put(struct stretch *r, uint64_t addr, const uint8_t *text, size_t size)
{
	uint64_t at = addr - r->start;

	memcpy(r->bytes + at, text, size);
	for (uint64_t page = at / UST_PAGE; page <= (at + size - 1) / UST_PAGE; page++)
		r->dirty[page] = true;
}

/* Write the pages that were changed; others remain those of the file, which take no memory. */
static bool write_dirty(const struct tracee *t, const struct stretch *r)
{
	size_t pages = r->size / UST_PAGE;
	bool all = true;

	for (size_t i = 0, n; i < pages; i += n) {
		for (n = 1; i + n < pages && r->dirty[i + n] == r->dirty[i]; n++)
			;
		all &= !r->dirty[i] || tracee_write(t, r->start + i * UST_PAGE,
						    r->bytes + i * UST_PAGE, n * UST_PAGE);
	}
	return all;
}

static const uint8_t *old_text(const struct patch *p, bool arm)
{
	return arm ? p->old_text : p->new_text;
}
static const uint8_t *new_text(const struct patch *p, bool arm)
{
	return arm ? p->new_text : p->old_text;
}

/*
 * A uprobe that another tool sets on a patch: the kernel writes a breakpoint over the jump's first
 * byte, runs the file's instruction instead, and goes on behind that, in the rest of the jump. When
 * it removes the uprobe it writes the file's first byte. Both are right once the rest has the
 * file's bytes, too. The breakpoint is not a debugger's, as this tracer is the only one. False: the
 * patch holds other bytes.
 */
static bool restore_rest(struct stretch *r, const struct patch *p)
{
	const uint8_t *text = r->bytes + (p->addr - r->start);

	if ((*text != BREAKPOINT && *text != *p->old_text) || *p->new_text == BREAKPOINT ||
	    memcmp(text + 1, p->new_text + 1, p->len - 1) != 0)
		return false;
	put(r, p->addr + 1, p->old_text + 1, p->len - 1);
	return true;
}

static void note_overwritten(struct overwritten *o, const struct patch *p)
{
	if (!o->n++)
		o->first = p->addr;
}

/* Change the patches in the bytes; returns the number of those that hold neither old nor new
 * code. Sites in O are those to restore that did not hold their patch. */
static size_t change(struct stretch *r, const struct patches *v, bool arm, struct overwritten *o)
{
	size_t others = 0;

	for (size_t i = r->first; i < r->end; i++) {
		const struct patch *p = &v->v[i];
		const uint8_t *text = r->bytes + (p->addr - r->start);

		if (p->way != PATCH_SHARED && !memcmp(text, old_text(p, arm), p->len)) {
			put(r, p->addr, new_text(p, arm), p->len);
		} else if (memcmp(text, new_text(p, arm), p->len) != 0) {
			/* shared ones are written with the site before, or not at all */
			note_overwritten(o, p);
			others += arm || p->way == PATCH_SHARED || !restore_rest(r, p);
		}
	}
	return others;
}

static size_t write_all(const struct tracee *t, const struct patches *v, bool arm,
			struct overwritten *o)
{
	struct stretch r = {0};
	size_t others = 0;

	while (r.end < v->n) {
		next_stretch(&r, v);
		if (!tracee_read(t, r.start, r.bytes, r.size)) {
			others += r.end - r.first;
			continue;
		}
		others += change(&r, v, arm, o);
		if (!write_dirty(t, &r))
			others += r.end - r.first;
	}
	stretch_free(&r);
	return others;
}

size_t text_arm(const struct tracee *t, const struct patches *v)
{
	struct overwritten o = {0};

	return write_all(t, v, true, &o);
}

size_t text_restore(const struct tracee *t, const struct patches *v, struct overwritten *o)
{
	return write_all(t, v, false, o);
}

static bool holds(const struct tracee *t, const struct patch *p)
{
	uint8_t there[PATCH_BYTES];

	return tracee_read(t, p->addr, there, p->len) && !memcmp(there, p->new_text, p->len);
}

/* Patch by patch where a part of the pages was unmapped. */
static bool stretch_holds_any(const struct tracee *t, const struct stretch *r,
			      const struct patches *v)
{
	bool all = tracee_read(t, r->start, r->bytes, r->size);

	for (size_t i = r->first; i < r->end; i++) {
		const struct patch *p = &v->v[i];

		if (all ? !memcmp(r->bytes + (p->addr - r->start), p->new_text, p->len)
			: holds(t, p))
			return true;
	}
	return false;
}

bool text_holds_any(const struct tracee *t, const struct patches *v)
{
	struct stretch r = {0};
	bool found = false;

	while (r.end < v->n && !found) {
		next_stretch(&r, v);
		found = stretch_holds_any(t, &r, v);
	}
	stretch_free(&r);
	return found;
}

enum { SAMPLES = 16 };

/* State of a sample of patches; a debugger may have changed some of them. Patches behind gates do
 * not count. */
struct sample {
	size_t n, armed, original;
};

static struct sample sample(const struct tracee *t, const struct patches *v)
{
	struct sample s = {0};
	uint8_t there[PATCH_BYTES];

	for (size_t i = 0; i < v->n; i += v->n / SAMPLES + 1) {
		const struct patch *p = &v->v[i];

		if (p->gated)
			continue;
		s.n++;
		if (!tracee_read(t, p->addr, there, p->len))
			continue;
		s.armed += !memcmp(there, p->new_text, p->len);
		s.original += !memcmp(there, p->old_text, p->len);
	}
	return s;
}

bool text_is_armed(const struct tracee *t, const struct patches *v)
{
	struct sample s = sample(t, v);

	return s.armed || !s.n;
}

bool text_is_original(const struct tracee *t, const struct patches *v)
{
	struct sample s = sample(t, v);

	return s.n && s.original == s.n;
}

/* ------------------------------------------------------------------ threads */

/* New address of a thread at PC; 0 if it does not change. */
static uint64_t moved(const struct patches *v, uint64_t pc)
{
	const struct patch *p = patches_at(v, pc);

	return p ? patch_move(p, pc) : 0;
}

bool text_holds_sleeper(const struct tracee *t, const struct patches *v)
{
	for (size_t i = 0; i < t->n; i++)
		/* the kernel may repeat the system call */
		if (t->v[i].asleep &&
		    (moved(v, tracee_pc(t, i)) || moved(v, tracee_pc(t, i) - SYSCALL_SIZE)))
			return true;
	return false;
}

struct mover {
	struct tracee *t;
	const struct patches *patches;
};

static void move_frame(void *arg, uint64_t at, uint64_t pc)
{
	const struct mover *m = arg;
	uint64_t to = moved(m->patches, pc);

	if (to)
		tracee_write(m->t, at, &to, sizeof to);
}

void text_move_threads(struct tracee *t, const struct patches *v)
{
	struct mover m = {t, v};

	for (size_t i = 0; i < t->n; i++) {
		uint64_t pc = tracee_pc(t, i), back = 0, to;

		if (!thread_is_held(&t->v[i]))
			continue;
		back = regs_restarts(&t->v[i].regs) ? SYSCALL_SIZE : 0;
		to = t->v[i].stopped ? moved(v, pc - back) : 0;
		if (to)
			tracee_set_pc(t, i, to + back);
		frames_visit(t, i, move_frame, &m);
	}
}
