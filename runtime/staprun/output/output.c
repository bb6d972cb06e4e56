/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the script by type: text and parts go to the format of the output, warnings and errors
 * to standard error, requests to what serves them.
 */
#include "output/metrics.h"
#include "output/output_format.h"
#include "base/message.h"
#include "output/output.h"
#include "report/report.h"
#include "wire.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdlib.h>
#include <string.h>

bool output_open(struct output *o, const char *path)
{
	if (!format_is_text(o->format))
		messages_keep();
	if (!output_file_open(o, path))
		return false;
	o->opened = true;
	if (o->format->begin)
		o->format->begin(o);
	return true;
}

/* A record that belongs to no handler. */
static void message_record(struct output *o, const struct ust_rec *rec)
{
	bool warning = rec->type == UST_REC_WARN;

	o->has_error |= !warning;
	output_message(o, warning, (const char *)(rec + 1), rec->len);
	if (o->format->message && !(warning && o->no_warnings))
		o->format->message(o, warning ? "warning" : "error", "script",
				   (const char *)(rec + 1), rec->len);
}

static void plain_record(struct output *o, const struct ust_rec *rec)
{
	const char *text = (const char *)(rec + 1);
	size_t len = rec->len;

	if (o->names)
		names_resolve(o->names, &text, &len);
	output_bytes(o, text, len);
}

/* Text of a script that was built without --output. */
static void text_record(struct output *o, const struct ust_rec *rec)
{
	struct hit_info h = {
		.time = rec->time, .cpu = rec->cpu, .comm = "", .point = "", .func = ""};
	struct item it = {.kind = ITEM_TEXT,
			  .time = rec->time,
			  .text = (const char *)(rec + 1),
			  .len = rec->len};

	format_item(o, &h, &it);
}

static void take_message(void *arg, const char *level, const char *text)
{
	struct output *o = arg;

	if (o->format->message)
		o->format->message(o, level, "staprun", text, strlen(text));
}

void output_messages(struct output *o)
{
	if (!format_is_text(o->format))
		messages_take(take_message, o);
}

void output_round_end(struct output *o)
{
	output_messages(o);
	if (o->format->round_end)
		o->format->round_end(o);
	output_flush(o);
}

void output_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	parts_end(o);
	output_messages(o);
	if (o->format->end)
		o->format->end(o, st, lost);
}

/* Print a view after the output that precedes it. */
static void put_view(struct output *o, const char *text, size_t len)
{
	if (o->metrics) {
		if (!len)
			metrics_view_end(o->metrics);
		return;
	}
	if (!len && o->format->view_end)
		o->format->view_end(o);
	if (!o->view)
		return;
	output_flush(o);
	monitor_text(o->view, text, len);
}

/* system(): flush earlier output, so that it precedes the output of the command. */
static void put_command(struct output *o, const char *text, size_t len)
{
	char *line = xstrndup(text, len);

	output_flush(o);
	command_in_background(line, &o->runner);
	free(line);
}

/* True if the script never writes this type of record: traced processes can write any record into
 * the shared rings. */
static bool is_forged(struct output *o, const struct ust_rec *rec)
{
	if (!(o->refused >> rec->type & 1))
		return false;
	if (!o->forged)
		say("a traced process has forged a record of type %u, which this script never "
		    "writes; it is ignored",
		    rec->type);
	o->forged = true;
	return true;
}

static void take_death(const char *text, size_t len)
{
	struct ust_death d;
	char name[sizeof d.comm + 1] = "";

	if (len != sizeof d)
		return;
	memcpy(&d, text, sizeof d);
	memcpy(name, d.comm, sizeof d.comm);
	death_warn((pid_t)d.pid, name, (int)d.status);
}

static void take_untraced(const char *text, size_t len)
{
	struct ust_untraced u;

	if (len <= sizeof u)
		return;
	memcpy(&u, text, sizeof u);
	untraced_report_add((pid_t)u.pid, text + sizeof u, len - sizeof u);
}

static void output_record(struct output *o, const struct ust_rec *rec)
{
	const char *text = (const char *)(rec + 1);

	if (is_forged(o, rec))
		return;
	if (rec->type == UST_REC_PARTS)
		parts_record(o, rec);
	else if (rec->type == UST_REC_OUT && format_is_text(o->format))
		plain_record(o, rec);
	else if (rec->type == UST_REC_OUT)
		text_record(o, rec);
	else if (rec->type == UST_REC_VIEW)
		put_view(o, text, rec->len);
	else if (rec->type == UST_REC_COUNT)
		counts_record(o, rec);
	else if (rec->type == UST_REC_GLOBALS)
		globals_record(o, rec);
	else if (rec->type == UST_REC_GLOBALS_END)
		globals_end_record(o, rec);
	else if (rec->type == UST_REC_SYSTEM)
		put_command(o, text, rec->len);
	else if (rec->type == UST_REC_SWITCH)
		output_next_file(o);
	else if (rec->type == UST_REC_DEATH)
		take_death(text, rec->len);
	else if (rec->type == UST_REC_UNTRACED)
		take_untraced(text, rec->len);
	else
		message_record(o, rec);
}

void output_records(struct output *o, const struct ust_rec *rec, const struct ust_rec *end)
{
	bool plain = format_is_text(o->format) && !o->names && !(o->refused >> UST_REC_OUT & 1);

	while (rec < end) {
		if (plain && rec->type == UST_REC_OUT) {
			rec = output_texts(o, rec, end);
		} else {
			output_record(o, rec);
			rec = ust_rec_next(rec);
		}
	}
}
