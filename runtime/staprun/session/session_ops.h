/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Session: a script that staprun controls, in the kernel or in traced processes. */
#ifndef STAPRUN_SESSION_SESSION_OPS_H
#define STAPRUN_SESSION_SESSION_OPS_H

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

/* A script that this process controls: no other process reads its output or sends it commands. */
struct session {
	const struct session_kind *kind;
	char name[NAME_SIZE];
	int dir; /* kernel: /proc/ustap/NAME */
	int ctl; /* readable when the status has changed; -1 */
	struct user_session *user;
	bool merge_incomplete; /* --merge: a file or a value is missing in the result */
	uint64_t merge_time;   /* ... and the time of the newest file */
};

/* Operations that differ between the runtimes; see the functions of these names. */
struct session_kind {
	bool (*status)(const struct session *s, struct ust_status *st);
	int (*command)(const struct session *s, const struct ust_cmd *cmd);
	void (*connect)(const struct session *s, struct stream *stream);
	void (*gone)(const struct session *s);
	/* Set a global before the start: returns 0 or errno, see UST_CMD_SET. */
	int (*set)(const struct session *s, const char *name, const char *value, int64_t number,
		   bool is_number);
	/* The function merge() of struct ust_agent; of the kernel runtime only for UST_MERGE_SEND
	 * and _RELOAD. */
	int (*merge)(const struct session *s, unsigned op, char *line, const char **why);
	bool (*remove)(struct session *s);
};
extern const struct session_kind session_kernel, session_user;

/* Read the status of the script; false: it is gone. */
bool session_status(const struct session *s, struct ust_status *st);
/* Returns 0 or an errno, ECANCELED after a message; blocks while begin or end probes run. */
int session_command(const struct session *s, enum ust_cmd_op op, unsigned flags, pid_t target);
/* merge_files.c: merge the files of --merge. False: the run cannot start. */
bool merge_files(struct session *s, const struct options *o);
/* merge_files.c: prepare for --reload, and take the globals of the script that this one replaces.
 * False after a message. */
bool reload_set_up(struct session *s, const struct options *o);
/* Connect STREAM to its CPU's records, if that CPU can have any. */
void session_connect(const struct session *s, struct stream *stream);
/* Report that session_status() has failed with errno while the script should run. */
void session_report_lost(const struct session *s);
/* Close the descriptors; the script stays. Any thread may see them as -1 afterwards. */
void session_close(struct session *s);
/* Unload the script, after the session was closed. False after a message. */
bool session_remove(struct session *s);

/* session_kernel.c: the caller of staprun owns the modules that it loaded, and may attach to them
 * and remove them later; root may do so with all. False after a message. */
bool session_open(struct session *s, const char *name, bool loaded_by_us);
/* Find the loaded module WANT: by its name, or by another instance of the same script if there is
 * only one. False after a message. */
bool session_find(const char *want, char name[NAME_SIZE]);
/* Print one line for each loaded module of ustap to standard output. */
void session_list(void);

/* kallsyms.c: pass the addresses of kernel functions to a script that requests them, if
 * permitted. */
void kallsyms_send(const struct session *s);

/* session_user.c: load the script and start the tracer, before the command is forked. False after a
 * message; call session_remove() in any case. */
bool session_load(struct session *s, const struct options *o);
/* Process id of the tracer; 0 without one. */
pid_t session_tracer(const struct session *s);
/* Warn if process PID, which is traced, will lose privileges that executing PROGRAM grants. */
void session_warn_privilege(const struct session *s, pid_t pid, const char *program);
/* True if the script has sites in code. */
bool session_has_sites(const struct session *s);
/* Types of records that the script never writes, 1 << enum ust_rec_type; and the user that its
 * commands run as. */
unsigned session_refused(const struct session *s, const struct options *o);
/* The user that runs commands of system(): not root if a traced process could have written them. */
struct runner session_runner(const struct session *s, const struct options *o);

/* ---------------------------------------------------------- module_params.c */

/* True if TEXT has the form NAME=VALUE. */
bool module_param_check(const char *text);
/* Parse all of TEXT as an integer. */
bool module_param_number(const char *text, int64_t *n);
/* Set the script's globals. False after a message. */
bool module_params_set(struct session *s, const struct options *o);

#endif
