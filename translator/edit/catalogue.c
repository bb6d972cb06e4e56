/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Catalogue: declarations of the tapset library and of doc/built_in.txt, with the comments above
 * them. */
#include <ctype.h>
#include <string.h>
#include "edit.h"
#include "base/installed.h"
#include "base/proc_root.h"
#include "parse/library.h"

static const char *const markers[] = {"#", "//"};

/* The line [BEG, END) without its comment's marker; false if the line is not part of a comment. */
static bool comment_line(const char *beg, const char *end, struct strbuf *line)
{
	while (beg < end && isblank((unsigned char)*beg))
		beg++;
	for (size_t i = 0; i < ARRAY_LEN(markers); i++) {
		size_t n = strlen(markers[i]);

		if ((size_t)(end - beg) < n || strncmp(beg, markers[i], n))
			continue;
		beg += n;
		beg += beg < end && *beg == ' ';
		*line = (struct strbuf){0};
		sb_addn(line, beg, (size_t)(end - beg));
		return strncmp(line->s, "== ", 3) && !strstr(line->s, "SPDX-License");
	}
	return false;
}

/* The text of the comment that ends on the line before LINE. */
static const char *block_above(const char *text, const char *line)
{
	const char *end = line, *beg;
	struct strbuf sb = {0};

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (end - text < 4 || strncmp(end - 2, "*/", 2) ||
	    memchr(end, '\n', (size_t)(line - end)) != line - 1)
		return "";
	for (beg = end - 2; beg > text && strncmp(beg, "/*", 2);)
		beg--;
	for (beg += 2, end -= 2; beg < end; beg++) {
		while (beg < end && (isblank((unsigned char)*beg) || *beg == '*'))
			beg++;
		while (beg < end && *beg != '\n')
			sb_addn(&sb, beg++, 1);
		sb_add(&sb, sb.n ? "\n" : "");
	}
	return sb.s ? sb.s : "";
}

const char *comment_find(const char *text, size_t at)
{
	const char *line = text + at, *doc = "";
	struct strbuf sb = {0};

	while (line > text && line[-1] != '\n')
		line--;
	for (const char *end = line, *beg; end > text; end = beg) {
		for (beg = end - 1; beg > text && beg[-1] != '\n';)
			beg--;
		if (!comment_line(beg, end - 1, &sb))
			break;
		doc = xprintf("%s%s%s", sb.s, *doc ? "\n" : "", doc);
	}
	return *doc ? doc : block_above(text, line);
}

static char kind_of(enum part_kind kind)
{
	static const char kinds[] = {[PART_PROBE] = 0,
				     [PART_ALIAS] = 'a',
				     [PART_FUNCTION] = 'f',
				     [PART_GLOBAL] = 'g',
				     [PART_MACRO] = 'm'};

	return kinds[kind];
}

/* The declaration without its body; the whole text of a macro. */
static const char *head_of(const struct part *p, const lexeme_vec *words)
{
	size_t last = p->kind == PART_MACRO    ? p->last
		      : p->kind == PART_GLOBAL ? p->name_word + 1
					       : p->head_end;
	size_t first = p->kind == PART_GLOBAL ? p->name_word : p->first;
	struct loc a = words->v[first].loc, b = words->v[last > first ? last - 1 : first].loc;

	return xstrndup(a.src->text + a.beg, b.end - a.beg);
}

static void add_source(const struct source *src, bool built_in, entry_vec *out)
{
	lexeme_vec words = {0};
	part_vec parts = {0};

	source_lexemes(src, &words);
	outline(&words, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		const struct part *p = &parts.v[i];
		struct entry e = {
			.kind = kind_of(p->kind), .name = p->name, .src = built_in ? NULL : src};

		if (!e.kind || p->name_word >= words.n ||
		    !strcmp(words.v[p->first].text, "private"))
			continue;
		e.at = words.v[p->name_word].loc.beg;
		e.head = head_of(p, &words);
		e.doc = comment_find(src->text, words.v[p->first].loc.beg);
		if (e.kind == 'a')
			e.name = xstrndup(src->text + e.at, words.v[p->head - 2].loc.end - e.at);
		vec_push(out, e);
	}
}

static void add_file(const char *path, bool built_in, entry_vec *out)
{
	size_t len;
	char *text = read_file(path, &len);

	if (text)
		add_source(source_new(path, text, len), built_in, out);
}

/* Is it the file that is being edited? */
static bool is_own(const struct view *v, const char *path)
{
	const char *name = strrchr(path, '/'), *own = strrchr(v->src->name, '/'), *real;

	if (!name || !own || strcmp(name, own))
		return false;
	real = path_real(path);
	return real && !strcmp(real, v->src->name);
}

const entry_vec *catalogue(const struct view *v)
{
	static entry_vec all;
	const char *doc = data_path("doc");
	text_vec paths = {0};

	if (all.n)
		return &all;
	library_paths(v->base, &paths);
	for (size_t i = 0; i < paths.n; i++)
		if (!is_own(v, paths.v[i]))
			add_file(paths.v[i], false, &all);
	if (doc)
		add_file(xprintf("%s/built_in.txt", doc), true, &all);
	return &all;
}
