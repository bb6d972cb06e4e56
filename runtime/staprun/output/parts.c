/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assembles records with parts into items: the output of one hit comes in one record or, if it is
 * long, in several from one context. A hit is passed on when it is complete, or when it has become
 * large.
 */
#include "output/metrics.h"
#include "output/output_format.h"
#include "base/message.h"
#include "output/output.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20 };

/* A hit that is not complete yet. */
struct pending {
	uint32_t context;
	struct hit_info hit;
	char comm[sizeof((struct ust_parts *)0)->comm + 1];
	struct text text, texts; /* printed text; probe point and function */
	struct ust_mark *marks;
	size_t nmarks, cap;
};

struct parts {
	struct pending **v;
	size_t n;
	struct arg *args; /* of the item being assembled */
	size_t nargs, cap;
	struct text what; /* its description, with the line ends between parts replaced by NULs */
};

static struct parts *parts_of(struct output *o)
{
	if (!o->parts) {
		o->parts = xrealloc(NULL, sizeof *o->parts);
		*o->parts = (struct parts){0};
	}
	return o->parts;
}

static struct pending *pending_of(struct parts *ps, uint32_t context)
{
	struct pending *p;

	for (size_t i = 0; i < ps->n; i++)
		if (ps->v[i]->context == context)
			return ps->v[i];
	p = xrealloc(NULL, sizeof *p);
	*p = (struct pending){.context = context};
	ps->v = xrealloc(ps->v, (ps->n + 1) * sizeof *ps->v);
	ps->v[ps->n++] = p;
	return p;
}

/* -------------------------------------------------------------------- items */

/* End of the text that mark I refers to. */
static size_t end_of(const struct pending *p, size_t i, size_t n, size_t end)
{
	return i + 1 < n && p->marks[i + 1].at < end ? p->marks[i + 1].at : end;
}

static void add_arg(struct parts *ps, struct arg a)
{
	if (ps->nargs == ps->cap) {
		ps->cap = ps->cap ? 2 * ps->cap : 16;
		ps->args = xrealloc(ps->args, ps->cap * sizeof *ps->args);
	}
	ps->args[ps->nargs++] = a;
}

/* Parse a description "LOCATION\nKIND MORE\nNAMES". */
static void describe(struct parts *ps, struct item *it, const char *s, size_t len)
{
	static const enum item_kind kinds[256] = {
		[UST_PRINT_ARGS] = ITEM_PRINT,    [UST_PRINT_GLOBAL] = ITEM_GLOBAL,
		[UST_PRINT_HIST] = ITEM_HIST,     [UST_PRINT_STACK] = ITEM_STACK,
		[UST_PRINT_SOURCE] = ITEM_SOURCE, [UST_PRINT_SPAN] = ITEM_SPAN};
	char *place, *kind, *names;

	ps->what.n = 0;
	text_add(&ps->what, s, len);
	place = ps->what.s;
	kind = strchr(place, '\n');
	names = kind ? strchr(kind + 1, '\n') : NULL;
	if (!names)
		return;
	*kind++ = 0;
	*names++ = 0;
	it->kind = kinds[(unsigned char)*kind];
	it->at = place;
	it->what = *kind && kind[1] ? kind + 2 : "";
	it->names = names;
}

/* Pass on the statement that starts with mark I of N; returns the index of the next statement's
 * mark. */
static size_t statement(struct output *o, const struct pending *p, size_t i, size_t n, size_t end,
			int64_t indent)
{
	struct parts *ps = o->parts;
	struct item it = {.time = (uint64_t)p->marks[i].value, .indent = indent};

	ps->nargs = 0;
	describe(ps, &it, p->text.s + p->marks[i].at, end_of(p, i, n, end) - p->marks[i].at);
	for (i++; i < n; i++) {
		const struct ust_mark *m = &p->marks[i];
		const char *s = p->text.s + m->at;
		size_t len = end_of(p, i, n, end) - m->at;

		if (m->kind == UST_MARK_LONG) {
			add_arg(ps, (struct arg){.number = m->value});
		} else if (m->kind == UST_MARK_STRING) {
			add_arg(ps, (struct arg){.is_string = true, .s = s, .len = len});
		} else if (m->kind == UST_MARK_TEXT) {
			it.text = s;
			it.len = len;
		} else {
			break;
		}
	}
	it.args = ps->args;
	it.nargs = ps->nargs;
	if (it.at)
		format_item(o, &p->hit, &it);
	return i;
}

static void plain(struct output *o, const struct pending *p, size_t from, size_t to)
{
	struct item it = {
		.kind = ITEM_TEXT, .time = p->hit.time, .text = p->text.s + from, .len = to - from};

	if (from < to)
		format_item(o, &p->hit, &it);
}

static void message(struct output *o, const struct pending *p, size_t i, size_t end)
{
	const struct ust_mark *m = &p->marks[i];
	struct item it = {.kind = m->kind == UST_MARK_WARN ? ITEM_WARN : ITEM_ERROR,
			  .time = (uint64_t)m->value,
			  .text = p->text.s + m->at,
			  .len = end - m->at};

	output_message(o, it.kind == ITEM_WARN, it.text, it.len);
	if (!(it.kind == ITEM_WARN && o->no_warnings))
		format_item(o, &p->hit, &it);
}

/* Pass on all items of N marks and of the text before END. */
static void hand_on(struct output *o, const struct pending *p, size_t n, size_t end)
{
	int64_t indent = 0;
	size_t i = 0;

	plain(o, p, 0, n ? p->marks[0].at : end);
	while (i < n) {
		const struct ust_mark *m = &p->marks[i];

		if (m->kind == UST_MARK_BEGIN) {
			i = statement(o, p, i, n, end, indent);
			indent = 0;
			continue;
		}
		if (m->kind == UST_MARK_INDENT)
			indent += m->value;
		if (m->kind == UST_MARK_WARN || m->kind == UST_MARK_ERROR)
			message(o, p, i, end_of(p, i, n, end));
		else
			plain(o, p, m->at, end_of(p, i, n, end));
		i++;
	}
}

static void complete(struct output *o, struct pending *p)
{
	if (!p->text.n && !p->nmarks)
		return;
	hand_on(o, p, p->nmarks, p->text.n);
	if (o->metrics && p->hit.flags & UST_PARTS_VIEW)
		metrics_hit_end(o->metrics);
	if (o->format->hit_end)
		o->format->hit_end(o, &p->hit);
	p->text.n = p->nmarks = 0;
}

/* Pass on everything before the last statement. */
static void hand_on_most(struct output *o, struct pending *p)
{
	size_t i = p->nmarks, at;

	while (i > 1 && p->marks[i - 1].kind != UST_MARK_BEGIN)
		i--;
	if (i <= 1) {
		complete(o, p);
		return;
	}
	at = p->marks[--i].at;
	hand_on(o, p, i, at);
	p->text.n -= at;
	memmove(p->text.s, p->text.s + at, p->text.n);
	p->nmarks -= i;
	memmove(p->marks, p->marks + i, p->nmarks * sizeof *p->marks);
	for (i = 0; i < p->nmarks; i++)
		p->marks[i].at -= (uint32_t)at;
}

/* ------------------------------------------------------------------- records */

/* The marks of a record; NULL if it is damaged. */
static const struct ust_mark *marks_of(const struct ust_parts *e, const struct ust_rec *rec)
{
	uint64_t at = ((uint64_t)e->text + e->texts + 7) & ~7ull;

	if (sizeof *e + at + e->marks * (uint64_t)sizeof(struct ust_mark) > rec->len)
		return NULL;
	return (const struct ust_mark *)((const char *)(rec + 1) + sizeof *e + at);
}

static void take_hit(struct pending *p, const struct ust_rec *rec, const struct ust_parts *e,
		     const char *texts)
{
	size_t n = strnlen(texts, e->texts);

	memcpy(p->comm, e->comm, sizeof e->comm);
	p->texts.n = 0;
	text_add(&p->texts, texts, e->texts);
	text_add(&p->texts, "", 1);
	p->hit = (struct hit_info){
		rec->time, rec->cpu, e->flags,   e->pid,
		e->tid,    p->comm,  p->texts.s, n < e->texts ? p->texts.s + n + 1 : ""};
}

/* Marks are stored in reverse order: the last one is first. False if they are out of order. */
static bool take_marks(struct pending *p, const struct ust_mark *marks, uint32_t n, uint32_t len,
		       size_t before)
{
	uint32_t at = 0;

	if (p->cap < p->nmarks + n) {
		p->cap = 2 * (p->nmarks + n);
		p->marks = xrealloc(p->marks, p->cap * sizeof *p->marks);
	}
	for (uint32_t i = n; i-- > 0;) {
		struct ust_mark m = marks[i];

		if (m.at < at || m.at > len)
			return false;
		at = m.at;
		m.at += (uint32_t)before;
		p->marks[p->nmarks++] = m;
	}
	return true;
}

void parts_record(struct output *o, const struct ust_rec *rec)
{
	const char *data = (const char *)(rec + 1);
	const struct ust_mark *marks;
	struct pending *p;
	struct ust_parts e;
	size_t before;

	if (rec->len < sizeof e)
		return;
	memcpy(&e, data, sizeof e);
	marks = marks_of(&e, rec);
	if (!marks)
		return;
	p = pending_of(parts_of(o), e.context);
	if (e.flags & UST_PARTS_FIRST)
		complete(o, p);
	if (!p->text.n && !p->nmarks)
		take_hit(p, rec, &e, data + sizeof e + e.text);
	before = p->text.n;
	text_add(&p->text, data + sizeof e, e.text);
	if (!take_marks(p, marks, e.marks, e.text, before)) {
		p->text.n = p->nmarks = 0;
		return;
	}
	if (e.flags & UST_PARTS_LAST)
		complete(o, p);
	else if (p->text.n > LARGE)
		hand_on_most(o, p);
}

void parts_end(struct output *o)
{
	struct parts *ps = o->parts;

	if (!ps)
		return;
	for (size_t i = 0; i < ps->n; i++) {
		complete(o, ps->v[i]);
		free(ps->v[i]->text.s);
		free(ps->v[i]->texts.s);
		free(ps->v[i]->marks);
		free(ps->v[i]);
	}
	free(ps->v);
	free(ps->args);
	free(ps->what.s);
	free(ps);
	o->parts = NULL;
}
