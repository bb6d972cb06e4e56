/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of one thread in its units; index_build.c merges those of all threads. */
#ifndef USTAP_INDEX_SCAN_H
#define USTAP_INDEX_SCAN_H

#include "name_index.h"

/* Growable arrays and a map of numbers outside of the arena, which is for one thread only. */
#define LIST(T)                \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}
#define list_push(l, x)                                                 \
	(list_room((void **)&(l)->v, (l)->n, &(l)->cap, sizeof *(l)->v) \
		 ? ((l)->v[(l)->n++] = (x), true)                       \
		 : false)
/* Make room in *V for one element of SIZE bytes after N; *CAP counts elements. On the heap, to be
 * freed by the owner of the list, as scans run in a thread of their own. False: no memory, or 4 G
 * elements; *V is as before. */
bool list_room(void **v, size_t n, size_t *cap, size_t size);

struct number_map {
	uint64_t *keys;
	uint32_t *vals;
	size_t n, cap;
};
/* The value of KEY, which is not 0; a new one is VALUE.  NULL: no memory. */
uint32_t *numbers_put(struct number_map *m, uint64_t key, uint32_t value, bool *is_new);
/* Free the memory of M, which is then empty. */
void numbers_free(struct number_map *m);

struct inlined_pair {
	uint32_t name, outer;
}; /* number of struct inlined_name, offset of the function's entry */
struct inlined_name {
	uint32_t name, linkage, last;
}; /* numbers of strings; the outer function it was last seen in */
struct def {
	uint32_t name, tag, die;
};

/* An entry of an abstract function, and the number of its name.  Units mostly refer to what they
 * have themselves. */
struct origin {
	uint64_t key;
	uint32_t name;
};
enum { ORIGINS = 4096 };

struct scan {
	uint64_t listed;              /* ranges that were read */
	LIST(const char *) strings;   /* 0: no string */
	struct number_map string_ids; /* address -> number */
	struct number_map text_ids;   /* hash of strings in .debug_info -> number */
	LIST(struct index_range) ranges;
	struct origin origins[ORIGINS]; /* those that came last */
	struct number_map name_ids;     /* keys of name and linkage name -> number */
	LIST(struct inlined_name) names;
	LIST(struct inlined_pair) pairs;
	struct number_map def_ids;
	LIST(struct def) defs;
	LIST(struct index_instance) instances;
	bool failed;
};

/* All entries of U, of a file that is ALT or not; false: no memory, or it is malformed. */
bool scan_unit(struct scan *s, struct raw_unit *u, bool alt);
/* The number of STR, whose address stays. */
uint32_t scan_string(struct scan *s, const char *str);
/* Free all lists; STR of scan_string() are not S's. */
void scan_free(struct scan *s);

#endif
