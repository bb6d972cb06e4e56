/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory from one arena that lives as long as the compile, growable arrays, text, names, files.
 * Nothing is freed by a pass.
 */
#ifndef USTAP_BASE_UTIL_H
#define USTAP_BASE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF(f, a)
#endif
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void *xalloc(size_t size); /* zeroed; exits on no memory */
/* Copies in the arena, terminated by NUL, as is all text that functions here make. Exit if there is
 * no memory. xstrndup() copies N bytes; S need not have a NUL, and one among them is copied. */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
/* Format as printf() does, into the arena. xvprintf() leaves AP indeterminate, like vprintf(3). */
char *xprintf(const char *fmt, ...) PRINTF(1, 2);
char *xvprintf(const char *fmt, va_list ap) PRINTF(1, 0);
/* S with control characters other than newlines and tabs written as \xNN: names come from files
 * that others made, and a terminal obeys what it is sent. */
const char *printable(const char *s);
void arena_free_all(void); /* at exit, or between compiles */
/* For variables that outlive a function and point into the arena: zeroed with it. */
#define ARENA_STATE __attribute__((section("arena_state")))

/* A growable array in the arena: VEC(int) v = {0}; vec_push(&v, 3); v.v[0]. */
#define VEC(T)                 \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}
/* For vec_push(): a copy of V, which has room for *CAP elements of ELEM bytes, with twice the room
 * (8 at first); updates *CAP. The old elements stay valid until the arena is freed. */
void *vec_grow_(void *v, size_t *cap, size_t elem);
#define vec_push(a, x)                                                         \
	do {                                                                   \
		if ((a)->n == (a)->cap)                                        \
			(a)->v = vec_grow_((a)->v, &(a)->cap, sizeof *(a)->v); \
		(a)->v[(a)->n++] = (x);                                        \
	} while (0)

/* The same for vectors of millions of elements, which may be remapped instead of copied: no
 * pointers to elements may exist yet. */
void *vec_grow_large_(void *v, size_t *cap, size_t elem);
#define vec_push_large(a, x)                                                         \
	do {                                                                         \
		if ((a)->n == (a)->cap)                                              \
			(a)->v = vec_grow_large_((a)->v, &(a)->cap, sizeof *(a)->v); \
		(a)->v[(a)->n++] = (x);                                              \
	} while (0)

typedef VEC(const char *) text_vec;
typedef text_vec name_vec;

struct strbuf {
	char *s;
	size_t n, cap;
}; /* s is always NUL-terminated once written */
/* sb_add() appends a string, sb_addn() N bytes, which may include NUL, sb_printf() formatted text.
 * The text moves as it grows: keep no pointer into it. */
void sb_add(struct strbuf *sb, const char *s);
void sb_addn(struct strbuf *sb, const char *s, size_t n);
void sb_printf(struct strbuf *sb, const char *fmt, ...) PRINTF(2, 3);

/* String-keyed hash table; iteration is in order of insertion. */
struct smap {
	VEC(struct smap_ent {
		const char *key;
		void *val;
	})
	ents;
	uint32_t *slots;
	size_t nslots;
};
/* The value of KEY; NULL if KEY is not in M. Keys are compared by content. */
void *smap_get(const struct smap *m, const char *key);
/* Set the value of KEY, which is not copied: it must live as long as M, usually in the arena. */
void smap_put(struct smap *m, const char *key, void *val);

bool glob_match(const char *pattern, const char *s); /* * ? [..] ; whole string */
/* True if S has a character with a meaning in glob_match(): '*', '?' or '['. */
bool is_glob(const char *s);
/* The candidate nearest to NAME by edit distance, of several the one with the longest common
 * beginning; NULL if none is near. */
const char *nearest(const char *name, const char *const *cand, size_t n);
char *read_file(const char *path, size_t *len); /* a regular file; NULL and errno on failure */
char *read_first_line(const char *path);        /* without its end; NULL and errno on failure */
char *read_stream(int fd, size_t *len);         /* the same of what FD gives up to its end */
/* Write N bytes; false and errno on failure, after which a part of them may be written. */
bool write_all(int fd, const void *p, size_t n);
/* The umask of this process. */
mode_t creation_mask(void);
/* Write all of the new file FD, give it the permissions MODE less the umask, and close it. False
 * and errno on failure, after which it is closed, too. */
bool write_and_close(int fd, const void *p, size_t n, mode_t mode);

#endif
