/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes and values of OTLP/JSON. */
#ifndef STAPRUN_OUTPUT_OTLP_VALUES_H
#define STAPRUN_OUTPUT_OTLP_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_text.h"

struct hit_info;

/* Append a comma, unless T ends with an opening bracket or is empty. */
void otlp_comma(struct text *t);
/* Append a KeyValue, preceded by a comma if needed. */
void otlp_number(struct text *t, const char *key, int64_t value);
/* The same of a string of LEN bytes. */
void otlp_string(struct text *t, const char *key, const char *s, size_t len);
/* The same, but nothing if S is NULL or empty. */
void otlp_text(struct text *t, const char *key, const char *s);
/* Append an AnyValue: bytes that are not UTF-8 as bytesValue. */
void otlp_string_value(struct text *t, const char *s, size_t len);
/* Append the attributes of a hit's process, thread and function. */
void otlp_hit(struct text *t, const struct hit_info *h);

#endif
