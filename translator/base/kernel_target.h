/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that a script is for. */
#ifndef USTAP_BASE_KERNEL_TARGET_H
#define USTAP_BASE_KERNEL_TARGET_H

#include <stdbool.h>

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
/* Does K->build hold what kbuild needs, or only what a removed package left? */
bool kernel_has_headers(const struct kernel_target *k);
/* Debian's package of the headers of the kernel RELEASE; in the arena. */
const char *kernel_headers_package(const char *release);
/* Debian's package of the debug information of the kernel RELEASE; in the arena. */
const char *kernel_debug_package(const char *release);

#endif
