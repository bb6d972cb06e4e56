/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Document: the texts that the client has open, as it changes them. */
#include <stdlib.h>
#include <string.h>
#include "lsp.h"

struct document *document_find(struct document *list, const char *uri)
{
	for (; list; list = list->next)
		if (uri && !strcmp(list->uri, uri))
			return list;
	return NULL;
}

static char *copy(const char *s, size_t len)
{
	char *p = malloc(len + 1);

	if (!p)
		abort();
	memcpy(p, s, len);
	p[len] = 0;
	return p;
}

void document_open(struct document **list, const char *uri, const char *text, size_t len,
		   int64_t version)
{
	struct document *d = document_find(*list, uri);

	if (!d) {
		d = calloc(1, sizeof *d);
		if (!d)
			abort();
		d->uri = copy(uri, strlen(uri));
		d->next = *list;
		*list = d;
	}
	free(d->text);
	d->text = copy(text, len);
	d->len = len;
	d->version = version;
}

void document_close(struct document **list, const char *uri)
{
	for (; *list; list = &(*list)->next) {
		struct document *d = *list;

		if (strcmp(d->uri, uri))
			continue;
		*list = d->next;
		free(d->uri);
		free(d->text);
		free(d);
		return;
	}
}

static size_t offset_of(const struct document *d, json *position, enum encoding e)
{
	return position_offset(d->text, d->len, e, json_object_get_int64(json_at(position, "line")),
			       json_object_get_int64(json_at(position, "character")));
}

/* BY takes the place of [BEG, END). */
static void replace(struct document *d, size_t beg, size_t end, const char *by, size_t n)
{
	size_t len = d->len - (end - beg) + n;
	char *text = malloc(len + 1);

	if (!text)
		abort();
	memcpy(text, d->text, beg);
	memcpy(text + beg, by, n);
	memcpy(text + beg + n, d->text + end, d->len - end);
	text[len] = 0;
	free(d->text);
	d->text = text;
	d->len = len;
}

static bool change(struct document *d, json *c, enum encoding e)
{
	json *text = json_at(c, "text"), *range = json_at(c, "range");
	size_t beg = 0, end = d->len;

	if (!json_object_is_type(text, json_type_string))
		return false;
	if (range) {
		beg = offset_of(d, json_at(range, "start"), e);
		end = offset_of(d, json_at(range, "end"), e);
		if (end < beg)
			return false;
	}
	replace(d, beg, end, json_object_get_string(text),
		(size_t)json_object_get_string_len(text));
	return true;
}

bool document_change(struct document *d, json *changes, enum encoding e)
{
	if (!json_object_is_type(changes, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(changes); i++)
		if (!change(d, json_object_array_get_idx(changes, i), e))
			return false;
	return true;
}
