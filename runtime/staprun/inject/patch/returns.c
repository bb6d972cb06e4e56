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
#include "base/proc_stat.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The process's pagemap, or -1: see Documentation/admin-guide/mm/pagemap.rst. */
static int open_pagemap(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/%d/pagemap", (int)proc_live_thread(pid));
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* True unless no page of the SIZE bytes at ADDR was ever written: the table is private memory
 * without a file. Reading such pages takes a fault for each. */
static bool was_written(int pagemap, uint64_t addr, size_t size)
{
	enum { PAGE_BITS = 12, PAGES = CHUNK * sizeof(struct ust_slot) >> PAGE_BITS };
	const uint64_t present_or_swapped = 3ull << 62;
	uint64_t pages[PAGES + 1], first = addr >> PAGE_BITS,
				   n = ((addr + size - 1) >> PAGE_BITS) - first + 1;

	if (pread(pagemap, pages, n * sizeof *pages, (off_t)(first * sizeof *pages)) !=
	    (ssize_t)(n * sizeof *pages))
		return true;
	for (uint64_t i = 0; i < n; i++)
		if (pages[i] & present_or_swapped)
			return true;
	return false;
}

/* Read chunk number I of N entries, unless none of them was ever used. */
static void read_chunk(const struct table *table, struct returns *r, int pagemap, uint64_t i,
		       uint64_t n)
{
	struct ust_slot *to = table->v + i * CHUNK;
	uint64_t from = table->at + i * CHUNK * sizeof *to;

	if (!r->read[i] && !was_written(pagemap, from, n * sizeof *to))
		return;
	r->read[i] = true;
	if (!tracee_read(table->t, from, to, n * sizeof *to))
		memset(to, 0, n * sizeof *to);
}

/* Read the table; nearly all entries have never been used. */
static void read_table(const struct table *table, struct returns *r)
{
	int pagemap = open_pagemap(table->t->pid);
	uint64_t n = table->mask + 1;

	for (uint64_t i = 0; i * CHUNK < n; i++)
		read_chunk(table, r, pagemap, i, n - i * CHUNK < CHUNK ? n - i * CHUNK : CHUNK);
	if (pagemap >= 0)
		close(pagemap);
}

void returns_free(struct returns *r)
{
	free(r->v);
	free(r->read);
}

void returns_give_back(struct returns *r, const struct injector *in, const struct process *p,
		       const struct tracee *t)
{
	const struct ust_layout *a = &in->blob->made;
	uint64_t n = a->slots_mask + 1;
	struct table table = {p, t, a->slots, a->slots_mask, r->v};

	if (!r->v) {
		table.v = r->v = xcalloc(n, sizeof *r->v);
		r->read = xcalloc(n / CHUNK + 1, sizeof *r->read);
	}
	read_table(&table, r);
	r->stale = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!r->read[i / CHUNK]) {
			i |= CHUNK - 1;
			continue;
		}
		if (!is_live(&r->v[i]) || r->v[i].key & NUMBER)
			continue;
		r->seen = true;
		r->stale += !give_back(&table, &r->v[i]);
	}
}
