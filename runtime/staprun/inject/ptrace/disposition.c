/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal dispositions of a stopped process, read and changed through its own system calls. */
#include "inject/ptrace/ptrace.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { MASK_SIZE = 8 };

bool disposition_get(struct tracee *t, int sig, struct ust_disposition *to)
{
	uint64_t at = remote_scratch(t, sizeof *to);

	return at && !remote_syscall(t, SYS_rt_sigaction, sig, 0, (long)at, MASK_SIZE, 0, 0) &&
	       tracee_read(t, at, to, sizeof *to);
}

bool disposition_set(struct tracee *t, int sig, const struct ust_disposition *a)
{
	uint64_t at = remote_scratch(t, sizeof *a);

	return at && tracee_write(t, at, a, sizeof *a) &&
	       !remote_syscall(t, SYS_rt_sigaction, sig, (long)at, 0, MASK_SIZE, 0, 0);
}
