/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that a script is for. */
#ifndef USTAP_BASE_KERNEL_TARGET_H
#define USTAP_BASE_KERNEL_TARGET_H

/* base/kernel_target.c: the kernel that GIVEN, of -r, means, a release or a directory of headers;
 * NULL: the running one.  build, the directory of its headers, may be NULL. */
struct kernel_target {
	const char *release, *build;
};
struct kernel_target kernel_target(const char *given);
const char *running_release(void);

#endif
