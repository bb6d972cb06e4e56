/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Json: small things that json-c leaves to its users. */
#include <stdlib.h>
#include <string.h>
#include "lsp.h"

/* Length of the valid UTF-8 character at S in bytes; 0 if it is invalid. */
static size_t valid(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = *u < 0x80                 ? 1
		   : *u >= 0xc2 && *u < 0xe0 ? 2
		   : *u >= 0xe0 && *u < 0xf0 ? 3
		   : *u >= 0xf0 && *u < 0xf5 ? 4
					     : 0;

	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((n == 3 && ((*u == 0xe0 && u[1] < 0xa0) || (*u == 0xed && u[1] >= 0xa0))) ||
	    (n == 4 && ((*u == 0xf0 && u[1] < 0x90) || (*u == 0xf4 && u[1] >= 0x90))))
		return 0;
	return n;
}

json *json_text(const char *s)
{
	size_t len = strlen(s), n = 0;
	char *out = malloc(len * 3 + 1);
	json *j;

	if (!out)
		abort();
	while (*s) {
		size_t size = valid(s);

		memcpy(out + n, size ? s : "\357\277\275", size ? size : 3);
		n += size ? size : 3;
		s += size ? size : 1;
	}
	j = json_object_new_string_len(out, (int)n);
	free(out);
	return j;
}

void json_put(json *obj, const char *key, json *value) { json_object_object_add(obj, key, value); }

void json_put_text(json *obj, const char *key, const char *s) { json_put(obj, key, json_text(s)); }

json *json_at(json *obj, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, ".");
		char key[64];

		if (n >= sizeof key || !json_object_is_type(obj, json_type_object))
			return NULL;
		memcpy(key, path, n);
		key[n] = 0;
		if (!json_object_object_get_ex(obj, key, &obj))
			return NULL;
		path += n + (path[n] == '.');
	}
	return obj;
}

const char *json_string_at(json *obj, const char *path)
{
	json *j = json_at(obj, path);

	return json_object_is_type(j, json_type_string) ? json_object_get_string(j) : NULL;
}
