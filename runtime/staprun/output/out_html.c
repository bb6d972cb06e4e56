/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=html: a page that contains the data of the run, and scripts that draw it.
 *
 * The data is the content of a <script> element of type application/json, which browsers do not
 * execute: one row of JSON per line. Rows that are objects are those of --output=json. The others
 * are arrays that begin with a letter:
 *
 *   "r" {facts about the run}
 *   "k" text of the script
 *   "s" string                  numbered from 0
 *   "p" time cpu pid tid comm probe function at names text [arguments]
 *                               a print statement; comm to names are numbers of strings, -1: none
 *   "f" title names [depth, name, count, ...]
 *                               stacks as a tree in preorder: depth from 0, number in the array of
 *                               names, stacks that end there
 *   "o" number                  of print statements that were left out
 *
 * "<" is escaped, so no data can end the element.
 */
#include "output/output.h"
#include "output/output_format.h"
#include "output/stacks.h"
#include "output/string_ids.h"
#include "base/message.h"
#include "wire.h"
#include "wire_records.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Browsers do not open much larger pages quickly. */
enum { ROWS_MAX = 64 << 20 };

static struct {
	struct text row;
	struct string_ids strings, groups;
	uint64_t omitted; /* rows left out */
} page;

static void begin_row(const char *letter)
{
	page.row.n = 0;
	text_print(&page.row, "[\"%s\"", letter);
}

static void end_row(struct output *o)
{
	text_put(&page.row, "]\n");
	json_put_in_page(o, page.row.s, page.row.n);
}

static void add_string(const char *s, size_t len)
{
	text_put(&page.row, ",");
	json_string(&page.row, s, len);
}

static void add_fact(const char *name, const char *value)
{
	if (!value)
		return;
	text_print(&page.row, "%s\"%s\":", page.row.s[page.row.n - 1] == '{' ? "" : ",", name);
	json_string(&page.row, value, strlen(value));
}

static void html_begin(struct output *o)
{
	struct utsname u;

	html_page_write(o);
	begin_row("r");
	text_put(&page.row, ",{");
	add_fact("script", o->script);
	add_fact("command", o->command);
	add_fact("runtime", o->runtime);
	add_fact("ustap", STAPRUN_VERSION);
	if (!uname(&u)) {
		add_fact("host", u.nodename);
		add_fact("kernel", u.release);
		add_fact("machine", u.machine);
	}
	text_put(&page.row, "}");
	end_row(o);
	format_json.begin(o);
}

/* ------------------------------------------------------------------ statements */

/* The number of S, after a row that defines it; -1 if it is empty. */
static int64_t number_of(struct output *o, const char *s)
{
	bool is_new;
	uint32_t id;

	if (!s || !*s)
		return -1;
	id = string_id(&page.strings, s, strlen(s), &is_new);
	if (is_new) {
		begin_row("s");
		add_string(s, strlen(s));
		end_row(o);
	}
	return id;
}

static void put_statement(struct output *o, const struct hit_info *h, const struct item *it)
{
	const char *const texts[] = {h->comm, h->point, h->func, it->at, it->names};
	int64_t ids[sizeof texts / sizeof *texts];

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		ids[i] = number_of(o, texts[i]);
	begin_row("p");
	text_print(&page.row, ",%" PRIu64 ",%u,%" PRIu32 ",%" PRIu32, it->time, h->cpu, h->pid,
		   h->tid);
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		text_print(&page.row, ",%" PRId64, ids[i]);
	add_string(it->text, it->len);
	text_put(&page.row, ",[");
	for (size_t i = 0; i < it->nargs; i++) {
		text_put(&page.row, i ? "," : "");
		if (it->args[i].is_string)
			json_string(&page.row, it->args[i].s, it->args[i].len);
		else
			text_print(&page.row, "%" PRId64, it->args[i].number);
	}
	text_put(&page.row, "]");
	end_row(o);
}

/* Number of the graph of IT's stacks, named by its global or its location in the script. */
static unsigned group_of(const struct item *it)
{
	const char *name = it->kind == ITEM_GLOBAL ? strrchr(it->what, ' ') : NULL;
	bool is_new;

	name = name ? name + 1 : it->at ? it->at : "output";
	return string_id(&page.groups, name, strlen(name), &is_new);
}

static bool has_room(bool is_view)
{
	if (html_rows_size() < ROWS_MAX)
		return true;
	if (!is_view)
		page.omitted++;
	return false;
}

static void html_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	bool is_view = h->flags & UST_PARTS_VIEW;

	if (it->kind == ITEM_SOURCE) {
		begin_row("k");
		add_string(it->text, it->len);
		end_row(o);
		return;
	}
	if (it->kind != ITEM_WARN && it->kind != ITEM_ERROR && !is_view &&
	    stacks_take(it, group_of(it)))
		return;
	if (is_view && stack_mark(it->text, it->len))
		return; /* views of stacks would be stacks counted twice */
	if (!has_room(is_view))
		return;
	if (it->kind == ITEM_TEXT || it->kind == ITEM_PRINT || it->kind == ITEM_STACK)
		put_statement(o, h, it);
	else
		format_json.item(o, h, it);
}

static void html_hit_end(struct output *o, const struct hit_info *h)
{
	(void)o, (void)h;
	stacks_hit_end();
}

static void html_message(struct output *o, const char *level, const char *source, const char *text,
			 size_t len)
{
	if (has_room(false))
		format_json.message(o, level, source, text, len);
}

static void html_count(struct output *o, const struct ust_count *c, const char *pp,
		       const char *origin)
{
	if (has_room(c->flags & UST_COUNT_VIEW))
		format_json.count(o, c, pp, origin);
}

static void html_view_end(struct output *o)
{
	if (has_room(true))
		format_json.view_end(o);
}

/* ---------------------------------------------------------------------- stacks */

static const char *frame_end(const char *s) { return s + strcspn(s, ";"); }

/* Number of frames that A and B begin with, both; *REST: those of B behind them. */
static unsigned common_frames(const char *a, const char *b, const char **rest)
{
	unsigned n = 0;

	for (*rest = b; *a && *b; n++) {
		const char *x = frame_end(a), *y = frame_end(b);

		if (x - a != y - b || memcmp(a, b, (size_t)(x - a)))
			break;
		a = x + !!*x;
		b = y + !!*y;
		*rest = b;
	}
	return n;
}

/* Add the frames of S behind those that BEFORE has, too. */
static void add_frames(struct text *tree, struct string_ids *names, const char *before,
		       const struct stack_count *s)
{
	const char *rest;
	unsigned depth = common_frames(before, s->stack, &rest);
	bool is_new;

	for (; *rest; depth++) {
		const char *end = frame_end(rest);
		uint32_t name = string_id(names, rest, (size_t)(end - rest), &is_new);

		text_print(tree, "%s%u,%" PRIu32 ",%" PRIu64, tree->n ? "," : "", depth, name,
			   *end ? (uint64_t)0 : s->count);
		rest = end + !!*end;
	}
}

/* The stacks from V to END, which are of one group. */
static void put_tree(struct output *o, const struct stack_count *v, const struct stack_count *end)
{
	const struct string_id *title = &page.groups.v[v->group];
	struct string_ids names = {0};
	struct text tree = {0};
	const char *before = "";

	for (; v < end; before = v++->stack)
		add_frames(&tree, &names, before, v);
	begin_row("f");
	add_string(title->s, title->len);
	text_put(&page.row, ",[");
	for (size_t i = 0; i < names.n; i++) {
		text_put(&page.row, i ? "," : "");
		json_string(&page.row, names.v[i].s, names.v[i].len);
	}
	text_put(&page.row, "],[");
	text_add(&page.row, tree.s, tree.n);
	text_put(&page.row, "]");
	end_row(o);
	free(tree.s);
	string_ids_free(&names);
}

static void put_stacks(struct output *o)
{
	size_t n, to;
	const struct stack_count *all = stacks_sorted(&n);

	for (size_t i = 0; i < n; i = to) {
		for (to = i; to < n && all[to].group == all[i].group; to++)
			;
		put_tree(o, all + i, all + to);
	}
	stacks_free();
}

static void html_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	put_stacks(o);
	if (page.omitted) {
		say("--output=html: the page is full; %" PRIu64 " further rows are not in it",
		    page.omitted);
		begin_row("o");
		text_print(&page.row, ",%" PRIu64, page.omitted);
		end_row(o);
	}
	format_json.end(o, st, lost);
	output_text(o, "</script>\n</body>\n</html>\n");
	string_ids_free(&page.strings);
	string_ids_free(&page.groups);
	free(page.row.s);
	memset(&page, 0, sizeof page);
}

const struct format format_html = {.name = "html",
				   .in_page = true,
				   .usual_views = true,
				   .begin = html_begin,
				   .item = html_item,
				   .hit_end = html_hit_end,
				   .message = html_message,
				   .count = html_count,
				   .view_end = html_view_end,
				   .end = html_end};
