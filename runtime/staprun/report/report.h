/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports beside the output: globals while the script runs, test points, deaths, untraced
 * processes. */
#ifndef STAPRUN_REPORT_REPORT_H
#define STAPRUN_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "wire_records.h"

struct options;
struct session;

/* ---------------------------------------------------------------- monitor.c */

/* NAME: of the script; NULL: that of its module. */
struct view *monitor_new(const struct session *s, const char *name);
/* Free V; NULL is allowed. */
void monitor_free(struct view *v);
/* Add a row with a copy of PP. */
void monitor_count(struct view *v, const struct ust_count *c, const char *pp);
/* Add text about globals; without text the view is complete and is shown. */
void monitor_text(struct view *v, const char *text, size_t len);
/* From now on keys are read, so show which. */
void monitor_take_keys(struct view *v);
/* Handle the keys TEXT, as a terminal sends them. False: one of them ends the run. */
bool monitor_keys(struct view *v, const char *text, size_t len);
/* True if a key has made an order for the script; monitor_order() takes it, for UST_CMD_VIEW. */
bool monitor_has_order(struct view *v);
bool monitor_order(struct view *v, unsigned *flags, int *target);

/* ------------------------------------------------------------ test_report.c */

/* Begin to measure the time of the run. */
void test_report_begin(void);
/* Record a test point; WHY: reason of a failure. */
void test_report_point(bool ok, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Record an error of the script, as a reason. */
void test_report_add_error(const char *text, size_t len);
/* The texts of test_report_add_error(), "" without any. */
const char *test_report_errors(void);
/* False after a message. */
bool test_report_write(const struct options *o);

/* ------------------------------------------------------------------ death.c */

enum { PROCESS_NAME = 17 }; /* the kernel's comm with a newline */
/* Name of process PID without control characters; NAME does not change if it cannot be read. */
void process_name(pid_t pid, char name[PROCESS_NAME]);
/* Name of an exited process, to which FD, a pidfd, refers: its id may have been reused. */
void death_name(pid_t pid, int fd, char name[PROCESS_NAME]);
/* Wait status of process PID, which has exited; FD is a pidfd of it. False: the kernel does not
 * report it. */
bool death_status(pid_t pid, int fd, int *status);
/* Warn, once for each process, if STATUS, as of wait(2), is death by a signal. Any thread. */
void death_warn(pid_t pid, const char *name, int status);
/* Expect deaths by SIG, which staprun received or sent. */
void deaths_expect(int sig);
/* Has death_warn() warned? */
bool deaths_have_warned(void);

/* -------------------------------------------------------- untraced_report.c */

/* Note that process PID, which is not traced, has run the probed program PATH of LEN bytes. Any
 * thread, any number of times. */
void untraced_report_add(pid_t pid, const char *path, size_t len);
/* Note that no traced process has mapped any of N probed files, of which PATH of LEN bytes is the
 * first. */
void unmapped_report_set(const char *path, size_t len, unsigned n);
/* Print the warnings about untraced processes at the end of a run, with --follow if FOLLOWED. True
 * if nothing is reported. */
bool untraced_report_warn(bool followed);
/* Print the warning about files that no traced process has mapped. */
void unmapped_report_warn(void);

#endif
