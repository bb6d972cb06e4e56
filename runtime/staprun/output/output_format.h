/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output that is not text: hits come in parts (struct ust_parts), parts.c puts them together, a
 * struct format writes each statement's item.  doc/outputs.md describes what comes out.
 */
#ifndef STAPRUN_FORMAT_H
#define STAPRUN_FORMAT_H

#include "base/json_text.h"
#include "staprun.h"

/* Whose items these are. */
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
	ITEM_TEXT /* of no statement */,
	ITEM_PRINT,
	ITEM_GLOBAL,
	ITEM_HIST,
	ITEM_STACK,
	ITEM_WARN,
	ITEM_ERROR
};

struct item {
	enum item_kind kind;
	uint64_t time;
	const char *at;    /* its place in the script; or NULL */
	const char *what;  /* what follows the kind in the description */
	const char *names; /* of the arguments, a line each */
	const struct arg *args;
	size_t nargs;
	const char *text;
	size_t len;
	int64_t indent; /* how much deeper it is than what was before; 0 */
};

/* Members that are NULL are nothing to do. */
struct format {
	const char *name;
	void (*begin)(struct output *o);
	void (*item)(struct output *o, const struct hit_info *h, const struct item *it);
	void (*hit_end)(struct output *o, const struct hit_info *h);
	/* Of no handler: LEVEL is "warning", "error" or "message", SOURCE "script" or "staprun". */
	void (*message)(struct output *o, const char *level, const char *source, const char *text,
			size_t len);
	void (*count)(struct output *o, const struct ust_count *c, const char *pp,
		      const char *origin);
	void (*view_end)(struct output *o); /* --monitor: what was asked for is complete; NULL: it
					       cannot show any */
	void (*end)(struct output *o, const struct ust_status *st, uint64_t lost);
};
extern const struct format format_json, format_folded, format_trace;
/* NULL: there is none of that name. */
const struct format *format_find(const char *name);
/* IT is what the format is to write; marks in its text become names. */
void format_item(struct output *o, const struct hit_info *h, const struct item *it);
bool format_is_text(const struct format *f);

/* ------------------------------------------------------------------ parts.c */

/* A record of type UST_REC_PARTS. */
void parts_record(struct output *o, const struct ust_rec *rec);
/* No more comes. */
void parts_end(struct output *o);

#endif
