/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answer: the document that is asked about, and places as the protocol has them. */
#include <string.h>
#include "view.h"
#include "bisect.h"

/* ------------------------------------------------------------- files */

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

const char *uri_path(const char *uri)
{
	struct strbuf sb = {0};

	if (strncmp(uri, "file://", 7) || !strchr(uri + 7, '/'))
		return "";
	for (const char *p = strchr(uri + 7, '/'); *p; p++) {
		char c = *p;

		if (c == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			c = (char)(hex(p[1]) * 16 + hex(p[2]));
			p += 2;
		}
		sb_addn(&sb, &c, 1);
	}
	return sb.s;
}

const char *path_uri(const char *path)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+@";
	struct strbuf sb = {0};

	sb_add(&sb, "file://");
	for (; *path; path++) {
		if (strchr(plain, *path))
			sb_addn(&sb, path, 1);
		else
			sb_printf(&sb, "%%%02X", (unsigned char)*path);
	}
	return sb.s;
}

void view_open(struct view *v, struct server *srv, const struct document *d)
{
	const char *path = uri_path(d->uri);

	view_make(v, srv->base, *path ? path : d->uri, d->text, d->len);
	v->snippets = srv->snippets;
	v->srv = srv;
	v->doc = d;
}

size_t view_offset(const struct view *v, json *params)
{
	return position_offset(v->src->text, v->src->len, v->srv->encoding,
			       json_object_get_int64(json_at(params, "position.line")),
			       json_object_get_int64(json_at(params, "position.character")));
}

/* ------------------------------------------------------------- positions */

static struct {
	const char *text;
	size_t len;
	VEC(size_t) lines;
} lines;

static void find_lines(const char *text, size_t len)
{
	if (lines.text == text && lines.len == len && lines.lines.n)
		return;
	lines.text = text;
	lines.len = len;
	lines.lines.n = 0;
	vec_push(&lines.lines, 0);
	for (size_t at = 0; (at = position_next_line(text, len, at)) < len;)
		vec_push(&lines.lines, at);
	if (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		vec_push(&lines.lines, len);
}

static json *position_of(const struct view *v, const struct source *src, size_t at)
{
	json *j = json_object_new_object();
	size_t lo;

	at = at < src->len ? at : src->len;
	find_lines(src->text, src->len);
	lo = BISECT(mid, lines.lines.n, lines.lines.v[mid] <= at) - 1; /* the first is 0 */
	json_put(j, "line", json_object_new_int64((int64_t)lo));
	json_put(j, "character",
		 json_object_new_int64(
			 position_character(src->text, v->srv->encoding, lines.lines.v[lo], at)));
	return j;
}

json *range_json(const struct view *v, struct loc loc)
{
	json *j = json_object_new_object();

	json_put(j, "start", position_of(v, loc.src, loc.beg));
	json_put(j, "end", position_of(v, loc.src, loc.end > loc.beg ? loc.end : loc.beg));
	return j;
}

json *location_json(const struct view *v, struct loc loc)
{
	json *j;
	bool own = loc.src->text == v->src->text;

	if (!own && loc.src->name[0] != '/')
		return NULL;
	j = json_object_new_object();
	json_put_text(j, "uri", own ? v->doc->uri : path_uri(loc.src->name));
	json_put(j, "range", range_json(v, loc));
	return j;
}
