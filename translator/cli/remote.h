/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of `ustap --remote': hosts, what they are sent, and their output. */
#ifndef USTAP_CLI_REMOTE_H
#define USTAP_CLI_REMOTE_H

#include <stdio.h>
#include <sys/types.h>
#include "options.h"

/* ----------------------------------------------------------- remote_lines.c */

/* The lines of a stream of a host: LONGEST_LINE bounds what is kept of an incomplete one. */
enum { LONGEST_LINE = 256 << 10 };
struct remote_lines {
	char *text; /* allocated by malloc() */
	size_t n, cap;
	bool skips;             /* the rest of the current line is too long */
	uint64_t dropped_bytes; /* of lines that were too long, or not complete */
};

/* Read once from FD, which has data, and call TAKE with each complete line, without its end. False
 * at the end of the stream. */
bool remote_lines_read(struct remote_lines *l, int fd,
		       void (*take)(void *arg, const char *line, size_t n), void *arg);
/* At the end of a stream: take an incomplete line if WHOLE, else count it; free the memory. */
void remote_lines_end(struct remote_lines *l, bool whole,
		      void (*take)(void *arg, const char *line, size_t n), void *arg);
/* Write N bytes of TEXT; with ESCAPE, control characters other than tabs as \xNN. */
void remote_line_print(FILE *out, const char *text, size_t n, bool escape);

/* --------------------------------------------------------- remote_program.c */

/* A host, as it describes itself. */
struct remote_system {
	const char *release, *machine;
	bool root; /* the login has user id 0 */
};

/* The shell program that receives and runs the bundle on host NUMBER, with the name NAME. NONCE
 * begins its lines about itself. */
const char *remote_program(const struct session *s, const char *name, size_t number,
			   const char *nonce);
/* The command of ssh that executes PROGRAM from standard input, in any login shell. */
const char *remote_command(const char *program);
/* Parse the line that the program prints first; false: it is not this line. */
bool remote_greeting(const char *line, size_t n, const char *nonce, struct remote_system *out);
/* True for the line of output that precedes the globals, for --merge. */
bool remote_globals_follow(const char *line, size_t n, const char *nonce);
/* --interval: where the mark of staprun begins in a line of messages, whose start may be that of
 * another line; NULL: it has no mark. ENDS: the text behind it ends a line. */
const char *remote_marked(const char *line, size_t n, const char *nonce, bool *ends);
/* Parse the line that the program prints last; false: it is not this line. */
bool remote_farewell(const char *line, size_t n, const char *nonce, int *status);

/* ----------------------------------------------------------- remote_build.c */

/* A bundle for hosts of one kind. */
struct remote_build {
	const char *release; /* NULL: the user runtime */
	enum { BUILD_WAITS, BUILD_RUNS, BUILD_READY, BUILD_FAILED } state;
	int (*compile)(struct session *s); /* prints the path of the artifact */
	text_vec artifacts;                /* one for each --sysroot, else one */
	pid_t child;
	int out;                   /* reads the path of the artifact; -1 */
	struct strbuf path;        /* of the artifact, as far as it was read */
	const char *archive_start; /* "SIZE SHA256\n", which the program reads first */
	const char *archive;       /* mapped */
	size_t size;
};
typedef VEC(struct remote_build *) remote_builds;

/* The build for hosts of this kind, new if ALL has no such build; NULL, with the reason in *WHY, if
 * scripts cannot be built for them. */
struct remote_build *remote_build_for(remote_builds *all, const struct session *s,
				      const struct remote_system *system, const char **why);
/* Start the first build that waits, unless one runs. COMPILE prints the path of the artifact. */
void remote_build_start(remote_builds *all, struct session *s, int (*compile)(struct session *s));
/* Read from the child of B, which has data; at its end start the next one or pack the bundle. */
void remote_build_read(struct remote_build *b, struct session *s);

/* ------------------------------------------------------------ remote_host.c */

struct remote_host {
	const char *name;
	size_t number; /* from 1 on */
	enum {
		HOST_WAITS,    /* not connected yet */
		HOST_CONNECTS, /* ssh runs; no greeting yet */
		HOST_BUILDS,   /* waits for its bundle */
		HOST_COPIES,
		HOST_RUNS,
		HOST_LEAVES, /* the program has ended; ssh has not */
		HOST_ENDED
	} state;
	pid_t ssh;
	bool exited; /* ssh, with this status of waitpid(2) */
	int ssh_status;
	int in, out, err; /* of ssh; -1: closed */
	struct remote_lines output, messages;
	const char *program; /* sent first */
	struct remote_build *build;
	size_t sent;      /* of the program, then of the bundle */
	int64_t deadline; /* ms; 0: none */
	bool finished;    /* STATUS is that of the run */
	int status;
	const char *failure; /* the first error; NULL */
	char *last_message;  /* the last line of standard error; malloc() */
	bool unbuilt;        /* the failure is that of the compile */
	FILE *globals;       /* file of the globals that it sends for --merge; NULL: closed */
	const char *merged;  /* path of that file once it is complete; NULL */
	size_t globals_size;
	struct {
		const char *next, *last; /* files of the set that is being received, and of the
					  * last complete one; NULL: none yet */
		FILE *file;              /* of the former; NULL: it is closed */
		size_t size;
		bool mid_line;
		bool complete; /* there is a complete set, */
		bool fresh;    /* ... which is not merged yet */
		int64_t time;  /* ms: ... and which arrived then */
	} interval;
	struct remote_text { /* malloc() */
		char *s;
		size_t n;
	} begun;          /* start of a message that marked lines have interrupted */
	bool held_line;   /* an empty line of output is not printed yet */
	uint64_t printed; /* lines of output */
	bool held_empty;  /* an empty line of standard error is not printed yet */
};

struct remote_run {
	struct session *s;
	const char *nonce;
	FILE *output;
	bool escapes; /* the output goes to a terminal */
	VEC(struct remote_host *) hosts;
	remote_builds builds;
	arg_vec ssh; /* the first words of its command line */
	int64_t patience_ms;
	const struct remote_build *merger; /* that runs the end probes of --merge; NULL */
	int64_t merge_due;                 /* ms: --interval; 0: no host has sent anything new */
	int64_t merge_next;                /* ms: not before that time */
	arg_vec merge_words;               /* command line of staprun, which each merge */
	size_t merge_options;              /* ... uses up to here, since runs may last for weeks */
	size_t merged;                     /* number of hosts whose globals were merged last */
	int interrupts, signal; /* number of signals that ended the run, and the last one */
	int output_error;       /* errno of writing the output */
};

/* ----------------------------------------------------------- remote_merge.c */

/* Start to store the globals of H in a file; reports an error. */
void remote_globals_begin(struct remote_host *h);
/* Store a line of them, of N bytes without its newline. */
void remote_globals_add(struct remote_host *h, const char *line, size_t n);
/* Close the file, if there is one; reports an error. */
void remote_globals_end(struct remote_host *h);
/* --interval: take N bytes of text behind a mark of H, which end a line if ENDS. True at the end of
 * a complete set. */
bool remote_globals_marked(struct remote_host *h, const char *text, size_t n, bool ends);
/* Run the end probes on what the hosts sent last, if that is due at the time NOW. */
void remote_merge_interval(struct remote_run *r, int64_t now);
/* Run the end probes on the globals of all hosts that completed the run, and with --interval on the
 * last ones of lost hosts, at the time NOW; returns the exit status. */
int remote_merge(struct remote_run *r, int64_t now);

/* ------------------------------------------------------------ remote_host.c */

int64_t remote_now(void); /* ms */
/* Start ssh. */
void remote_host_connect(struct remote_run *r, struct remote_host *h);
/* Act on the events of one of the host's descriptors. */
void remote_host_read(struct remote_run *r, struct remote_host *h, bool messages);
/* Write to the host's standard input, if remote_host_writes(). */
void remote_host_write(struct remote_run *r, struct remote_host *h);
/* True if there is something to write. */
bool remote_host_writes(const struct remote_host *h);
/* End the run on the host: by SIGNAL where it has begun. */
void remote_host_stop(struct remote_run *r, struct remote_host *h, const char *signal);
/* Kill ssh; FAILURE is the reason unless there is one. */
void remote_host_give_up(struct remote_host *h, const char *failure);
/* Act on time: deadlines, builds that are ready, the end of ssh. */
void remote_host_check(struct remote_run *r, struct remote_host *h);

#endif
