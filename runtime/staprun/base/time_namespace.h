/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAPRUN_BASE_TIME_NAMESPACE_H
#define STAPRUN_BASE_TIME_NAMESPACE_H

#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds by which CLOCK_MONOTONIC of process PID is ahead of this process's: not 0 in another
 * time namespace (time_namespaces(7)). 0 if unknown. */
int64_t time_namespace_offset(pid_t pid);

#endif
