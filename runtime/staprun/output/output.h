/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output pipeline: reads records, resolves names, counts hits, and writes. */
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
#include "wire_records.h"

struct frames;
struct hits;
struct metrics_box;
struct session;
struct stream;

/* ------------------------------------------------------------ frame_names.c */

struct names; /* resolves marks to names (UST_NAME_MARK) */

/*
 * KEY is that of the script's marks. NULL: the script writes none, or the process cannot be
 * started. Forks, so the caller must be single-threaded.
 */
struct names *names_start(uint64_t key);
/*
 * Replace the marks in *TEXT, of *LEN bytes. If it has any, *TEXT points to a copy that is valid
 * until the next call.
 */
void names_resolve(struct names *n, const char **text, size_t *len);
/* End the process; cached answers remain available. */
void names_end_reader(struct names *n);
/* End the process that reads names, and free N; NULL is allowed. */
void names_stop(struct names *n);

/*
 * name_reader.c: requests to the process of frame_names.c. One with a descriptor offers a file,
 * which becomes number FILE if it has that build-id; one without requests the function at ADDR.
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
/* Serve requests from SOCKET until it is closed. */
void name_reader_main(int socket) __attribute__((noreturn));

/* ----------------------------------------------------------------- output.c */

struct output {
	int fd;
	const char *path;      /* NULL: standard output */
	int inherited;         /* file number `number' of PATH, which is open already; 0: none */
	const char *name;      /* for messages */
	uint64_t limit;        /* bytes after which the next file begins, PATH.1 after PATH.0; 0: no
				* limit */
	unsigned keep, number; /* maximum number of files kept (0: all); number of this one */
	uint64_t written;      /* bytes in it */
	char *buf;
	size_t used;
	int error;             /* errno of the failed write; all further output is discarded */
	uint64_t discarded;    /* bytes */
	atomic_bool switching; /* another file was requested */
	atomic_bool *give_up;  /* set by another thread: stop waiting for the reader of the
				* output */
	bool no_warnings;
	const char *script, *command, *runtime; /* for html; script, command: or NULL */
	FILE *counts;                           /* --counts, or NULL */
	struct globals_file *globals;           /* --globals, or NULL */
	uint64_t globals_time;                  /* of merged ones; 0: now */
	bool reported;                          /* some count was printed */
	struct view *view;                      /* --monitor, or NULL */
	struct metrics_box *metrics;            /* globals to be exported, or NULL */
	struct frames *frames;                  /* to be posted, or NULL */
	const struct format *format;
	bool opened;         /* the format's output has begun */
	struct parts *parts; /* private to parts.c */
	struct hits *told;   /* collected for the end: --explain, --expect-hits; or NULL */
	unsigned refused; /* types of records that this script never writes: 1 << enum ust_rec_type
			   */
	bool forged;      /* such a record was read */
	bool has_error;   /* an error of the script was printed */
	struct runner runner; /* for commands of system() */
	struct names *names;  /* names of frames; or NULL */
};

/* PATH NULL: standard output. False after a message. */
bool output_open(struct output *o, const char *path);
/* Process the records of the script from REC up to END by their types. They are foreign data:
 * lengths are checked, forged ones ignored. */
void output_records(struct output *o, const struct ust_rec *rec, const struct ust_rec *end);
/* Add the messages printed meanwhile to the output, if its format contains messages. */
void output_messages(struct output *o);
/* All records that have arrived are processed: write what need not wait for more. */
void output_round_end(struct output *o);
/* End the format's output; ST and LOST are the result of the run. */
void output_end(struct output *o, const struct ust_status *st, uint64_t lost);

/* ------------------------------------------------------------ output_file.c */

/* Called by output_open(). */
bool output_file_open(struct output *o, const char *path);
/* Create another file, at the PATH of an OPTION, with the caller's rights; NULL after a message. */
FILE *output_further_file(const char *option, const char *path);
/* Print the texts of records from REC up to END while their type is UST_REC_OUT; returns the first
 * one of another type, or END. */
const struct ust_rec *output_texts(struct output *o, const struct ust_rec *rec,
				   const struct ust_rec *end);
/* output_text() prints a string, output_bytes() LEN bytes, as the script's output. */
void output_text(struct output *o, const char *text);
void output_bytes(struct output *o, const char *text, size_t len);
/* Print a warning or an error of the script to standard error. */
void output_message(struct output *o, bool warning, const char *text, size_t len);
/* switch_file(): switch to the next of several files (-S) now. */
void output_next_file(struct output *o);
/* Write what is buffered. An error is reported once; later output is dropped and counted. */
void output_flush(struct output *o);
/* Switch to the next of several files (-S) when there is more output. Any thread. */
void output_switch(struct output *o);
/* Between writes: end the output if it is a pipe whose reader has ended after reading from it. */
void output_watch_reader(struct output *o);
/* True if part of the output was not written, except because its reader has ended. */
bool output_lost(const struct output *o);
/* Flush and close. False if output was lost, which output_lost() reports. */
bool output_close(struct output *o);

/* ----------------------------------------------------------------- counts.c */

/* PATH may be NULL. Both return false after a message. */
bool counts_open(struct output *o, const char *path);
/* Close the file of --counts; false after a message. counts_record() handles one UST_REC_COUNT. */
bool counts_close(struct output *o);
void counts_record(struct output *o, const struct ust_rec *rec);

/* ----------------------------------------------------------- globals_file.c */

enum { LONGEST_MARK = 200 }; /* bytes */
struct globals_options {
	const char *path; /* --globals, or NULL */
	const char *mark; /* --globals-mark, or NULL */
	bool interval;    /* the script writes records while it runs, too */
	bool in_memory;   /* without a path: for globals_hand_over() */
};
/* Create the file of --globals, if there is one. False after a message. */
bool globals_open(struct output *o, const struct globals_options *how);
/* End the records in memory; returns a descriptor from which they can be read, -1 after a
 * message. */
int globals_hand_over(struct output *o);
/* Write the file; false after a message. */
bool globals_close(struct output *o);
/* Take one UST_REC_GLOBALS. */
void globals_record(struct output *o, const struct ust_rec *rec);
/* Take one UST_REC_GLOBALS_END. */
void globals_end_record(struct output *o, const struct ust_rec *rec);

/* ----------------------------------------------------------------- reader.c */

struct reader {
	pthread_t thread;
	const struct session *session;
	struct output *out;
	struct stream *streams;
	unsigned n;
	bool from_start;       /* the first record has number 0; else the reader was attached
				* later */
	uint64_t newest, late; /* time of the last record written; number of records older than
				* that */
	int wake, event;       /* eventfds: to the thread, and from it when these change: */
	atomic_bool finish;    /* request to write the rest and end */
	atomic_bool give_up;   /* request not to wait for a blocked output */
	atomic_bool failed;    /* output failed */
	atomic_bool ended;
};

/* False after a message. */
bool reader_start(struct reader *r, const struct session *s, struct output *out, unsigned ncpu,
		  bool from_start);
/* Let the reader read what there is, and end. Any thread; reader_join() waits. */
void reader_finish(struct reader *r);
/* Discard output that is blocked. Repeat until the thread has ended. */
void reader_give_up(struct reader *r);
/* To be called once it has ended. */
void reader_join(struct reader *r);
/* Close the streams and free them, when the reader's thread has ended. */
void reader_free(struct reader *r);
/* Number of records missing by their sequence numbers. */
uint64_t reader_gaps(const struct reader *r);
/* True if a stream ended inside a record, or had a malformed one. */
bool reader_damaged(const struct reader *r);

#endif
