/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in the traced process (struct ust_record, struct ust_extent), from which a later run
 * removes the probes of a run whose tracer was killed.
 */
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

enum { MAP_MAX = sizeof((struct ust_record *)0)->map / sizeof *((struct ust_record *)0)->map };
_Static_assert(sizeof((struct ust_record *)0)->old_text == PATCH_BYTES, "wire.h");

/* ------------------------------------------------------------------ records */

uint64_t records_size(size_t n) { return 15 + n * sizeof(struct ust_record); }

void record_fill(struct ust_record *to, const struct patch *p)
{
	*to = (struct ust_record){.addr = p->addr};
	if (p->way == PATCH_NONE)
		return;
	to->stub = p->stub;
	to->pad = p->enter ? p->stub + p->enter : p->pad;
	to->lead = (uint8_t)p->lead;
	to->trap = p->way == PATCH_TRAP;
	to->shared = p->joined ? UST_JOINED : p->way == PATCH_SHARED;
	to->prefix = (uint8_t)p->prefix;
	to->len = (uint8_t)p->len;
	memcpy(to->old_text, p->old_text, p->len);
	for (unsigned i = 0; i < p->nmap && i < MAP_MAX; i++) {
		to->map[i].from = p->map[i].from;
		to->map[i].to = p->map[i].to;
		to->nmap++;
	}
}

/* A jump may be longer than the bytes it changes: its last bytes are the original ones. */
static void make_new_text(struct patch *p)
{
	uint64_t to = p->pad ? p->pad : p->stub + p->enter;
	int32_t d = (int32_t)(to - (p->addr + p->prefix + JUMP_BYTES));

	memset(p->new_text, BREAKPOINT, sizeof p->new_text);
	if (p->way == PATCH_TRAP)
		return;
	jump_put_behind(p->new_text, p->prefix, d);
}

/* The bytes that the jump of the site before has there; false: it does not reach there. */
static bool share_new_text(struct patch *p, const struct patch *before)
{
	uint64_t at = before ? p->addr - before->addr : 0;

	if (!at || at >= before->len || before->len - at != p->len)
		return false;
	p->way = PATCH_SHARED;
	memcpy(p->new_text, before->new_text + at, p->len);
	return true;
}

/* The jump of P is the end of the code of the site before; false: it is not within it. */
static bool join_new_text(struct patch *p, struct patch *before)
{
	uint64_t at = before ? p->addr - before->addr : 0;

	if (!at || at >= before->len || before->len - at != p->len)
		return false;
	make_new_text(p);
	p->way = PATCH_SHARED;
	p->joined = true;
	memcpy(before->new_text + at, p->new_text, p->len);
	return true;
}

bool record_read(const struct ust_record *from, struct patch *before, struct patch *to)
{
	*to = (struct patch){.way = from->trap ? PATCH_TRAP : PATCH_JUMP,
			     .addr = from->addr,
			     .stub = from->stub,
			     .pad = from->pad,
			     .prefix = from->prefix,
			     .len = from->len,
			     .nmap = from->nmap};
	if (!from->stub || !from->len || from->len > PATCH_BYTES || from->nmap > MAP_MAX ||
	    from->prefix > JUMP_PREFIXES ||
	    (from->lead && (from->shared || from->trap || from->pad - from->stub > STUB_BYTES)))
		return false;
	if (from->lead) {
		to->enter = (unsigned)(from->pad - from->stub);
		to->pad = 0;
		to->lead = from->lead;
	}
	memcpy(to->old_text, from->old_text, from->len);
	for (unsigned i = 0; i < to->nmap; i++) {
		to->map[i].from = (uint8_t)from->map[i].from;
		to->map[i].to = from->map[i].to;
	}
	if (from->shared == UST_JOINED)
		return join_new_text(to, before);
	if (from->shared)
		return share_new_text(to, before);
	make_new_text(to);
	return true;
}

/* A jump that is joined to another one may have others joined to itself. */
void records_join(struct patch *v, size_t n)
{
	for (size_t i = n; i-- > 1;)
		if (v[i].joined)
			memcpy(v[i - 1].new_text + (v[i].addr - v[i - 1].addr), v[i].new_text,
			       v[i].len);
}

/* ------------------------------------------------------------------ extents */

static uint64_t extent_at(const struct injector *in, uint32_t i)
{
	return in->blob->base + offsetof(struct ust_process, extents) +
	       i * sizeof(struct ust_extent);
}

static bool is_used(const struct process *p, uint32_t extent)
{
	for (size_t i = 0; i < p->nareas; i++)
		if (p->areas[i].extent == extent)
			return true;
	return false;
}

/* Extents with higher numbers may be based on changes of lower ones, so numbers are reused only
 * when all have been used. */
static uint32_t free_extent(const struct process *p)
{
	uint32_t i = p->nextents;

	if (i < UST_EXTENTS)
		return i;
	for (i = 0; i < UST_EXTENTS && is_used(p, i); i++)
		;
	return i;
}

int extent_enter(const struct injector *in, struct process *p, const struct tracee *t,
		 struct area *a, const struct area_plan *plan)
{
	const struct ust_extent e = {a->start, a->size, plan->records, plan->nrecords, 0};
	uint32_t i = free_extent(p), n = i < p->nextents ? p->nextents : i + 1;

	if (i == UST_EXTENTS)
		return ENOSPC;
	if (!tracee_write(t, extent_at(in, i), &e, sizeof e) ||
	    !tracee_write(t, in->blob->base + offsetof(struct ust_process, nextents), &n, sizeof n))
		return EIO;
	a->extent = i;
	a->records = plan->nrecords;
	p->nextents = n;
	return 0;
}

void extent_forget(const struct injector *in, const struct tracee *t, const struct area *a)
{
	const struct ust_extent none = {0};

	tracee_write(t, extent_at(in, a->extent), &none, sizeof none);
}

void extent_raised(const struct injector *in, const struct process *p, const struct tracee *t,
		   uint64_t text)
{
	const uint32_t raised = 1;

	for (size_t i = 0; i < p->nareas; i++)
		if (p->areas[i].text == text && p->areas[i].records)
			tracee_write(t,
				     extent_at(in, p->areas[i].extent) +
					     offsetof(struct ust_extent, raised),
				     &raised, sizeof raised);
}
