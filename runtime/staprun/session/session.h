/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script that staprun holds, in the kernel or in traced processes. */
#ifndef STAPRUN_SESSION_SESSION_H
#define STAPRUN_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/exit_status.h"
#include "base/signal.h"
#include "wire.h"

struct options;

/* --------------------------------------------------------------- session*.c */

struct stream;
struct user_session;

/* A script that this process holds: nobody else reads it or gives it orders. */
struct session {
	const struct session_kind *kind;
	char name[NAME_SIZE];
	int dir; /* kernel: /proc/ustap/NAME */
	int ctl; /* readable when the status changed; -1 */
	struct user_session *user;
};

/* What differs between runtimes; see the functions of these names. */
struct session_kind {
	bool (*status)(const struct session *s, struct ust_status *st);
	int (*command)(const struct session *s, const struct ust_cmd *cmd);
	void (*connect)(const struct session *s, struct stream *stream);
	void (*gone)(const struct session *s);
	/* Before the start: 0 or errno, see UST_CMD_SET. */
	int (*set)(const struct session *s, const char *name, const char *value, int64_t number,
		   bool is_number);
	bool (*remove)(struct session *s);
};
extern const struct session_kind session_kernel, session_user;

bool session_status(const struct session *s, struct ust_status *st);
/* 0 or an errno, ECANCELED: a message was printed; blocks while begin or end probes run. */
int session_command(const struct session *s, enum ust_cmd_op op, unsigned flags, pid_t target);
/* Let STREAM read its CPU's records, if there can be any. */
void session_connect(const struct session *s, struct stream *stream);
/* Say that session_status() has failed, as errno tells, while the script was to run. */
void session_gone(const struct session *s);
void session_close(struct session *s);
/* Unload the script, once closed.  False after a message. */
bool session_remove(struct session *s);

/* session_kernel.c: the caller of staprun owns what staprun loaded for him, and may attach to it
 * and remove it later; root may with all.  False after a message. */
bool session_open(struct session *s, const char *name, bool loaded_by_us);
/* The loaded module that WANT means: its name, or that of another load of the same
 * script if there is only one.  False after a message. */
bool session_find(const char *want, char name[NAME_SIZE]);
/* One line for each loaded module of ustap, to standard output. */
void session_list(void);

/* kallsyms.c: hand over where the kernel's functions are, as far as we may know, if the script
 * wants that. */
void kallsyms_send(const struct session *s);

/* session_user.c: load the script and start the process that traces, before the command is forked.
 * False after a message; session_remove() in any case. */
bool session_load(struct session *s, const struct options *o);
pid_t session_tracer(const struct session *s);
/* Warn if process PID, which is traced, will lose privileges that executing PROGRAM gives. */
void session_warn_privilege(const struct session *s, pid_t pid, const char *program);
/* Types of records that the script never writes, 1
 * << enum ust_rec_type; and who runs its commands. */
unsigned session_refused(const struct session *s);
struct runner session_runner(const struct session *s, const struct options *o);

/* ---------------------------------------------------------- module_params.c */

/* Is TEXT of the form NAME=VALUE? */
bool module_param_check(const char *text);
/* Is all of TEXT a number? */
bool module_param_number(const char *text, int64_t *n);
/* Give the script's globals their values.  False after a message. */
bool module_params_set(struct session *s, const struct options *o);

#endif
