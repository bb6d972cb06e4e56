/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes and values of OTLP/JSON. */
#include "output/otlp_values.h"
#include "output/output_format.h"

#include <inttypes.h>
#include <string.h>

void otlp_comma(struct text *t)
{
	char last = t->n ? t->s[t->n - 1] : '[';

	if (last != '[' && last != '{')
		text_put(t, ",");
}

void otlp_number(struct text *t, const char *key, int64_t value)
{
	otlp_comma(t);
	text_put(t, "{\"key\":");
	json_string(t, key, strlen(key));
	text_print(t, ",\"value\":{\"intValue\":\"%" PRId64 "\"}}", value);
}

void otlp_string_value(struct text *t, const char *s, size_t len)
{
	size_t before = t->n;

	text_put(t, "{\"stringValue\":");
	if (!json_string(t, s, len)) {
		t->n = before;
		text_put(t, "{\"bytesValue\":");
		json_base64(t, s, len);
	}
	text_put(t, "}");
}

void otlp_string(struct text *t, const char *key, const char *s, size_t len)
{
	otlp_comma(t);
	text_put(t, "{\"key\":");
	json_string(t, key, strlen(key));
	text_put(t, ",\"value\":");
	otlp_string_value(t, s, len);
	text_put(t, "}");
}

void otlp_text(struct text *t, const char *key, const char *s)
{
	if (s && *s)
		otlp_string(t, key, s, strlen(s));
}

void otlp_hit(struct text *t, const struct hit_info *h)
{
	otlp_number(t, "cpu.logical_number", h->cpu);
	if (!*h->point)
		return;
	otlp_number(t, "process.pid", h->pid);
	otlp_number(t, "thread.id", h->tid);
	otlp_text(t, "thread.name", h->comm);
	otlp_text(t, "ustap.probe", h->point);
	otlp_text(t, "code.function.name", h->func);
}
