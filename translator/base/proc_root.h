/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as another process sees them. */
#ifndef USTAP_BASE_PROC_ROOT_H
#define USTAP_BASE_PROC_ROOT_H

#include <stddef.h>
#include <stdint.h>

/* Id of a thread of process PID by which /proc shows its memory and files: PID, unless the main
 * thread has ended and others go on. */
int64_t process_thread(int64_t pid);
/* Prefix of paths that process PID sees: "/proc/PID/root", or "" if its root and mounts are the
 * same as ours. */
const char *process_root(int64_t pid);
/* the file that it runs; NULL (errno): it cannot be known */
const char *process_program(int64_t pid);
/* The prefix from process_root() that PATH begins with; "" if it has no such prefix. */
const char *path_root(const char *path);
/* Length of PATH, of N bytes as the kernel prints it, without the mark of a file that has been
 * deleted or replaced; N if it has no such mark. */
size_t unmarked_length(const char *path, size_t n);
/* The path by which a process has opened or mapped the file of the link PATH, in its /proc/PID; any
 * other PATH itself. */
const char *path_when_opened(const char *path);
/* PATH below ROOT without symbolic links, which
 * lead to places below ROOT; NULL: it is not there. */
const char *path_below(const char *root, const char *path);
/* --sysroot: paths of scripts are below DIR, and path_root() knows it. DIR is absolute. */
void sysroot_is(const char *dir);
const char *sysroot(void); /* "" without one */
/* PATH as the system in the sysroot has it. */
const char *path_in_sysroot(const char *path);
const char *path_real(const char *path); /* the same of one that may begin with a root; NULL */

#endif
