/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to standard error, memory that cannot run out, and the clock. */
#ifndef STAPRUN_BASE_MESSAGE_H
#define STAPRUN_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- message.c */

extern int verbose;
extern bool no_warnings;  /* -w: of the script, and of probes that cannot be armed */
extern bool explain_mode; /* --explain */

/* All print one line to standard error and return false (say() returns nothing). */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print an error with the program's name in front; control characters are masked. Returns false,
 * for callers to return. */
bool fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* True if byte I of TEXT is of a control character: C0, DEL, and C1 in UTF-8 (C2 80 to C2 9F) or
 * as a single byte of other encodings. */
bool is_control(const char *text, size_t i, size_t len);
/* Replace control characters other than tabs by `?'. Names of files and functions come from traced
 * programs, and terminals interpret control characters. */
void mask_controls(char *text, size_t len);
/* The remedy for the failure printed before. */
bool hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print a warning in the same way. */
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Printed only with -v. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Set the prefix of messages. */
void messages_from(const char *program);
/* The first messages printed. */
const char *messages_text(void);
/* Record messages from now on for messages_take(), which calls FN for each, in order. */
void messages_keep(void);
void messages_take(void (*fn)(void *arg, const char *level, const char *text), void *arg);

/* realloc() that exits with EXIT_LOAD if there is no memory. */
void *xrealloc(void *p, size_t size);
/* calloc() that exits as xrealloc(). */
void *xcalloc(size_t n, size_t size);
/* A copy of N bytes of S with a NUL, to be freed by the caller; exits as xrealloc(). */
char *xstrndup(const char *s, size_t n);

/* ------------------------------------------------------------------ clock.c */

uint64_t clock_ns(void); /* CLOCK_MONOTONIC */

#endif
