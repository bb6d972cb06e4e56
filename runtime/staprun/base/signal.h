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
	SIGNAL_RELOADS, /* SIGHUP after signals_reload() */
	SIGNAL_SWITCHES /* switches to the next output file, for -S */
};

/* The action of staprun on SIG. */
enum signal_effect signal_effect(int sig);
/* Block all signals except those of job control, and return a descriptor that reads those with an
 * effect; -1 with errno set on failure. */
int signals_take(void);
/* SIGHUP reloads the script from now on, instead of ending the run. CONTINUED: this run continues
 * one whose signals_before() was BLOCKED. Call before signals_take(). */
void signals_reload(bool continued, unsigned long long blocked);
/* The signals that were blocked before signals_take(), as a mask. */
unsigned long long signals_before(void);
/* Restore the dispositions with which staprun was started, for a program that it executes, but not
 * the mask: signals stay pending until that program takes them. */
void signals_hand_over(void);
/* In the command: restore the state with which staprun was started. */
void signals_restore(void);
/* Permit a signal that interrupts a blocking call of a thread and has no other effect. */
void signals_allow_interrupt(void);
/* Make a system call of THREAD that waits return with EINTR. */
void signals_interrupt(pthread_t thread);

/* ------------------------------------------------------------- background.c */

/* The user that runs the commands of system(). */
struct runner {
	bool other; /* not the caller of staprun, but: */
	unsigned uid, gid;
};

/* Run LINE by a shell, without waiting for it. */
void command_in_background(const char *line, const struct runner *as);

#endif
