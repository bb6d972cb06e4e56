/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --monitor, shared by its files: what the script reported last, and how it is shown. */
#ifndef STAPRUN_REPORT_MONITOR_H
#define STAPRUN_REPORT_MONITOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "wire_records.h"

struct session;

struct row {
	struct ust_count count;
	char *pp;
};

/* One reply of the script. */
struct reply {
	char *text; /* about globals */
	size_t len, room;
	struct row *rows;
	size_t nrows;
};

/* Hits of a probe in each of the last intervals, the newest last. */
enum { INTERVALS = 20, HISTORIES_MAX = 65536 };
struct history {
	uint64_t total;
	uint64_t hits[INTERVALS];
};

enum order_by { BY_HITS, BY_RECENT, BY_AVG, BY_MAX, BY_INDEX, BY_NAME, NORDERS };
enum prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SWITCH };

enum { LINE_MAX_CHARS = 64, ORDERS_MAX = 16 };
struct view_order {
	unsigned flags; /* enum ust_view_flags */
	int target;
};

/*
 * The reader's thread adds to NEXT and shows it when it is complete; the main thread handles keys.
 * LOCK protects everything but the first group.
 */
struct view {
	const struct session *session;
	const char *name; /* of the script; NULL: that of the session */
	uint64_t begun;   /* ns */
	bool terminal;    /* standard output is one */
	bool utf8;        /* it shows characters of UTF-8 */

	pthread_mutex_t lock;
	struct reply next, shown;
	struct history *histories; /* by the index of the probe */
	size_t nhistories;
	bool keys; /* a person at a terminal can press them */
	bool hidden, paused, ended;
	enum order_by order_by;
	size_t top, lines, page; /* first line shown, number of lines, lines of a screen */
	enum prompt prompt;
	char typed[LINE_MAX_CHARS], filter[LINE_MAX_CHARS];
	const char *notice; /* answer to the last key, or NULL */
	struct view_order orders[ORDERS_MAX];
	size_t norders;
};

/* ------------------------------------------------------- monitor_screen.c */

/* Write what V shows to standard output: on a terminal one screen of it, in place of what is there.
 * With v->lock. */
void monitor_show(struct view *v);

#endif
