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
	long at = remote_scratch(t, sizeof *to);

	return at > 0 && !remote_syscall(t, SYS_rt_sigaction, sig, 0, at, MASK_SIZE, 0, 0) &&
	       tracee_read(t, (uint64_t)at, to, sizeof *to);
}

bool disposition_set(struct tracee *t, int sig, const struct ust_disposition *a)
{
	long at = remote_scratch(t, sizeof *a);

	return at > 0 && tracee_write(t, (uint64_t)at, a, sizeof *a) &&
	       !remote_syscall(t, SYS_rt_sigaction, sig, at, 0, MASK_SIZE, 0, 0);
}
