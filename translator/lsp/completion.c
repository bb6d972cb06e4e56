/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion: offers as items. */
#include <string.h>
#include "view.h"

static void add_item(struct completion *c, const struct offer *o)
{
	json *item = json_object_new_object(), *edit = json_object_new_object();
	struct loc at = {c->v->src, (uint32_t)c->from, (uint32_t)c->to};

	json_put_text(item, "label", o->label);
	json_put(item, "kind", json_object_new_int(o->kind));
	if (o->detail && *o->detail)
		json_put_text(item, "detail", o->detail);
	if (o->doc && *o->doc)
		json_put_text(item, "documentation", o->doc);
	if (strchr(o->label, '(')) /* that is not typed yet */
		json_put_text(item, "filterText", xstrndup(o->label, strcspn(o->label, "(")));
	if (o->snippet)
		json_put(item, "insertTextFormat", json_object_new_int(2));
	json_put(edit, "range", range_json(c->v, at));
	json_put_text(edit, "newText", o->insert ? o->insert : o->label);
	json_put(item, "textEdit", edit);
	json_object_array_add(c->arg, item);
}

json *answer_completion(struct server *srv, const struct document *d, json *params)
{
	json *result = json_object_new_object(), *items = json_object_new_array();
	struct completion c = {.add = add_item, .arg = items};
	struct view v;

	view_open(&v, srv, d);
	c.v = &v;
	c.at = view_offset(&v, params);
	complete(&c);
	json_put(result, "isIncomplete", json_object_new_boolean(c.more));
	json_put(result, "items", items);
	return result;
}
