/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the backends: what building is for both of them. */
#ifndef USTAP_BACKEND_BACKEND_H
#define USTAP_BACKEND_BACKEND_H

#include "session.h"

/* Cache entries that were not used for this many days are removed. */
enum { UNUSED_DAYS = 30 };

/* Fill in WHY; false. */
bool refuse(struct unusable *why, enum errtag tag, const char *msg, const char *hint);
/* lossless.c: false with --lossless if a probe prints and the kernel runtime cannot wait in it. */
bool lossless_fits(const struct session *s, struct unusable *why);
/* Write the N bytes of TEXT to PATH; false after an error. */
bool write_text(const char *path, const char *text, size_t n);
/* Report that COMMAND failed with its output in the file LOG. */
void report_failure(const char *what, const char *log);
/* The same for a step of a build, WHAT, with its STATUS of run_command(). */
void report_failed_step(const char *what, int status, const char *log);
/* Report the compiler's errors of embedded C, which LOG shows; HINT follows errors about names
 * that only the kernel has. False if LOG has no errors of embedded C. */
bool report_embedded(const struct session *s, const char *log, const char *hint);
/* Take file NAME of the cache entry ENTRY as the artifact; false if it is not there. */
bool artifact_cached(struct session *s, const char *entry, const char *name);
/* Take the file BUILT as the artifact, and cache it below SUB.  False after an error. */
bool artifact_keep(struct session *s, const char *sub, const char *entry, const char *built,
		   const char *name);
/* Compiler options: list the headers that embedded C includes in the file headers_rule().  NULL: no
 * embedded C, which ends the list of options. */
const char *headers_option(const struct session *s);
const char *headers_rule(const struct session *s);
/* The file to be cached beside an artifact that was just compiled: its NAME and its contents
 * LIST, or NULL. False: the artifact cannot be cached, as a header changed meanwhile. */
bool headers_keep(const struct session *s, const char **name, const char **list);
/* Are the headers those that the cached artifact of ENTRY was compiled with? */
bool headers_same(const struct session *s, const char *entry);
/* -m NAME: a copy of the artifact in the current directory. The copy itself is never run. False
 * after an error. */
bool artifact_copy(struct session *s, const char *suffix);
/* Bytes of STACK, as messages name it, that one function may take, and a handler with all that it
 * calls. */
struct stack_limits {
	const char *stack;
	unsigned frame, chain;
};
/* Do the functions in OBJECT, compiled with -fstack-usage, keep to LIMITS? False after an error.
 * Sets s->stack. */
bool stack_check(struct session *s, const char *object, const struct stack_limits *limits);

#endif
