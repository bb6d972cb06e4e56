/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose code a process has mapped. */
#ifndef USTAP_BASE_PROC_MAPS_H
#define USTAP_BASE_PROC_MAPS_H

#include <stdint.h>
#include "util.h"

struct mapped_code {
	uint64_t start, end, offset; /* addresses; of START in the file */
	const char *path;            /* by which ustap opens the file */
	const char *replaced; /* path from which it was deleted, or where a newer file is now;
			       * NULL: PATH is still the file */
};
typedef VEC(struct mapped_code) mapped_vec;

/* Code that process PID has mapped, by address. Its /proc/PID/maps has the paths of another mount
 * namespace, or of another root than the one that the process has now. Files that have been deleted
 * or replaced since are opened through /proc/PID; files that ustap cannot reach are left out. */
void mapped_code(int64_t pid, mapped_vec *out);
/* The file that process PID has mapped and means by NAME: a path that it sees or, if it has changed
 * its root, saw; or the last part of the path of a library or of its program. NULL: none. */
const char *mapped_by_name(int64_t pid, const char *name);

#endif
