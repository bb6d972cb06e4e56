/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that execute one program, traced from their start (--follow). */
#ifndef USTAP_INJECT_PROCESS_PROGRAM_STARTS_H
#define USTAP_INJECT_PROCESS_PROGRAM_STARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct injector;
struct starts;

/* Attach to PID; false: it could not be traced, or has ended. */
typedef bool (*attach_fn)(void *arg, pid_t pid);

/* Descriptors that the tracer waits for: see starts_fd(). */
enum { STARTS_ASKED, STARTS_CHANGED, STARTS_FDS };

/* Watch for processes that execute PATH, a file that exists. Never NULL. */
struct starts *starts_open(struct injector *in, const char *path);
/* No exec waits for the tracer any more; frees S. */
void starts_close(struct starts *s);
/* A descriptor that becomes readable when starts_take() has work; -1: not used. */
int starts_fd(const struct starts *s, int which);
/* Seize the processes whose execs wait for that, and note changes of the file. May be called while
 * a process is being stopped. */
void starts_take(struct starts *s);
/* Milliseconds until starts_search() is due. */
int starts_wait(const struct starts *s);
/* Call FN with ARG for each untraced process that runs the program, if that is due. */
void starts_search(struct starts *s, attach_fn fn, void *arg);
/* True if PID runs the program. */
bool starts_runs(const struct starts *s, pid_t pid);
/* Warn of processes that ran before they were traced. */
void starts_report(const struct starts *s);

#endif
