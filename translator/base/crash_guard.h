/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damaged or truncated file ends in an error also where a library crashes on it. */
#ifndef USTAP_BASE_CRASH_GUARD_H
#define USTAP_BASE_CRASH_GUARD_H

/* From now on a crash is an error of the file PATH, which may be damaged; NULL: it is a crash
 * again. */
void guard_reading(const char *path);
/* From now on a mapped file that its owner truncates is an error that names it. */
void guard_mappings(void);

#endif
