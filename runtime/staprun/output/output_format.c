/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of --output by name, and the text of a script built for another format. */
#include "output/metrics.h"
#include "output/output_format.h"
#include "output/output.h"

#include <stdbool.h>
#include <string.h>

static void text_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	(void)h;
	if (it->kind != ITEM_WARN && it->kind != ITEM_ERROR)
		output_bytes(o, it->text, it->len);
}

static const struct format format_text = {.name = "text", .item = text_item};

const struct format *format_find(const char *name)
{
	static const struct format *const all[] = {&format_text,  &format_json, &format_folded,
						   &format_trace, &format_html, &format_otlp};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

void format_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	struct item named = *it;

	if (o->metrics && h->flags & UST_PARTS_VIEW && it->kind != ITEM_WARN &&
	    it->kind != ITEM_ERROR) {
		metrics_item(o->metrics, it);
		return;
	}
	if (!o->format->item || (it->kind == ITEM_SOURCE && !o->format->in_page) ||
	    (it->kind == ITEM_SPAN && o->format != &format_otlp))
		return;
	names_resolve(o->names, &named.text, &named.len);
	o->format->item(o, h, &named);
}

bool format_is_text(const struct format *f) { return f == &format_text; }
