/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that a process can still take before the kernel ends a program to free some. */
#ifndef USTAP_STAPRUN_MEMORY_ROOM_H
#define USTAP_STAPRUN_MEMORY_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct memory_room {
	uint64_t bytes; /* an estimate; UINT64_MAX: no limit is known */
	bool machine;   /* the machine's; false: that of a control group of the process */
};

/* The least room of the control groups of PID, one within the other, and of the machine; only as
 * exact as is necessary to compare it with NEED bytes. Page cache and what fits into swap count as
 * free, since the kernel reclaims both first. Groups that this process cannot see are taken for
 * unlimited. */
struct memory_room memory_room(pid_t pid, uint64_t need);

/* Exposed for tests. The same for the control group whose files are in the directory DIR, of
 * version 1 or 2 of control groups; SWAP: bytes of free swap space of the machine. */
uint64_t memory_room_of_group(const char *dir, int version, uint64_t swap, uint64_t need);
/* If LINE of a mountinfo file is the mount of VERSION's control groups of memory: set ROOT to the
 * directory of the hierarchy that is mounted, and POINT to where. Both have PATH_MAX bytes. */
bool memory_group_mount(const char *line, int version, char *root, char *point);
/* If LINE of a process's cgroup file names its group in VERSION's hierarchy for memory: its path,
 * within LINE; otherwise NULL. */
const char *memory_group_path(const char *line, int version);

#endif
