/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that ustap runs. */
#ifndef USTAP_BASE_SUBPROCESS_H
#define USTAP_BASE_SUBPROCESS_H

#include <sys/types.h>

char *find_in_path(const char *name); /* absolute path by $PATH, or NULL */
/* Path of a program that ustap runs, NULL if it is not found; for root one that no other user
 * can change. */
char *find_tool(const char *name);
/* Run argv (no shell); stdout+stderr to LOG if not NULL.  Exit status, or 128+signal; 127 or 126
 * for a program that cannot be started, with the reason in LOG.  Root's programs have an
 * environment that does not depend on root's. */
int run_command(const char *const argv[], const char *cwd, const char *log);
/* The same; WATCH is called with ARG ten times a second until the command ends. */
int run_watched(const char *const argv[], const char *log, void (*watch)(void *arg), void *arg);
/* Send SIGNO to the command that run_command() or run_watched() waits for; for signal handlers. */
void command_kill(int signo);
/* Standard output of a child process that calls RUN with ARG; NULL if RUN does not return 0, or if
 * the child cannot be made. */
char *child_output(int (*run)(void *arg), void *arg);
/* Start a child process that calls RUN with ARG, and exits with its result: its pid, and a
 * descriptor of its standard output in *OUT; -1 if that fails. */
pid_t child_start(int (*run)(void *arg), void *arg, int *out);
/* Start argv in a session of its own, with pipes for its standard input, output and error in FDS:
 * its pid, or -1. */
pid_t start_piped(const char *const argv[], int fds[3]);
/* Output of the command argv, standard error included; NULL if it fails. */
char *command_output(const char *const argv[]);

#endif
