/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The families of probe points; each file here defines some, table.c lists them. */
#ifndef PROBE_H
#define PROBE_H

#include "ustap.h"

/* For probes without sites: @defined() is never true in P's body.  False, after
 * errors, if it uses target variables. */
bool target_forbid(struct probe *p);

/* What in BODY, or in the functions that it calls, walks the stack of the program or names its
 * addresses; or NULL. */
const struct node *stack_call(struct node *body);

/* Variables of a system call that begins, that ends. */
bool call_variable(const struct node *n, struct access *out, struct var_error *err);
bool return_variable(const struct node *n, struct access *out, struct var_error *err);

extern const struct probe_kind probe_begin, probe_end, probe_error, probe_never;
extern const struct probe_kind probe_timers[]; /* ends with an empty one */
extern const struct probe_kind probe_absolutes[2], probe_callees[4], probe_functions[9],
	probe_marks[2], probe_statements[4], probe_plts[4];
enum { PROCFS_KINDS = 12 };
extern const struct probe_kind probe_procfs[PROCFS_KINDS];
enum { DATA_KINDS = 6 };
extern const struct probe_kind probe_datas[DATA_KINDS];
enum { NETFILTER_KINDS = 4 };
extern const struct probe_kind probe_netfilters[NETFILTER_KINDS];
enum { PERF_KINDS = 10 };
extern const struct probe_kind probe_perfs[PERF_KINDS];
extern const struct probe_kind probe_lives[6], probe_insns[2];
extern const struct probe_kind probe_kernel_lines[14];
extern const struct probe_kind probe_kernels[14], probe_kmodules[7], probe_syscalls[6];

#endif
