/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that are in the agent. It calls one function outside of its own code, the clock of the
 * vDSO, always from the same instruction (ust_layout.clock_return).
 */
#define _GNU_SOURCE
#include "inject/elf/elf.h"
#include "inject/process/agent_code.h"
#include "base/proc_stat.h"

#include <errno.h>
#include <stddef.h>
#include <sys/uio.h>

/* Words of the stack that are searched: more than functions of the vDSO use. */
enum { CLOCK_WORDS = 64 };

static bool reads_clock(const struct blob *b, pid_t pid, uint64_t sp)
{
	uint64_t words[CLOCK_WORDS], page_end = (sp | (UST_PAGE - 1)) + 1;
	size_t first = page_end - sp < sizeof words ? page_end - sp : sizeof words;
	const struct iovec to = {words, sizeof words};
	const struct iovec from[] = {{(void *)sp, first}, {(void *)page_end, sizeof words - first}};
	ssize_t n = process_vm_readv(pid, &to, 1, from, 2, 0);

	if (n < 0 && errno == ESRCH) /* the main thread has ended */
		n = process_vm_readv(proc_live_thread(pid), &to, 1, from, 2, 0);
	for (ssize_t i = 0; i < n / (ssize_t)sizeof words[0]; i++)
		if (words[i] == b->made.clock_return)
			return true;
	return false;
}

bool agent_runs(const struct blob *b, pid_t pid, uint64_t pc, uint64_t sp)
{
	return pc - b->text < b->text_size || reads_clock(b, pid, sp);
}
