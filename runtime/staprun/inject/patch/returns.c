/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaced return addresses of a stopped process: restores them from its table of slots (see
 * runtime/user/probes/return_slots.c).
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14, NUMBER = (1 << UST_SLOT_CHAIN_BITS) - 1 };

bool areas_hold(const struct process *p, uint64_t addr)
{
	for (size_t i = 0; i < p->nareas; i++)
		if (addr - p->areas[i].start < p->areas[i].size)
			return true;
	return false;
}

/* ---------------------------------------------------------------- the table */

struct table {
	const struct process *p;
	const struct tracee *t;
	uint64_t at, mask;  /* address, number of entries - 1 */
	struct ust_slot *v; /* a copy */
};

static bool is_live(const struct ust_slot *e)
{
	return e->key && !(e->key & (UST_SLOT_DEAD | UST_SLOT_BUSY));
}

static const struct ust_slot *find(const struct table *table, uint64_t key)
{
	for (uint64_t i = 0; i < UST_SLOT_PROBES; i++) {
		const struct ust_slot *e = &table->v[((key >> UST_SLOT_SHIFT) + i) & table->mask];

		if ((e->key & ~(uint64_t)UST_SLOT_STATES) == key)
			return is_live(e) ? e : NULL;
		if (!e->key)
			return NULL;
	}
	return NULL;
}

/* ---------------------------------------------------------------- give back */

/*
 * Final target of the chain that starts with FIRST: the caller's address, or one of another run
 * that probes the same function; 0 if unknown. The table is not changed, because another run may be
 * about to return to this one's trampoline.
 */
static uint64_t beyond(const struct table *table, const struct ust_slot *first)
{
	uint64_t key = first->key & ~(uint64_t)UST_SLOT_STATES, ret = 0;

	for (uint64_t i = first->count; i; i--) {
		const struct ust_slot *e = i > 1 ? find(table, key | (i - 1)) : first;

		if (!e)
			return 0;
		ret = e->ret;
		if (!areas_hold(table->p, ret))
			return ret;
	}
	return 0;
}

/* Restore the stack slot of FIRST. False: it does not hold the address that this run wrote. */
static bool give_back(const struct table *table, const struct ust_slot *first)
{
	uint64_t slot = first->key >> UST_SLOT_CHAIN_BITS, now, ret;

	if (!tracee_read(table->t, slot, &now, sizeof now) || now != first->now ||
	    !areas_hold(table->p, now))
		return false;
	ret = beyond(table, first);
	return ret && tracee_write(table->t, slot, &ret, sizeof ret);
}

static bool is_zero(const struct ust_slot *v, size_t n)
{
	const char *bytes = (const char *)v;

	return !bytes[0] && !memcmp(bytes, bytes + 1, n * sizeof *v - 1);
}

/* Read N entries; nearly all of them have never been used. */
static void read_table(const struct table *table, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += CHUNK) {
		size_t some = n - i < CHUNK ? n - i : CHUNK;

		if (!tracee_read(table->t, table->at + i * sizeof *table->v, table->v + i,
				 some * sizeof *table->v))
			memset(table->v + i, 0, some * sizeof *table->v);
	}
}

void returns_give_back(struct returns *r, const struct injector *in, const struct process *p,
		       const struct tracee *t)
{
	const struct ust_layout *a = &in->blob->made;
	uint64_t n = a->slots_mask + 1;
	struct table table = {p, t, a->slots, a->slots_mask, r->v};

	if (!r->v)
		table.v = r->v = xrealloc(NULL, n * sizeof *r->v);
	read_table(&table, n);
	r->stale = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (i % CHUNK == 0 && n - i >= CHUNK && is_zero(&r->v[i], CHUNK)) {
			i += CHUNK - 1;
			continue;
		}
		if (!is_live(&r->v[i]) || r->v[i].key & NUMBER)
			continue;
		r->seen = true;
		r->stale += !give_back(&table, &r->v[i]);
	}
}
