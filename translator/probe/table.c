/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The families of probe points: each is an array in a file of its own, ended by an empty kind. */
#include "probe.h"

const struct probe_kind *const probe_families[] = {
	probe_basics,   probe_timers,       probe_functions,
	probe_callees,  probe_statements,   probe_absolutes,
	probe_plts,     probe_marks,        probe_process_events,
	probe_procfs,   probe_datas,        probe_netfilters,
	probe_perfs,    probe_insns,        probe_kernels,
	probe_kmodules, probe_kernel_lines, probe_syscalls,
	NULL,
};
