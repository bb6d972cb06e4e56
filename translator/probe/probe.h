/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The families of probe points; each file here defines some, table.c lists them. */
#ifndef PROBE_H
#define PROBE_H

#include "sema/program.h"

/* For probes without sites: @defined() is never true in P's body.  False, after
 * errors, if it uses target variables. */
bool target_forbid(struct session *s, struct probe *p);

enum { CALL_ARGUMENTS = 6 }; /* of a system call */
/* Variables of a system call that begins, that ends. */
bool call_variable(const struct node *n, struct access *out, struct var_error *err);
/* The same at the return of the system call. */
bool return_variable(const struct node *n, struct access *out, struct var_error *err);

extern const struct probe_kind probe_absolutes[], probe_basics[], probe_callees[], probe_datas[],
	probe_functions[], probe_insns[], probe_kernel_lines[], probe_kernels[], probe_kmodules[],
	probe_process_events[], probe_marks[], probe_netfilters[], probe_perfs[], probe_plts[],
	probe_procfs[], probe_statements[], probe_syscalls[], probe_timers[];

#endif
