/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for strings: equal strings have the same one. */
#ifndef STAPRUN_OUTPUT_STRING_IDS_H
#define STAPRUN_OUTPUT_STRING_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct string_ids {
	struct string_id {
		char *s;
		size_t len;
	} * v;
	size_t n, cap;
	uint32_t *slots; /* open addressing: index in v plus 1; 0: free */
	size_t nslots;
};

/* The number of the LEN bytes at S, counted from 0; *IS_NEW: they had none. */
uint32_t string_id(struct string_ids *t, const char *s, size_t len, bool *is_new);
/* Free all strings; T is empty then. */
void string_ids_free(struct string_ids *t);

#endif
