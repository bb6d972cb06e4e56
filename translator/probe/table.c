/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every kind of probe point that there is. */
#include "probe/probe.h"

const struct probe_kind *const probe_kinds[] = {
	&probe_begin,
	&probe_end,
	&probe_error,
	&probe_never,
	&probe_timers[0], &probe_timers[1], &probe_timers[2], &probe_timers[3], &probe_timers[4],
	&probe_timers[5], &probe_timers[6], &probe_timers[7], &probe_timers[8], &probe_timers[9],
	&probe_timers[10], &probe_timers[11], &probe_timers[12], &probe_timers[13], &probe_timers[14],
	&probe_timers[15], &probe_timers[16], &probe_timers[17], &probe_timers[18], &probe_timers[19],
	&probe_timers[20], &probe_timers[21],
	&probe_functions[0], &probe_functions[1], &probe_functions[2], &probe_functions[3],
	&probe_functions[4], &probe_functions[5], &probe_functions[6], &probe_functions[7],
	&probe_functions[8],
	&probe_callees[0], &probe_callees[1], &probe_callees[2], &probe_callees[3],
	&probe_statements[0], &probe_statements[1], &probe_statements[2], &probe_statements[3],
	&probe_absolutes[0], &probe_absolutes[1],
	&probe_plts[0], &probe_plts[1], &probe_plts[2], &probe_plts[3],
	&probe_marks[0], &probe_marks[1],
	&probe_lives[0], &probe_lives[1], &probe_lives[2], &probe_lives[3], &probe_lives[4], &probe_lives[5],
	&probe_procfs[0], &probe_procfs[1], &probe_procfs[2], &probe_procfs[3], &probe_procfs[4], &probe_procfs[5],
	&probe_procfs[6], &probe_procfs[7], &probe_procfs[8], &probe_procfs[9], &probe_procfs[10], &probe_procfs[11],
	&probe_insns[0], &probe_insns[1],
	&probe_kernels[0], &probe_kernels[1], &probe_kernels[2], &probe_kernels[3], &probe_kernels[4],
	&probe_kernels[5], &probe_kernels[6], &probe_kernels[7], &probe_kernels[8],
	&probe_kmodules[0], &probe_kmodules[1], &probe_kmodules[2], &probe_kmodules[3],
	&probe_kmodules[4],
	&probe_syscalls[0], &probe_syscalls[1], &probe_syscalls[2], &probe_syscalls[3],
	NULL,
};
