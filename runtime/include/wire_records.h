/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a script, from the runtime to the loader. */
#ifndef USTAP_WIRE_RECORDS_H
#define USTAP_WIRE_RECORDS_H

#include <linux/types.h>

/* Maximum length of one record's text; a stream with a longer one is damaged. */
#define UST_REC_MAX (1u << 20)

enum ust_rec_type {
	UST_REC_OUT = 1,       /* text for standard output */
	UST_REC_WARN = 2,      /* text for standard error, prefixed with "WARNING: " */
	UST_REC_ERROR = 3,     /* text for standard error, prefixed with "ERROR: " */
	UST_REC_COUNT = 4,     /* struct ust_count and texts */
	UST_REC_VIEW = 5,      /* text about the script's globals; without text: the requested view
				* is complete */
	UST_REC_PARTS = 6,     /* struct ust_parts: output of one hit, in parts */
	UST_REC_SYSTEM = 7,    /* a shell command */
	UST_REC_SWITCH = 8,    /* further output goes to another file */
	UST_REC_DEATH = 9,     /* struct ust_death; from the kernel only */
	UST_REC_UNTRACED = 10, /* struct ust_untraced and a path; from the kernel only */
	UST_REC_GLOBALS = 11,  /* text of records of globals */
	UST_REC_GLOBALS_END = 12, /* struct ust_globals_end: all are written */
	UST_REC_LAST = UST_REC_GLOBALS_END
};

struct ust_rec {
	__u32 len;  /* bytes of text after this head; ust_rec_size() */
	__u16 type; /* enum ust_rec_type */
	__u16 cpu;
	__u64 seq;  /* per CPU, from 0, without gaps unless records were dropped */
	__u64 time; /* ns, CLOCK_MONOTONIC; never decreases on one CPU */
};

/* Bytes from the head of a record with LEN bytes of text to the next record. */
static inline __u32 ust_rec_size(__u32 len)
{
	return ((__u32)sizeof(struct ust_rec) + len + 7) & ~7u;
}

/* The record behind REC. */
static inline const struct ust_rec *ust_rec_next(const struct ust_rec *rec)
{
	return (const struct ust_rec *)((const char *)rec + ust_rec_size(rec->len));
}

/* Output of a hit, or a part of it: followed by TEXT bytes, then TEXTS bytes of two strings with
 * their NULs, the probe point and the function, then, 8-byte aligned, the marks, the last one
 * first. Hits with long text have several such records, all from one context. */
struct ust_parts {
	__u32 text, texts, marks;
	__u32 flags; /* enum ust_parts_flags */
	__u32 context;
	__u32 pid, tid, pad;
	char comm[16];
};
enum ust_parts_flags {
	UST_PARTS_FIRST = 1, /* the first record of its hit */
	UST_PARTS_LAST = 2,
	UST_PARTS_RETURN = 4, /* a function returns */
	UST_PARTS_PAIRED = 8, /* both entry and return of the function print output */
	UST_PARTS_TIMER = 16,
	UST_PARTS_VIEW = 32 /* about a global, for UST_CMD_VIEW */
};
/* Applies to the text from byte AT on, until the next mark. */
struct ust_mark {
	__u32 at, kind;
	__s64 value;
};
enum ust_mark_kind {
	UST_MARK_BEGIN, /* a print statement, at time VALUE; the bytes are lines: its location in
			 * the script, its kind (enum ust_print_kind and more), then the script's
			 * text of each argument */
	UST_MARK_LONG,  /* an argument */
	UST_MARK_STRING,
	UST_MARK_TEXT,   /* printed text */
	UST_MARK_END,    /* of the statement: the following text belongs to no statement */
	UST_MARK_INDENT, /* the next statement is indented by VALUE more */
	UST_MARK_WARN,   /* at time VALUE */
	UST_MARK_ERROR
};
enum ust_print_kind {
	UST_PRINT_ARGS = 'p',
	UST_PRINT_GLOBAL = 'g', /* printed at the end: number of keys, and name; then arguments
				 * as the lines say */
	UST_PRINT_HIST = 'h',   /* its histogram: "log", or "linear" low step buckets; arguments
				 * are pairs: bucket, count */
	UST_PRINT_STACK = 's',
	UST_PRINT_SOURCE = 't', /* the text of the script, for --output=html */
	UST_PRINT_SPAN = 'n'    /* about a span: "b" begin or "e" end, argument its name; "a"
				 * attribute, key and value; "f" failure, message. Its location
				 * is empty */
};
/* Precedes a stack of names, from the outermost frame inwards. */
#define UST_STACK_MARK '\x1c'

/*
 * Output of print_ubacktrace() and similar functions for a frame of a file that the translator did
 * not read:
 *
 *     MARK KEY " " PID " " ADDRESS " " IN_FILE " " FLAGS " " BUILD_ID " " PATH TEXT text MARK
 *
 * KEY is ust_status.name_key, which a script cannot know, so that its text is never taken for
 * a mark. Numbers are hexadecimal. IN_FILE is the address in the file's own numbering. staprun
 * prints a line with the function's name in place of the text, or the text if it finds no
 * name.
 */
#define UST_NAME_MARK "\x1d"
#define UST_NAME_TEXT "\x1e"
enum ust_name_flags {
	UST_NAME_BEHIND_CALL = 1, /* a return address: the function is that of the byte before */
	UST_NAME_BRIEF = 2,       /* for print_ubacktrace_brief() */
	UST_NAME_RAW = 4          /* the symbol, not demangled */
};

/* A traced process was killed by a signal; STATUS as of wait(2). */
struct ust_death {
	__u32 pid, status;
	char comm[16];
};

/* The end of a set of records of globals: its LINES, whether it has all globals, and whether it was
 * written while the script ran. */
struct ust_globals_end {
	__u64 lines;
	__u32 complete, running;
};

/* An untraced descendant of the target runs a probed program, whose path follows, without a NUL. */
struct ust_untraced {
	__u32 pid;
};

/* Hits of a handler, reported after the end probes by programs that count. Followed by the probe
 * point and its location in the script, each with its NUL. */
struct ust_count {
	__u32 index; /* index among the sites of the program and, after these, its probes without
		      * sites */
	__u32 flags; /* enum ust_count_flags */
	__u64 hits;
	__u64 sum, min, max; /* cycles that the hits took */
	__u64 refused;       /* number of times that its condition was false */
};
/* Flags from UST_COUNT_NO_FILE on are the state of a site, hit or not. */
enum ust_count_flags {
	UST_COUNT_SITE = 1,
	UST_COUNT_TIMES = 2,   /* sum, min and max were measured */
	UST_COUNT_NO_FILE = 4, /* its file was missing, or differs from the one compiled for */
	UST_COUNT_FAILED = 8,  /* it could not be armed in some process */
	UST_COUNT_PLACED = 16,
	UST_COUNT_MAPPED = 32,    /* a traced process has mapped its file */
	UST_COUNT_OTHER = 64,     /* one has mapped a different file of that path */
	UST_COUNT_ENTERED = 128,  /* for a return probe: the function was entered */
	UST_COUNT_UNWANTED = 256, /* it was reached by untraced processes */
	UST_COUNT_CLOSED = 512,   /* its condition is false: it is disarmed */
	UST_COUNT_VIEW = 1024,    /* interim count, for UST_CMD_VIEW */
	UST_COUNT_TRAP = 2048,    /* armed by a breakpoint; the bits from UST_COUNT_WHY on are the
				   * reason, see patch_reason() */
	UST_COUNT_SWITCHED_OFF = 4096 /* by UST_VIEW_OFF */
};
#define UST_COUNT_WHY 13

#endif
