/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that a script is for. */
#ifndef USTAP_BASE_KERNEL_TARGET_H
#define USTAP_BASE_KERNEL_TARGET_H

/* base/kernel_target.c: the kernel that GIVEN, of -r, means, a release or a directory of headers;
 * NULL: the running one.  build, the directory of its headers, may be NULL. */
struct kernel_target {
	const char *release, *build;
};
/* The kernel that -r GIVEN selects: a release, or a build directory if it contains '/'. Without
 * GIVEN (NULL), the directory in USTAP_KERNEL_BUILD, else the running kernel. .build is NULL if
 * that directory does not exist. Texts are in the arena or constant. */
struct kernel_target kernel_target(const char *given);
/* The running kernel's release, as from uname -r; "" after an error. In static memory. */
const char *running_release(void);

#endif
