/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diagnose: what the passes say of a document. */
#include <string.h>
#include "view.h"

/* In a text of which some declarations did not parse, these may come from what is missing. */
static bool may_follow(enum errtag tag)
{
	static const enum errtag tags[] = {E_ARITY,  E_PROBE_POINT, W_NEVER_ASSIGNED,
					   W_UNUSED, E_NO_PROBES,   E_UNRESOLVED_TYPE};

	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

/* Is the name at AT that of a declaration, one that did not parse? */
static bool is_declared(const struct view *v, struct loc at)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *name = xstrndup(at.src->text + at.beg, strspn(at.src->text + at.beg, letters));

	return part_named(v, PART_FUNCTION, name) || part_named(v, PART_GLOBAL, name);
}

/* True if the text has a script argument there, such as $1 or @1. */
static bool has_argument(const char *s, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if ((s[i] == '$' || s[i] == '@') &&
		    (s[i + 1] == '#' || (s[i + 1] >= '0' && s[i + 1] <= '9')))
			return true;
	return false;
}

/* Is the message about points that script arguments
 * have a part in?  What these are is not known. */
static bool depends_on_arguments(const struct view *v, struct loc at)
{
	const struct part *p = at.src == v->src ? view_part_at(v, at.beg) : NULL;
	const char *points = part_points(v, p);

	return points && has_argument(points, strlen(points));
}

static bool is_wanted(const struct view *v, const struct analysis *a, const struct message *m)
{
	struct loc at = loc_of_use(m->loc);

	if (!at.src)
		return m->tag != E_NO_PROBES;
	if (a->broken && m >= &a->messages.v[a->parsed] &&
	    (may_follow(m->tag) ||
	     ((m->tag == E_UNKNOWN_FUNCTION || m->tag == E_UNKNOWN_ARRAY) && is_declared(v, at))))
		return false;
	return m->tag == E_SYNTAX || m->tag == E_LITERAL || !depends_on_arguments(v, at);
}

static json *related(const struct view *v, struct loc loc, const char *text)
{
	json *place = location_json(v, loc), *j;

	if (!place)
		return NULL;
	j = json_object_new_object();
	json_put(j, "location", place);
	json_put_text(j, "message", text);
	return j;
}

static void add_related(const struct view *v, const struct message *m, json *out)
{
	json *list = json_object_new_array();

	for (size_t i = 0; i < m->also.n; i++) {
		json *j = related(v, loc_of_use(m->also.v[i]), "related location");

		if (j)
			json_object_array_add(list, j);
	}
	for (struct loc at = m->loc; at.src && at.src->macro; at = at.src->used) {
		json *j = related(v, (struct loc){at.src, at.beg, at.end},
				  xprintf("in macro %s", at.src->macro));

		if (j)
			json_object_array_add(list, j);
	}
	if (json_object_array_length(list))
		json_put(out, "relatedInformation", list);
	else
		json_object_put(list);
}

/* Messages about another file are shown at the beginning of this one. */
static json *diagnostic(const struct view *v, const struct message *m)
{
	json *d = json_object_new_object();
	struct loc at = loc_of_use(m->loc), begin = {v->src, 0, 0};
	struct strbuf text = {0};
	unsigned line, col;

	if (at.src && at.src != v->src) {
		loc_linecol(at, &line, &col);
		sb_printf(&text, "%s:%u:%u: ", at.src->name, line, col);
	}
	sb_add(&text, m->text);
	for (size_t i = 0; i < m->hints.n; i++)
		sb_printf(&text, "\n%s", m->hints.v[i]);
	json_put(d, "range", range_json(v, at.src == v->src ? at : begin));
	json_put(d, "severity", json_object_new_int(m->error ? 1 : 2));
	json_put_text(d, "code", tag_name(m->tag));
	json_put_text(d, "source", "ustap");
	json_put_text(d, "message", text.s);
	add_related(v, m, d);
	return d;
}

json *answer_check(struct server *srv, const struct document *doc, json *params)
{
	json *result = json_object_new_object(), *list = json_object_new_array();
	struct analysis a;
	struct view v;

	(void)params;
	view_open(&v, srv, doc);
	view_analyse(&v, NULL, 0, "locks", &a);
	for (size_t i = 0; i < a.messages.n; i++)
		if (is_wanted(&v, &a, &a.messages.v[i]))
			json_object_array_add(list, diagnostic(&v, &a.messages.v[i]));
	json_put_text(result, "uri", doc->uri);
	json_put(result, "version", json_object_new_int64(doc->version));
	json_put(result, "diagnostics", list);
	return result;
}
