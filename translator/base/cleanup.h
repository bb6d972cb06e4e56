/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end ustap. */
#ifndef USTAP_BASE_CLEANUP_H
#define USTAP_BASE_CLEANUP_H

/*
 * From now on SIGHUP, SIGINT, SIGPIPE, SIGTERM and SIGXCPU, unless they are ignored, remove the
 * temporary directory before they end the process, and a write beyond the limit of a file's size
 * fails with EFBIG. Programs that this process executes do not inherit any of it.
 */
void clean_at_signals(void);

#endif
