/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to standard error, memory for text, and the clock. */
#ifndef STAPRUN_BASE_MESSAGE_H
#define STAPRUN_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- message.c */

extern int verbose;
extern bool no_warnings; /* -w: of the script, and of probes that cannot be placed */
extern bool explaining;  /* --explain */

/* All print one line to standard error and return false (say() returns nothing). */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Replace control characters other than tabs by `?'.  Names of files and functions come from traced
 * programs, and a terminal obeys what it is sent. */
void mask_controls(char *text, size_t len);
/* What would mend the failure above it. */
bool hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Only with -v. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What messages begin with. */
void messages_from(const char *program);
/* The beginning of what was said. */
const char *messages_so_far(void);
/* Keep what is said from now on for messages_take(), which calls FN for each, in order. */
void messages_keep(void);
void messages_take(void (*fn)(void *arg, const char *level, const char *text), void *arg);

void *xrealloc(void *p, size_t size);
char *xstrndup(const char *s, size_t n);

/* ------------------------------------------------------------------ clock.c */

uint64_t clock_ns(void); /* CLOCK_MONOTONIC */

#endif
