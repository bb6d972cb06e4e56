/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of staprun. */
#ifndef STAPRUN_OPTIONS_H
#define STAPRUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct format;

enum action {
	ACT_RUN,
	ACT_ATTACH,
	ACT_REMOVE,
	ACT_LIST,
	ACT_REPORT,
	ACT_PERMIT,
	ACT_LIST_RUNS,
	ACT_CLEANUP,
	ACT_CHOOSE,
	ACT_HELP,
	ACT_VERSION
};

/* --reloaded: what this run takes over from the one that it replaces; descriptors, 0: none. */
struct reloaded {
	int globals;     /* records, as of --globals */
	int output;      /* the file of -o, of which it is number FILES */
	unsigned files;  /* of -S */
	int script, old; /* this script; and the former one, to go back to if this one fails */
	int status;      /* exit status of the former run */
	bool ends;       /* a signal has requested the end meanwhile */
	unsigned long long mask;     /* signals that were blocked before the first run */
	unsigned long long stopped;  /* ns of CLOCK_MONOTONIC: since then no probe is armed */
	const char *path, *old_path; /* names of the two scripts; NULL: a run as any other */
};

/* One field for each row of options.def that has one, and those set by its other rows; all are 0 by
 * default, except ready_fd. */
struct options {
#define FIELD_FLAG(field)         bool field;
#define FIELD_TEXT(field)         const char *field;
#define FIELD_NUMBER(field, most) unsigned field;
#define FIELD_CALL(x)
#define STAPRUN_OPTION(name, letter, value, how, ...) FIELD_##how
#define BOTH_OPTION(name, letter, value, how, ...)    FIELD_##how
#include "options/options.def"
	enum action action;
	const char *module;         /* file, or name of a loaded module */
	const char *const *choices; /* --choose: files */
	size_t nchoices;
	const char *cleanup; /* process id or module name */
	pid_t *pids;         /* -x */
	size_t npids;
	const char **merge; /* --merge: files */
	size_t nmerge;
	char *const *given; /* NAME=VALUE */
	size_t ngiven;
	const struct format *format;      /* --output */
	const char *report, *report_file; /* --report: "tap" or "junit"; the file or NULL */
	unsigned file_mb, files;          /* -S; 0: one file; all are kept */
	int ready_fd;                     /* --ready-fd; -1 */
	struct reloaded reloaded;
	bool own; /* set by a policy: only processes of the caller */
};

/* False, after a message, if the options are invalid. */
bool parse_options(struct options *o, int argc, char **argv);
/* Reject options that the user runtime does not support. False after a message. */
bool options_fit_user(const struct options *o);
/* Print --help to standard output. */
void print_help(void);

#endif
