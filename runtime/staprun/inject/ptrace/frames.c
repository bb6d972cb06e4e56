/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that the kernel has written to the stacks of stopped threads for signals. */
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "wire_agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACK_SEARCH = 64 << 10 };

/* A signal frame on the stack, from the program counter on. */
static bool is_frame(const uint64_t *v) { return v[0] > UST_PAGE && is_frame_state(v); }

void frames_visit(const struct tracee *t, size_t i, frame_fn fn, void *arg)
{
	static uint64_t v[STACK_SEARCH / sizeof(uint64_t)];
	uint64_t sp = tracee_sp(t, i) & -(uint64_t)8;
	size_t n = tracee_read_some(t, sp, v, sizeof v) / sizeof *v;

	for (size_t k = 0; k + 3 <= n; k++)
		if (is_frame(v + k))
			fn(arg, sp + k * sizeof *v, v[k]);
}
