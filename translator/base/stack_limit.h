/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of this process. */
#ifndef USTAP_BASE_STACK_LIMIT_H
#define USTAP_BASE_STACK_LIMIT_H

#include <pthread.h>

/*
 * Raise the limit to what nested scripts and debug information need, as far as the hard limit
 * permits it. It holds at once for the main thread (the kernel looks at it when the stack grows),
 * and for programs that are started. Returns the limit in KiB if that is too low; else 0.
 */
unsigned long long stack_limit_raise(void);
/* The limit as it was: for programs that do not belong to ustap. */
void stack_limit_restore(void);

/* pthread_create() with a stack of the size wanted: the default is the limit that the process had
 * when it began. Returns 0 or an error number. */
int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);

#endif
