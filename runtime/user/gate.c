/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: conditions of probes. The loader disarms probes behind a gate that has been false for a
 * while, and marks the gate closed before; a thread that makes the condition of a closed gate true
 * requests that it be opened, and waits for that after releasing its locks. So the probe is armed
 * for everything that this thread does next.
 */
#include "user.h"

_Static_assert(sizeof(struct ust_gate) == sizeof(struct ust_gate_state) &&
		       __builtin_offsetof(struct ust_gate, closed) ==
			       __builtin_offsetof(struct ust_gate_state, closed),
	       "wire.h");

/* Once until the loader has looked. */
static void tell_loader(void)
{
	if (!READ_ONCE(shared.gates_moved) &&
	    !__atomic_exchange_n(&shared.gates_moved, 1, __ATOMIC_SEQ_CST))
		ring_doorbell();
}

void ust_gate_turn(struct ust_gate *g, _Bool on)
{
	__atomic_store_n(&g->on, on, __ATOMIC_SEQ_CST);
	if (!on)
		tell_loader();
}

static bool some_wait(void)
{
	u32 i;

	for (i = 0; i < ust_program.ngates; i++)
		if (READ_ONCE(ust_program.gates[i].on) &&
		    __atomic_load_n(&ust_program.gates[i].closed, __ATOMIC_SEQ_CST))
			return true;
	return false;
}

void ust_gates_open(struct ust_hit *hit)
{
	if (likely(!some_wait()))
		return;
	if (hit->mode == MODE_PROBE)
		request_gates();
	else
		tell_loader();
}

void gates_begin(void)
{
	struct ust_hit hit = {.mode = MODE_ALONE};

	if (ust_program.gates_evaluate)
		ust_program.gates_evaluate(&hit);
}
