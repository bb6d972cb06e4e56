/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records on their way to the output: read, named, counted, written. */
#ifndef STAPRUN_OUTPUT_OUTPUT_H
#define STAPRUN_OUTPUT_OUTPUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/signal.h"
#include "wire.h"

struct hits;
struct session;
struct stream;

/* ------------------------------------------------------------ frame_names.c */

struct names; /* looks up the names that marks ask for (UST_NAME_MARK) */

/*
 * KEY is that of the script's marks. NULL: the script makes none, or the process cannot be
 * started. Forks, so that the caller must not have other threads yet.
 */
struct names *names_start(uint64_t key);
/*
 * Replace the marks in *TEXT, of *LEN bytes. If there are any, *TEXT is then valid until the
 * next call.
 */
void names_resolve(struct names *n, const char **text, size_t *len);
/* End the process; answers that are cached remain. */
void names_end_reader(struct names *n);
void names_stop(struct names *n);

/*
 * name_reader.c: requests to the process of frame_names.c. One with a descriptor offers a file,
 * which is number FILE afterwards if it has that build-id; one without asks for the function
 * at ADDR.
 */
enum { NAME_FILES = 256, NAME_MAX = 1024 };
struct name_request {
	uint32_t file, raw;
	uint64_t addr;
	char build_id[136];
};
struct name_answer {
	uint64_t found, start, size;
	char name[NAME_MAX];
};
/* Answer requests of SOCKET until it ends. */
void name_reader_main(int socket) __attribute__((noreturn));

/* ----------------------------------------------------------------- output.c */

struct output {
	int fd;
	const char *path; /* NULL: standard output */
	const char *name; /* for messages */
	uint64_t limit;   /* bytes after which another file begins, PATH.1 after PATH.0; 0: none */
	unsigned keep, number; /* files kept at most (0: all); of this one */
	uint64_t written;      /* bytes into it */
	char *buf;
	size_t used;
	int error;             /* errno of the write that failed; then all is thrown away */
	uint64_t discarded;    /* bytes */
	atomic_bool switching; /* another file was asked for */
	atomic_bool *give_up;  /* set by another thread: stop waiting for whoever reads us */
	bool no_warnings;
	FILE *counts;      /* --counts, or NULL */
	bool reported;     /* some count was printed */
	struct view *view; /* --monitor, or NULL */
	const struct format *format;
	bool opened;         /* the format has begun */
	struct parts *parts; /* parts.c's own */
	struct hits *told;   /* kept for the end: --explain, --expect-hits; or NULL */
	unsigned refused; /* types of records that this script never writes: 1 << enum ust_rec_type
			   */
	bool forged;      /* one of these came */
	struct runner runner; /* of commands of system() */
	struct names *names;  /* of frames; or NULL */
};

/* PATH NULL: standard output.  False after a message. */
bool output_open(struct output *o, const char *path);
void output_record(struct output *o, const struct ust_rec *rec);
void output_text(struct output *o, const char *text);
void output_bytes(struct output *o, const char *text, size_t len);
/* A warning or an error of the script for the user, to standard error. */
void output_message(struct output *o, bool warning, const char *text, size_t len);
/* What was said meanwhile becomes a part of the output, if its format has a place for that. */
void output_messages(struct output *o);
/* The end of what the format makes; ST and LOST tell how it went. */
void output_end(struct output *o, const struct ust_status *st, uint64_t lost);
void output_flush(struct output *o);
/* From any thread: begin the next of several files (-S), as soon as there is something to write. */
void output_switch(struct output *o);
/* Between writes: end the output if it is a pipe whose reader has ended after it got some of it. */
void output_watch_reader(struct output *o);
/* Was a part of the output not written?  Not so where its reader ended. */
bool output_lost(const struct output *o);
bool output_close(struct output *o);

/* ----------------------------------------------------------------- counts.c */

/* PATH may be NULL.  Both false after a message. */
bool counts_open(struct output *o, const char *path);
bool counts_close(struct output *o);
void counts_record(struct output *o, const struct ust_rec *rec);

/* ----------------------------------------------------------------- reader.c */

struct reader {
	pthread_t thread;
	const struct session *session;
	struct output *out;
	struct stream *streams;
	unsigned n;
	bool from_start;       /* the first record has number 0, else we came later */
	uint64_t newest, late; /* time of the last record written; records older than that */
	int wake, event;       /* eventfds: to the thread, and from it when these change: */
	atomic_bool finish;    /* asked to write all that is left and end */
	atomic_bool give_up;   /* asked not to wait for a blocked output */
	atomic_bool failed;    /* output failed */
	atomic_bool ended;
};

/* False after a message. */
bool reader_start(struct reader *r, const struct session *s, struct output *out, unsigned ncpu,
		  bool from_start);
void reader_finish(struct reader *r);
/* What a blocked output does not take is lost.  Repeat until the thread has ended. */
void reader_give_up(struct reader *r);
/* Once it has ended. */
void reader_join(struct reader *r);
void reader_free(struct reader *r);
uint64_t reader_gaps(const struct reader *r);
bool reader_damaged(const struct reader *r);

#endif
