/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: conditions of the script's probes; see gate.c of runtime/user. process/gated_text.c brings
 * the code of processes into the state that they require. All sites are patched at first. A gate
 * that has been false for a while is closed: the original code is restored at sites whose probes
 * are all behind closed gates. A gate that becomes true is opened at once, because a thread waits
 * for it. A gate that changes often is closed after a longer delay, which limits the work.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/gate.h"
#include "inject/patch/patched_file.h"
#include "base/message.h"
#include "wire_agent.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static const uint64_t delay_min = 20000000, delay_max = 5000000000, retry_ns = 20000000;
enum { OFTEN = 10 }; /* a gate that reopens before so many times its delay was closed in vain */

/* The loader's own record of a gate: shared memory may hold any value. */
struct gate {
	bool closed;
	uint64_t off_since, closed_at, delay; /* ns; 0: the condition is true */
};

static struct ust_gate_state *shared(const struct injector *in)
{
	return (struct ust_gate_state *)in->blob->made.gates;
}

static bool is_on(const struct injector *in, uint32_t i)
{
	return __atomic_load_n(&shared(in)[i].on, __ATOMIC_SEQ_CST);
}

static void mark(const struct injector *in, uint32_t i, bool closed)
{
	in->gates[i].closed = closed;
	__atomic_store_n(&shared(in)[i].closed, closed, __ATOMIC_SEQ_CST);
}

void gates_init(struct injector *in)
{
	in->ngates = in->blob->made.ngates;
	in->gates = in->ngates ? calloc(in->ngates, sizeof *in->gates) : NULL;
	if (!in->gates)
		in->ngates = 0;
	for (uint32_t i = 0; i < in->ngates; i++)
		in->gates[i].delay = delay_min;
	in->gates_due = ~0ull;
}

void gates_armed(struct injector *in)
{
	for (uint32_t i = 0; i < in->ngates; i++)
		in->gates_stale |= in->gates[i].closed;
}

bool place_is_open(const struct injector *in, const struct place *p)
{
	for (uint16_t i = 0; i < p->ngates; i++)
		if (p->gates[i] >= in->ngates || !in->gates[p->gates[i]].closed)
			return true;
	return !place_is_gated(p);
}

/* ------------------------------------------------------------------- gates */

/* Returns true if the gate is to be opened. */
static bool see_on(const struct injector *in, uint32_t i, uint64_t now)
{
	struct gate *g = &in->gates[i];

	g->off_since = 0;
	if (!g->closed)
		return false;
	if (now - g->closed_at < OFTEN * g->delay)
		g->delay = 2 * g->delay < delay_max ? 2 * g->delay : delay_max;
	else
		g->delay = delay_min;
	return true;
}

/* Returns true if the gate is to be closed, and marks it. */
static bool see_off(const struct injector *in, uint32_t i, uint64_t now, uint64_t *due)
{
	struct gate *g = &in->gates[i];

	if (g->closed)
		return false;
	if (!g->off_since)
		g->off_since = now;
	if (now - g->off_since < g->delay) {
		*due = g->off_since + g->delay < *due ? g->off_since + g->delay : *due;
		return false;
	}
	mark(in, i, true);
	g->closed_at = now;
	/* it may have been set by a thread that did not see the mark */
	if (!is_on(in, i))
		return true;
	mark(in, i, false);
	return false;
}

bool gates_decide(struct injector *in)
{
	bool opened = false, changed = in->gates_stale;
	uint64_t now = clock_ns(), *due = &in->gates_due;

	*due = ~0ull;
	__atomic_store_n(&in->blob->shared->gates_moved, 0, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < in->ngates; i++) {
		if (!is_on(in, i)) {
			changed |= see_off(in, i, now, due);
		} else if (see_on(in, i, now)) {
			in->gates[i].closed = false;
			opened = true;
		}
	}
	return opened || changed;
}

void gates_settle(struct injector *in, bool all)
{
	uint64_t retry = clock_ns() + retry_ns;

	in->gates_stale = !all;
	if (in->gates_stale && retry < in->gates_due)
		in->gates_due = retry;
	for (uint32_t i = 0; i < in->ngates; i++)
		mark(in, i, in->gates[i].closed);
	in->gates_turned = true;
}

unsigned gates_count_disarmed(const struct injector *in)
{
	unsigned n = 0;

	for (size_t i = 0; i < in->nfiles && in->ngates; i++)
		for (size_t k = 0; k < in->files[i]->n; k++) {
			const struct place *p = &in->files[i]->places[k];

			if (p->armed && !place_is_open(in, p))
				n += p->n + p->rn;
		}
	return n;
}
