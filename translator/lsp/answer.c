/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answer: the document that is asked about, its words and places. */
#include <string.h>
#include "view.h"

/* ------------------------------------------------------------- files */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
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
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+@";
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

/* Is PATH in a directory of the script library?  Its files may do what scripts may not. */
static bool in_library(const struct session *s, const char *path)
{
	const char *own = data_path("tapsets");
	size_t n = own ? strlen(own) : 0;

	if (n && !strncmp(path, own, n) && path[n] == '/')
		return true;
	for (size_t i = 0; i < s->opt.includes.n; i++) {
		const char *dir = path_real(s->opt.includes.v[i]);

		n = dir ? strlen(dir) : 0;
		if (n && !strncmp(path, dir, n) && path[n] == '/')
			return true;
	}
	return false;
}

void view_open(struct view *v, struct server *srv, const struct document *d)
{
	*v = (struct view){.srv = srv, .doc = d, .path = uri_path(d->uri)};
	v->src = source_new(*v->path ? v->path : d->uri, d->text, d->len);
	v->src->library = *v->path && in_library(srv->base, v->path);
	source_lexemes(v->src, &v->words);
	outline(&v->words, &v->parts);
}

/* ------------------------------------------------------------- places */

size_t view_offset(const struct view *v, json *params)
{
	return position_offset(v->doc->text, v->doc->len, v->srv->encoding,
			       json_object_get_int64(json_at(params, "position.line")),
			       json_object_get_int64(json_at(params, "position.character")));
}

size_t view_word_after(const struct view *v, size_t at)
{
	size_t lo = 0, hi = v->words.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v->words.v[mid].loc.end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Of two words that meet at AT, that which can be a name. */
size_t view_word_at(const struct view *v, size_t at)
{
	size_t i = view_word_after(v, at);
	bool here = i < v->words.n && v->words.v[i].loc.beg <= at;

	if (i && v->words.v[i - 1].loc.end == at && v->words.v[i - 1].kind != WORD_MARK && (!here || v->words.v[i].kind == WORD_MARK))
		return i - 1;
	return here ? i : v->words.n;
}

const struct part *view_part_at(const struct view *v, size_t at)
{
	for (size_t i = v->parts.n; i-- > 0; ) {
		const struct part *p = &v->parts.v[i];

		if (v->words.v[p->first].loc.beg > at)
			continue;
		if (p->last > p->first && at > v->words.v[p->last - 1].loc.end && (p->closed || p->kind == PART_GLOBAL))
			return NULL;
		return p;
	}
	return NULL;
}

/* Between words there are only blanks and comments. */
bool view_in_comment(const struct view *v, size_t at)
{
	size_t i = view_word_after(v, at), from = i ? v->words.v[i - 1].loc.end : 0;
	const char *text = v->doc->text;

	for (size_t k = from; k < at; ) {
		size_t end = k + 1;

		if (text[k] == '#' || (text[k] == '/' && text[k + 1] == '/')) {
			for (end = k; end < v->doc->len && text[end] != '\n'; )
				end++;
			if (at <= end)
				return true;
		} else if (text[k] == '/' && text[k + 1] == '*') {
			const char *close = strstr(text + k + 2, "*/");

			end = close ? (size_t)(close - text) + 2 : v->doc->len + 1;
			if (at < end)
				return true;
		}
		k = end;
	}
	return false;
}

bool word_is(const struct view *v, size_t word, const char *text)
{
	return word < v->words.n && !strcmp(v->words.v[word].text, text);
}

bool part_holds(const struct part *p, size_t word) { return word >= p->first && word < p->last; }

const char *words_text(const struct view *v, size_t first, size_t last)
{
	size_t beg;

	if (first >= last || last > v->words.n)
		return "";
	beg = v->words.v[first].loc.beg;
	return xstrndup(v->doc->text + beg, v->words.v[last - 1].loc.end - beg);
}

/* ------------------------------------------------------------- positions */

static struct { const char *text; size_t len; VEC(size_t) lines; } lines;

static void find_lines(const char *text, size_t len)
{
	if (lines.text == text && lines.len == len && lines.lines.n)
		return;
	lines.text = text;
	lines.len = len;
	lines.lines.n = 0;
	vec_push(&lines.lines, 0);
	for (size_t at = 0; (at = position_next_line(text, len, at)) < len; )
		vec_push(&lines.lines, at);
	if (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		vec_push(&lines.lines, len);
}

static json *position_of(const struct view *v, const struct source *src, size_t at)
{
	json *j = json_object_new_object();
	size_t lo = 0, hi;

	at = at < src->len ? at : src->len;
	find_lines(src->text, src->len);
	hi = lines.lines.n;
	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (lines.lines.v[mid] <= at)
			lo = mid;
		else
			hi = mid;
	}
	json_put(j, "line", json_object_new_int64((int64_t)lo));
	json_put(j, "character", json_object_new_int64(position_character(src->text, v->srv->encoding, lines.lines.v[lo], at)));
	return j;
}

json *range_of(const struct view *v, struct loc loc)
{
	json *j = json_object_new_object();

	json_put(j, "start", position_of(v, loc.src, loc.beg));
	json_put(j, "end", position_of(v, loc.src, loc.end > loc.beg ? loc.end : loc.beg));
	return j;
}

json *location_of(const struct view *v, struct loc loc)
{
	json *j;
	bool own = loc.src->text == v->src->text;

	if (!own && loc.src->name[0] != '/')
		return NULL;
	j = json_object_new_object();
	json_put_text(j, "uri", own ? v->doc->uri : path_uri(loc.src->name));
	json_put(j, "range", range_of(v, loc));
	return j;
}

struct loc home_of(struct loc loc)
{
	while (loc.src && loc.src->macro)
		loc = loc.src->used;
	return loc;
}
