/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output formats other than text: hits arrive in parts (struct ust_parts), parts.c assembles them,
 * a struct format writes the item of each statement. doc/outputs.md describes the formats.
 */
#ifndef STAPRUN_FORMAT_H
#define STAPRUN_FORMAT_H

#include "base/json_text.h"
#include "output/output.h"
#include "wire.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>

/* The hit that items belong to. */
struct hit_info {
	uint64_t time; /* ns, of the first item */
	unsigned cpu;
	uint32_t flags; /* enum ust_parts_flags */
	uint32_t pid, tid;
	const char *comm, *point, *func;
};

struct arg {
	bool is_string;
	int64_t number;
	const char *s;
	size_t len;
};

enum item_kind {
	ITEM_TEXT /* text outside of any statement */,
	ITEM_PRINT,
	ITEM_GLOBAL,
	ITEM_HIST,
	ITEM_STACK,
	ITEM_SOURCE, /* the script; only html shows it */
	ITEM_SPAN,   /* see UST_PRINT_SPAN; only otlp has it */
	ITEM_WARN,
	ITEM_ERROR
};

struct item {
	enum item_kind kind;
	uint64_t time;
	const char *at;    /* its location in the script, or NULL */
	const char *what;  /* the rest of the description after the kind */
	const char *names; /* names of the arguments, one per line */
	const struct arg *args;
	size_t nargs;
	const char *text;
	size_t len;
	int64_t indent; /* change of the nesting depth before it; 0: none */
};

/* Operations of a format; NULL: not used. */
struct format {
	const char *name;
	bool in_page;     /* its JSON is within HTML: "<" is escaped */
	bool usual_views; /* it has views without --monitor, too */
	void (*begin)(struct output *o);
	void (*item)(struct output *o, const struct hit_info *h, const struct item *it);
	/* All records that have arrived are processed. */
	void (*round_end)(struct output *o);
	void (*hit_end)(struct output *o, const struct hit_info *h);
	/* A message of no handler: LEVEL is "warning", "error" or "message", SOURCE "script" or
	 * "staprun". */
	void (*message)(struct output *o, const char *level, const char *source, const char *text,
			size_t len);
	void (*count)(struct output *o, const struct ust_count *c, const char *pp,
		      const char *origin);
	void (*view_end)(struct output *o); /* --monitor: the view is complete; NULL: views are
					     * not supported */
	void (*end)(struct output *o, const struct ust_status *st, uint64_t lost);
};
extern const struct format format_json, format_folded, format_trace, format_html, format_otlp;
/* The format of that name, or NULL. */
const struct format *format_find(const char *name);
/* Write item IT of a hit; marks in its text are replaced by names. */
void format_item(struct output *o, const struct hit_info *h, const struct item *it);
/* Write JSON within HTML: "<", which occurs only in strings, as an escape. */
void json_put_in_page(struct output *o, const char *json, size_t len);
/* Bytes of rows in the page so far. */
uint64_t html_rows_size(void);
/* True for the format text, without records. */
bool format_is_text(const struct format *f);

/* Size of the page of --output=html; 0: built without it. */
size_t html_page_size(void);
/* Write it: all up to the rows of data. */
void html_page_write(struct output *o);

/* ------------------------------------------------------------------ parts.c */

/* Take a record of type UST_REC_PARTS. */
void parts_record(struct output *o, const struct ust_rec *rec);
/* The last record has been taken. */
void parts_end(struct output *o);

#endif
