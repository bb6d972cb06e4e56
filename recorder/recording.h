/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of calls (wire_calls.h) that `ustap report' and `ustap replay' read. The traced
 * process can write anything into a recording: every number is checked where it is read, here.
 */
#ifndef USTAP_RECORDING_H
#define USTAP_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_calls.h"

/* ----------------------------------------------------------- recording.c */

struct function {
	char *name, *place; /* as in the probe point; place: FILE:LINE, or "" */
	char *title;        /* as printed: with its file if the recording has several, and with
			     * its line if two functions of the file have this name */
	uint32_t module;
	uint64_t addr;
	bool inlined; /* an inlined instance, which has no returns */
};

struct site {
	uint32_t function; /* index; NO_FUNCTION: unknown */
	bool is_return;
};
#define NO_FUNCTION (~0u)

/* A chunk of events in the file. */
struct piece {
	uint64_t at; /* of its events, in bytes */
	struct ust_calls_events head;
};

/* Arguments or a returned value: text in the file. */
struct values {
	uint32_t pid, tid, since, len;
	uint64_t number, at; /* of the event; of the text, in bytes */
};

/* A thread: pieces [first, end) of the recording, in order. */
struct thread {
	uint32_t pid, tid, since; /* since: as in struct ust_calls_events */
	size_t first, end;
};

struct recording {
	const char *path;
	int fd;
	char **modules;
	size_t nmodules;
	struct function *functions;
	size_t nfunctions;
	struct site *sites;
	size_t nsites;
	struct piece *pieces;
	size_t npieces;
	struct values *values; /* by thread and number */
	size_t nvalues;
	struct thread *threads;
	size_t nthreads;
	struct ust_calls_moment *triggers, began; /* began.ns 0: not known */
	size_t ntriggers;
	uint64_t start;     /* ticks of the first event */
	double ns_per_tick; /* of the processor's clock */
	uint64_t damaged;   /* chunks that are not valid */
	bool has_files;     /* functions of several files */
};

/* Read the recording PATH; false after a message. Free it with recording_close(). */
bool recording_open(struct recording *r, const char *path);
void recording_close(struct recording *r);
/* False after a message: R has no thread with the number THREAD (-1: any). */
bool recording_check_thread(const struct recording *r, int64_t thread);
/* Report on stderr that so many events are missing; not if 0. */
void recording_missing(const struct recording *r, uint64_t events);
/* Number, from 1 on, of the values of event NUMBER of T; 0: none. */
size_t recording_find_values(const struct recording *r, const struct thread *t, uint64_t number);
/* Read these values, with control characters masked, as a string; "" for 0. */
void recording_values(const struct recording *r, size_t values, char text[UST_CALLS_TEXT_MAX + 1]);
/* Nanoseconds in TICKS. */
double recording_ns(const struct recording *r, uint64_t ticks);
/* Nanoseconds from the first event to TICKS, less than 2^62. */
uint64_t recording_time(const struct recording *r, uint64_t ticks);

/* ----------------------------------------------------------- call_table.c */

/* Calls of one function by another, or what else the user of the table counts for a pair. */
struct call_count {
	uint32_t caller, callee; /* any numbers */
	bool is_used;
	uint64_t calls, total; /* total: ticks */
};
/* A hash table; the capacity is a power of 2. The owner frees v. */
struct call_table {
	struct call_count *v;
	size_t n, cap;
};
/* The element of the pair, which is added with zeros if it is new; valid until the next call. */
struct call_count *call_table_at(struct call_table *t, uint32_t caller, uint32_t callee);

/* ---------------------------------------------------------------- calls.c */

enum call_flags {
	CALL_TAIL = 1, /* ended with a tail call: of struct step.tail, which returned for it */
	CALL_LEFT = 2, /* left without a return: longjmp(), an exception, the end of the thread */
	CALL_CUT = 4,  /* the recording ends, or has a gap, before it returns */
	CALL_RECURSIVE = 8 /* a call of the same function is active */
};
enum step_kind { STEP_ENTER, STEP_LEAVE, STEP_INLINED };

/* A call begins or ends. */
struct step {
	enum step_kind kind;
	uint32_t function, caller; /* caller: the innermost active call; NO_FUNCTION: unknown */
	uint32_t tail;             /* CALL_TAIL: the function that it called last */
	uint32_t depth;            /* number of active calls around it */
	uint32_t flags;            /* enum call_flags, of STEP_LEAVE */
	uint64_t start, end;       /* ticks; both the same for STEP_ENTER and STEP_INLINED */
	uint64_t self;             /* ticks without calls, of STEP_LEAVE */
	size_t args, result;       /* recording_values(); result: of STEP_LEAVE */
};

struct frame {
	uint32_t function, slot;
	uint32_t flags;
	uint64_t start, inner;
	size_t args;
};

/* Position in the events of one thread. */
struct cursor {
	const struct recording *r;
	const struct thread *thread;
	size_t piece;
	struct ust_call_event *events;
	size_t n, at;
	struct frame left; /* the call that the event before has ended; start 0: it has not */
	uint64_t expected; /* number of the next event */
	uint64_t unread;   /* that behind the last piece, if it could not be read */
	uint64_t last;     /* ticks */
	struct frame *stack;
	size_t depth, cap;
	struct call_table active; /* active calls of each function, which is the callee */
	size_t searched;          /* frames that were searched in vain for an entry */
	size_t leaving;           /* frames to be left before the next event */
	uint32_t why;             /* enum call_flags of these */
	bool ended;
	uint64_t lost;      /* events that are missing */
	uint64_t unmatched; /* returns without an entry */
};

/* Place C before the first event of T, which is one of the threads of R. */
void cursor_open(struct cursor *c, const struct recording *r, const struct thread *t);
/* The next step of the thread; false at the end. */
bool cursor_next(struct cursor *c, struct step *s);
/* Free what C holds. */
void cursor_close(struct cursor *c);

/* ---------------------------------------------------------- call_filter.c */

/* Calls of a thread that take at least min_ns; 0: all. */
struct call_filter {
	double min_ns;
	uint8_t *bits; /* one for each entry: the call is shown */
	size_t size;   /* bytes of bits */
	size_t next;   /* number of the entry that comes next */
};
/* Read all steps of T, unless MIN_NS is 0. */
void call_filter_open(struct call_filter *f, const struct recording *r, const struct thread *t,
		      double min_ns);
/* True if the step is shown. Called for each step of the thread, in their order. */
bool call_filter_shows(struct call_filter *f, const struct recording *r, const struct step *s);
/* Free what F holds. */
void call_filter_close(struct call_filter *f);

/* ------------------------------------------------------------- timeline.c */

/* A thread with its next two steps. */
struct lane {
	const struct thread *thread;
	struct cursor cursor;
	struct call_filter filter;
	struct step step, next;
	bool has, has_next;
};
struct timeline {
	struct lane *lanes;
	size_t nlanes;
	struct lane **heap; /* those that have a step; the earliest one is the first */
	size_t n;
};
/* Place T before the first step of all threads of R, or of those with the number THREAD (-1:
 * all). With MIN_NS above 0 only calls that take as long have steps, and inlined ones have none.
 * Free it with timeline_close(). */
void timeline_open(struct timeline *t, const struct recording *r, int64_t thread, double min_ns);
/* The lane with the earliest step, and the time of that step; NULL at the end. */
struct lane *timeline_first(const struct timeline *t, uint64_t *ticks);
/* Go behind the step of timeline_first(). */
void timeline_advance(struct timeline *t);
/* Go behind the step of lane L, which must be the first, and which timeline_advance() follows. */
void lane_advance(struct lane *l);
/* Number of events that were missing on the way to here. */
uint64_t timeline_missing(const struct timeline *t);
/* Free what T holds. */
void timeline_close(struct timeline *t);

/* --------------------------------------------------------------- report.c */

struct report_options {
	const char *sort;     /* total, self, calls or name; NULL: total */
	const char *function; /* only this one, with callers and callees; NULL: all */
	const char *diff;     /* path of an older recording; or NULL */
	int64_t thread;       /* -1: all */
	size_t limit;         /* rows; 0: all */
};
/* Print the table of functions. False after a message. */
bool report(const struct recording *r, const struct report_options *o);

/* --------------------------------------------------------------- replay.c */

struct replay_options {
	int64_t thread;  /* -1: all */
	double from, to; /* ms since the start */
	double min_us;   /* shortest call; 0: all */
};
/* Print the calls of all threads, indented, by time. */
void replay(const struct recording *r, const struct replay_options *o);

/* --------------------------------------------------------------- chrome.c */

/* Print the calls of all threads, or of those with the number THREAD (-1: all), in the trace event
 * format of Chrome and Perfetto. */
void print_trace_events(const struct recording *r, int64_t thread);

/* ------------------------------------------------------------------ ctf.c */

/* Write the calls of all threads, or of those with the number THREAD (-1: all), into the directory
 * PATH, which must not exist, in the Common Trace Format. False after a message. */
bool write_ctf(const struct recording *r, int64_t thread, const char *path);

/* -------------------------------------------------------------- latency.c */

/* Durations in parts of powers of two: at most 1/128 off. */
struct latency {
	uint64_t *octaves[64];
	uint64_t n, max;
};
/* Count the duration V. */
void latency_add(struct latency *l, uint64_t v);
/* The value that PERCENT of all are not above; 0 without any. */
uint64_t latency_percentile(const struct latency *l, double percent);
/* Free the counters of L. */
void latency_free(struct latency *l);

#endif
