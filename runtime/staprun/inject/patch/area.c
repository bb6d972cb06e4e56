/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for trampolines, near the code they belong to, because jumps and operands reach 2 GiB. It
 * is prepared here, then mapped and written at once.
 */
#include "inject/arch/arch.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/page.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Without randomisation libraries are close to the end of the address space (TASK_SIZE_MAX). */
static const uint64_t USER_END = 0x7ffffffff000;

static uint64_t align_up(uint64_t v) { return (v + 15) & ~15ull; }

bool area_begin(struct area_plan *a, struct maps *m, const struct ust_layout *layout, uint64_t lo,
		uint64_t hi, uint64_t near, uint64_t size)
{
	uint8_t head[AREA_HEAD_MAX];

	*a = (struct area_plan){.limit = page_up(size)};
	if (hi > USER_END)
		hi = USER_END;
	a->start = maps_gap(m, lo, hi, near, a->limit);
	if (!a->start)
		return false;
	maps_add(m, a->start, a->limit);
	a->bytes = calloc(1, a->limit);
	a->used = area_head(head, a->start, a->limit, layout);
	return a->bytes;
}

uint64_t area_next(const struct area_plan *a, uint64_t min)
{
	uint64_t at = align_up(a->start + a->used);

	return align_up(min > at ? min : at);
}

struct ust_record *records_place(struct area_plan *a, size_t n)
{
	uint64_t at = area_next(a, 0);

	a->records = at;
	a->nrecords = (uint32_t)n;
	a->used = at - a->start + n * sizeof(struct ust_record);
	return (struct ust_record *)(a->bytes + (at - a->start));
}

bool area_fits(const struct area_plan *a, uint64_t at)
{
	return at >= a->start && at - a->start + STUB_BYTES + a->reserved <= a->limit;
}

void area_take(struct area_plan *a, const struct patch *p)
{
	int32_t d = (int32_t)(p->stub - (p->pad + PAD_BYTES));
	struct ust_point point;

	if (p->pad)
		jump_put(a->bytes + (p->pad - a->start), d);
	memcpy(a->bytes + (p->at - a->start), p->code, p->code_len);
	memcpy(&point, p->code, sizeof point);
	a->returns |= point.rn || point.hook;
	a->used = p->at - a->start + p->code_len;
}

/* Register the area for unwinders; without a free entry they have no rules for it. */
static void announce(const struct blob *b, const struct tracee *t, const struct area *a)
{
	uint64_t at = b->base + offsetof(struct ust_process, areas);
	uint64_t at_count = b->base + offsetof(struct ust_process, nareas);
	struct ust_area v[UST_AREAS];
	uint32_t i = 0, count, used;

	if (!tracee_read(t, at, v, sizeof v) || !tracee_read(t, at_count, &count, sizeof count))
		return;
	while (i < UST_AREAS && v[i].start)
		i++;
	if (i == UST_AREAS)
		return;
	v[i] = (struct ust_area){a->start, a->size, area_eh_frame_hdr()};
	used = i < count ? count : i + 1;
	at += i * sizeof *v;
	if (tracee_write(t, at + sizeof v->start, &v[i].size, sizeof v[i] - sizeof v->start) &&
	    tracee_write(t, at_count, &used, sizeof used))
		tracee_write(t, at, &v[i].start, sizeof v[i].start);
}

/* START first, because it was written last. */
static void revoke(const struct blob *b, const struct tracee *t, const struct area *a)
{
	uint64_t at = b->base + offsetof(struct ust_process, areas);
	const struct ust_area none = {0};
	struct ust_area v[UST_AREAS];

	if (!tracee_read(t, at, v, sizeof v))
		return;
	for (size_t i = 0; i < UST_AREAS; i++)
		if (v[i].start == a->start)
			tracee_write(t, at + i * sizeof *v, &none, sizeof none);
}

int area_commit(const struct injector *in, struct process *p, struct tracee *t,
		const struct area_plan *plan, uint64_t text)
{
	struct area a = {.start = plan->start, .size = page_up(plan->used), .text = text};
	uint8_t head[AREA_HEAD_MAX];
	int err = extent_enter(in, p, t, &a, plan);

	if (!err)
		err = remote_map(t, a.start, a.size, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (err)
		return err;
	memcpy(plan->bytes, head, area_head(head, a.start, a.size, &in->blob->made));
	if (!tracee_write(t, a.start, plan->bytes, plan->used)) {
		remote_syscall(t, SYS_munmap, (long)a.start, (long)a.size, 0, 0, 0, 0);
		return EIO;
	}
	p->areas = xrealloc(p->areas, (p->nareas + 1) * sizeof *p->areas);
	p->areas[p->nareas++] = a;
	/* a backtrace can start in any area, after a signal */
	if (plan->returns || in->blob->made.walks)
		announce(in->blob, t, &a);
	return 0;
}

static bool is_used(const struct tracee *t, const struct area *a)
{
	for (size_t i = 0; i < t->n; i++)
		if (thread_is_held(&t->v[i]) && tracee_pc(t, i) - a->start < a->size)
			return true;
	return false;
}

void areas_drop(const struct injector *in, struct process *p, struct tracee *t, uint64_t text)
{
	for (size_t i = 0; i < p->nareas;) {
		const struct area *a = &p->areas[i];

		if (a->text != text || is_used(t, a)) {
			i++;
			continue;
		}
		revoke(in->blob, t, a);
		remote_syscall(t, SYS_munmap, (long)a->start, (long)a->size, 0, 0, 0, 0);
		extent_forget(in, t, a);
		p->areas[i] = p->areas[--p->nareas];
	}
}

void area_free(struct area_plan *a)
{
	free(a->bytes);
	a->bytes = NULL;
}
