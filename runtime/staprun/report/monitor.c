/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --monitor: shows the script's globals and hit counts every few seconds. A command requests them
 * from the script; the reply comes with the other records and is shown when it is complete. Keys
 * change what is shown, and become flags of the next command.
 */
#include "base/message.h"
#include "report/monitor.h"
#include "report/report.h"
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* By the variables that setlocale() reads, in their order. */
static bool is_utf8_wanted(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct view *monitor_new(const struct session *s, const char *name)
{
	struct view *v = xrealloc(NULL, sizeof *v);

	*v = (struct view){
		.session = s,
		.name = name,
		.begun = clock_ns(),
		.terminal = isatty(STDOUT_FILENO),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	v->utf8 = !v->terminal || is_utf8_wanted();
	return v;
}

static void reply_free(struct reply *r)
{
	for (size_t i = 0; i < r->nrows; i++)
		free(r->rows[i].pp);
	free(r->rows);
	free(r->text);
	*r = (struct reply){0};
}

void monitor_free(struct view *v)
{
	if (!v)
		return;
	reply_free(&v->next);
	reply_free(&v->shown);
	free(v->histories);
	free(v);
}

void monitor_count(struct view *v, const struct ust_count *c, const char *pp)
{
	struct reply *r = &v->next;

	r->rows = xrealloc(r->rows, (r->nrows + 1) * sizeof *r->rows);
	r->rows[r->nrows++] = (struct row){*c, xstrndup(pp, strlen(pp))};
}

/* Shared memory of the user runtime may contain any index and any number. */
static void add_history(struct view *v, const struct ust_count *c)
{
	struct history *h;

	if (c->index >= HISTORIES_MAX)
		return;
	if (c->index >= v->nhistories) {
		size_t n = c->index + 1;

		v->histories = xrealloc(v->histories, n * sizeof *h);
		memset(v->histories + v->nhistories, 0, (n - v->nhistories) * sizeof *h);
		v->nhistories = n;
	}
	h = &v->histories[c->index];
	memmove(h->hits, h->hits + 1, (INTERVALS - 1) * sizeof *h->hits);
	h->hits[INTERVALS - 1] = c->hits > h->total ? c->hits - h->total : 0;
	h->total = c->hits;
}

/* The reply is complete. */
static void take_reply(struct view *v)
{
	pthread_mutex_lock(&v->lock);
	reply_free(&v->shown);
	v->shown = v->next;
	v->next = (struct reply){0};
	for (size_t i = 0; i < v->shown.nrows; i++)
		add_history(v, &v->shown.rows[i].count);
	if (!v->hidden)
		monitor_show(v);
	pthread_mutex_unlock(&v->lock);
}

void monitor_text(struct view *v, const char *text, size_t len)
{
	struct reply *r = &v->next;

	if (!len) {
		take_reply(v);
		return;
	}
	if (r->len + len > UST_REC_MAX)
		return;
	r->text = xrealloc(r->text, r->len + len);
	memcpy(r->text + r->len, text, len);
	r->len += len;
}

/* ----------------------------------------------------------------------- keys */

static void add_order(struct view *v, unsigned flags, int target)
{
	if (v->norders == ORDERS_MAX)
		return;
	v->orders[v->norders++] = (struct view_order){flags, target};
}

bool monitor_order(struct view *v, unsigned *flags, int *target)
{
	bool any;

	pthread_mutex_lock(&v->lock);
	any = v->norders;
	if (any) {
		*flags = v->orders[0].flags;
		*target = v->orders[0].target;
		memmove(v->orders, v->orders + 1, --v->norders * sizeof *v->orders);
	}
	pthread_mutex_unlock(&v->lock);
	return any;
}

bool monitor_has_order(struct view *v)
{
	bool any;

	pthread_mutex_lock(&v->lock);
	any = v->norders;
	pthread_mutex_unlock(&v->lock);
	return any;
}

static void switch_all(struct view *v, bool on)
{
	v->paused = !on;
	add_order(v, on ? UST_VIEW_ON : UST_VIEW_OFF, -1);
}

/* Switch the probe whose index was typed: off, or on again. */
static void switch_typed(struct view *v)
{
	char *end;
	unsigned long index;

	errno = 0;
	index = strtoul(v->typed, &end, 10);
	if (!*v->typed || *end || errno || index > INT32_MAX) {
		v->notice = "not an index";
		return;
	}
	for (size_t i = 0; i < v->shown.nrows; i++)
		if (v->shown.rows[i].count.index == index) {
			bool off = v->shown.rows[i].count.flags & UST_COUNT_SWITCHED_OFF;

			add_order(v, off ? UST_VIEW_ON : UST_VIEW_OFF, (int)index);
			return;
		}
	v->notice = "no probe of this index has had hits";
}

static void end_prompt(struct view *v)
{
	if (v->prompt == PROMPT_FILTER)
		memcpy(v->filter, v->typed, sizeof v->filter);
	else
		switch_typed(v);
	v->prompt = PROMPT_NONE;
	v->top = 0;
}

static void begin_prompt(struct view *v, enum prompt prompt)
{
	v->prompt = prompt;
	*v->typed = 0;
}

enum { ESCAPE = 27, BACKSPACE = 8, DELETE = 127 };

static void prompt_key(struct view *v, char key)
{
	size_t n = strlen(v->typed);

	if (key == '\n' || key == '\r') {
		end_prompt(v);
	} else if (key == ESCAPE) {
		v->prompt = PROMPT_NONE;
	} else if (key == BACKSPACE || key == DELETE) {
		if (n)
			v->typed[n - 1] = 0;
	} else if (key >= ' ' && key < DELETE && n + 1 < sizeof v->typed) {
		v->typed[n] = key;
		v->typed[n + 1] = 0;
	}
}

static void scroll(struct view *v, long by)
{
	size_t most = v->lines > v->page ? v->lines - v->page : 0;

	if (by < 0)
		v->top -= v->top < (size_t)-by ? v->top : (size_t)-by;
	else
		v->top = v->top + (size_t)by < most ? v->top + (size_t)by : most;
}

static void command_key(struct view *v, char key)
{
	switch (key) {
	case 'c':
		add_order(v, UST_VIEW_RESET, 0);
		break;
	case 's':
		v->order_by = (v->order_by + 1) % NORDERS;
		break;
	case 'f':
		begin_prompt(v, PROMPT_FILTER);
		break;
	case 't':
		begin_prompt(v, PROMPT_SWITCH);
		break;
	case 'p':
	case 'r':
		switch_all(v, key == 'r');
		break;
	case 'x':
		v->hidden = !v->hidden;
		break;
	case 'q':
		v->ended = true;
		break;
	case 'k':
		scroll(v, -1);
		break;
	case 'j':
		scroll(v, 1);
		break;
	case 'b':
		scroll(v, -(long)v->page);
		break;
	case ' ':
		scroll(v, (long)v->page);
		break;
	default:
		v->notice = "not a key of this display";
	}
}

/* The sequences that a terminal sends for keys that move; returns the length of the one at TEXT,
 * 0: TEXT begins with another key. */
static size_t take_movement(struct view *v, const char *text, size_t len)
{
	static const struct {
		const char *text;
		char key;
	} keys[] = {{"\033[A", 'k'}, {"\033[B", 'j'},  {"\033OA", 'k'},
		    {"\033OB", 'j'}, {"\033[5~", 'b'}, {"\033[6~", ' '}};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t n = strlen(keys[i].text);

		if (n <= len && !memcmp(keys[i].text, text, n)) {
			command_key(v, keys[i].key);
			return n;
		}
	}
	return 0;
}

bool monitor_keys(struct view *v, const char *text, size_t len)
{
	bool ended;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < len;) {
		size_t n = v->prompt ? 0 : take_movement(v, text + i, len - i);

		if (!n)
			v->notice = NULL;
		if (!n && v->prompt)
			prompt_key(v, text[i]);
		else if (!n)
			command_key(v, text[i]);
		i += n ? n : 1;
	}
	if (!v->hidden)
		monitor_show(v);
	ended = v->ended;
	pthread_mutex_unlock(&v->lock);
	return !ended;
}

void monitor_take_keys(struct view *v)
{
	pthread_mutex_lock(&v->lock);
	v->keys = true;
	pthread_mutex_unlock(&v->lock);
}
