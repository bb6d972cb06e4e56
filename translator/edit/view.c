/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View: a text, its words and declarations, and places in it. */
#include <string.h>
#include "edit.h"
#include "base/installed.h"
#include "base/proc_root.h"
#include "parse/library.h"
#include "bisect.h"

static bool is_below(const char *path, const char *dir)
{
	const char *real = dir ? path_real(dir) : NULL;
	size_t n = real ? strlen(real) : 0;

	return n && !strncmp(path, real, n) && path[n] == '/';
}

/* Is PATH in a directory of the script library?  Its files may do what scripts may not. */
static bool in_library(const struct session *s, const char *path)
{
	bool below = is_below(path, data_path("tapsets"));

	for (size_t i = 0; i < s->opt.includes.n && !below; i++)
		below = is_below(path, s->opt.includes.v[i]);
	return below;
}

void view_make(struct view *v, const struct session *base, const char *name, const char *text,
	       size_t len)
{
	*v = (struct view){.base = base, .src = source_new(name, text, len)};
	v->src->library = in_library(base, name);
	source_lexemes(v->src, &v->words);
	outline(&v->words, &v->parts);
}

size_t view_word_after(const struct view *v, size_t at)
{
	return BISECT(mid, v->words.n, v->words.v[mid].loc.end <= at);
}

/* Index of the word at AT; of two words that meet there, the one that can be a name. */
size_t view_word_at(const struct view *v, size_t at)
{
	size_t i = view_word_after(v, at);
	bool here = i < v->words.n && v->words.v[i].loc.beg <= at;

	if (i && v->words.v[i - 1].loc.end == at && v->words.v[i - 1].kind != WORD_MARK &&
	    (!here || v->words.v[i].kind == WORD_MARK))
		return i - 1;
	return here ? i : v->words.n;
}

const struct part *view_part_at(const struct view *v, size_t at)
{
	size_t n = BISECT(mid, v->parts.n, v->words.v[v->parts.v[mid].first].loc.beg <= at);
	const struct part *p;

	if (!n)
		return NULL;
	p = &v->parts.v[n - 1];
	if (p->last > p->first && at > v->words.v[p->last - 1].loc.end &&
	    (p->closed || p->kind == PART_GLOBAL))
		return NULL;
	return p;
}

/* Between words there are only blanks and comments. */
bool view_in_comment(const struct view *v, size_t at)
{
	size_t i = view_word_after(v, at), from = i ? v->words.v[i - 1].loc.end : 0;
	const char *text = v->src->text;

	for (size_t k = from; k < at;) {
		size_t end = k + 1;

		if (text[k] == '#' || (text[k] == '/' && text[k + 1] == '/')) {
			for (end = k; end < v->src->len && text[end] != '\n';)
				end++;
			if (at <= end)
				return true;
		} else if (text[k] == '/' && text[k + 1] == '*') {
			const char *close = strstr(text + k + 2, "*/");

			end = close ? (size_t)(close - text) + 2 : v->src->len + 1;
			if (at < end)
				return true;
		}
		k = end;
	}
	return false;
}

bool view_word_is(const struct view *v, size_t word, const char *text)
{
	return word < v->words.n && !strcmp(v->words.v[word].text, text);
}

bool part_contains(const struct part *p, size_t word) { return word >= p->first && word < p->last; }

const char *words_text(const struct view *v, size_t first, size_t last)
{
	size_t beg;

	if (first >= last || last > v->words.n)
		return "";
	beg = v->words.v[first].loc.beg;
	return xstrndup(v->src->text + beg, v->words.v[last - 1].loc.end - beg);
}

struct loc loc_of_use(struct loc loc)
{
	while (loc.src && loc.src->macro)
		loc = loc.src->used;
	return loc;
}
