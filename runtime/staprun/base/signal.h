/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals to staprun, and commands that it does not wait for. */
#ifndef STAPRUN_BASE_SIGNAL_H
#define STAPRUN_BASE_SIGNAL_H

#include <pthread.h>
#include <stdbool.h>

/* ----------------------------------------------------------------- signal.c */

enum signal_effect {
	SIGNAL_IGNORED,
	SIGNAL_ENDS,
	SIGNAL_SWITCHES /* begin another output file, as -S does */
};

/* What staprun does when SIG comes. */
enum signal_effect signal_effect(int sig);
/* Block all signals but those of job control, and return a descriptor that reads those with an
 * effect; -1 (errno) on failure. */
int signals_take(void);
/* In the command: as they were when staprun was called. */
void signals_restore(void);
/* A signal that ends a blocking call of a thread and does nothing else. */
void signals_allow_interrupt(void);
void signals_interrupt(pthread_t thread);

/* ------------------------------------------------------------- background.c */

/* Who runs the commands of system(). */
struct runner {
	bool other; /* not the caller of staprun, but: */
	unsigned uid, gid;
};

/* Let a shell run LINE; nobody waits for it. */
void command_in_background(const char *line, const struct runner *as);

#endif
