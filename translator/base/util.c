/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Util: memory from one arena, growable arrays, text, names, files.
 *
 * The arena only grows; arena_free_all() gives everything back at exit.  All
 * memory from it is zeroed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trust.h"
#include "util.h"

/* ------------------------------------------------------------- memory */

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

#define CHUNK_SIZE ((size_t)1 << 20)
#define HUGE_PAGE  ((size_t)2 << 20)
#define ALIGN(n)   (((n) + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1))

static ARENA_STATE struct chunk *arena;

/* The first chunk does for most scripts.  Those of large ones are aligned to
 * huge pages: faulting small ones in would cost more than parsing. */
static struct chunk *chunk_new(size_t size)
{
	size_t total = sizeof(struct chunk) + size;
	struct chunk *c;

	if (!arena) {
		c = calloc(1, total);
	} else {
		total = (total + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		c = aligned_alloc(HUGE_PAGE, total);
		if (c) {
			madvise(c, total, MADV_HUGEPAGE);
			memset(c, 0, total);
		}
	}
	if (!c) {
		fputs("ustap: out of memory\n", stderr);
		exit(1);
	}
	c->size = total - sizeof *c;
	return c;
}

void *xalloc(size_t size)
{
	struct chunk *c = arena;
	void *p;

	size = ALIGN(size ? size : 1);
	if (!c || c->size - c->used < size) {
		c = chunk_new(size > CHUNK_SIZE ? size : CHUNK_SIZE);
		c->next = arena;
		arena = c;
	}
	p = c->data + c->used;
	c->used += size;
	return p;
}

/* Memory of its own for large arrays, which can grow. */
struct large {
	struct large *next;
	void *p;
	size_t size;
};
static ARENA_STATE struct large *larges;

static void large_free_all(void)
{
	for (struct large *l = larges; l; l = l->next)
		munmap(l->p, l->size);
	larges = NULL;
}

extern char __start_arena_state[], __stop_arena_state[]; /* of the linker */

void arena_free_all(void)
{
	large_free_all();
	while (arena) {
		struct chunk *next = arena->next;
		free(arena);
		arena = next;
	}
	for (volatile char *p = __start_arena_state; p < __stop_arena_state; p++)
		*p = 0;
}

char *xstrndup(const char *s, size_t n)
{
	char *p = xalloc(n + 1);

	memcpy(p, s, n);
	return p;
}

char *xstrdup(const char *s) { return xstrndup(s, strlen(s)); }

char *xvprintf(const char *fmt, va_list ap)
{
	va_list ap2;
	char *p;
	int n;

	va_copy(ap2, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	p = xalloc((size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap2);
	va_end(ap2);
	return p;
}

char *xprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = xvprintf(fmt, ap);
	va_end(ap);
	return p;
}

/* Bytes of the control character at S, of ASCII or, in UTF-8, of the upper range of ISO 6429; 0 if
 * it is not one. */
static size_t control_length(const unsigned char *s)
{
	if (*s == '\n' || *s == '\t')
		return 0;
	if (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
		return 2;
	return *s < ' ' || *s == 0x7f;
}

const char *printable(const char *s)
{
	struct strbuf out = {0};
	size_t from = 0, i = 0;

	while (s[i]) {
		size_t n = control_length((const unsigned char *)s + i);

		if (!n) {
			i++;
			continue;
		}
		sb_addn(&out, s + from, i - from);
		for (from = i + n; i < from; i++)
			sb_printf(&out, "\\x%02x", (unsigned char)s[i]);
	}
	if (!from)
		return s;
	sb_add(&out, s + from);
	return out.s;
}

static struct large *large_at(const void *p)
{
	struct large *l = larges;

	while (l && l->p != p)
		l = l->next;
	return l;
}

void *vec_grow_large_(void *v, size_t *cap, size_t elem)
{
	size_t old = *cap * elem, size = old * 2;
	struct large *l;
	void *p;

	if (old < CHUNK_SIZE / 2)
		return vec_grow_(v, cap, elem);
	l = large_at(v);
	p = l ? mremap(v, old, size, MREMAP_MAYMOVE)
	      : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		fputs("ustap: out of memory\n", stderr);
		exit(1);
	}
	if (!l) {
		memcpy(p, v, old);
		l = xalloc(sizeof *l);
		l->next = larges;
		larges = l;
	}
	l->p = p;
	l->size = size;
	*cap *= 2;
	return p;
}

void *vec_grow_(void *v, size_t *cap, size_t elem)
{
	size_t old = *cap;
	void *p;

	*cap = old ? old * 2 : 8;
	p = xalloc(*cap * elem);
	if (old)
		memcpy(p, v, old * elem);
	return p;
}

/* --------------------------------------------------------------- text */

void sb_addn(struct strbuf *sb, const char *s, size_t n)
{
	if (sb->n + n + 1 > sb->cap) {
		size_t cap = (sb->n + n + 1) * 2;
		char *p = xalloc(cap);

		if (sb->n)
			memcpy(p, sb->s, sb->n);
		sb->s = p;
		sb->cap = cap;
	}
	if (n)
		memcpy(sb->s + sb->n, s, n);
	sb->n += n;
	sb->s[sb->n] = 0;
}

void sb_add(struct strbuf *sb, const char *s) { sb_addn(sb, s, strlen(s)); }

void sb_printf(struct strbuf *sb, const char *fmt, ...)
{
	char small[256], *p = small;
	va_list ap, ap2;
	int n;

	va_start(ap, fmt);
	va_copy(ap2, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	if ((size_t)n >= sizeof small) {
		p = xalloc((size_t)n + 1);
		vsnprintf(p, (size_t)n + 1, fmt, ap2);
	}
	sb_addn(sb, p, (size_t)n);
	va_end(ap2);
	va_end(ap);
}

/* --------------------------------------------------------- string map */

static uint32_t hash_string(const char *s)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* Slot of KEY: its entry's number + 1, or 0 where it would go. */
static uint32_t *smap_slot(const struct smap *m, const char *key)
{
	size_t i = hash_string(key) & (m->nslots - 1);

	while (m->slots[i] && strcmp(m->ents.v[m->slots[i] - 1].key, key))
		i = (i + 1) & (m->nslots - 1);
	return &m->slots[i];
}

static void smap_grow(struct smap *m)
{
	m->nslots = m->nslots ? m->nslots * 2 : 16;
	m->slots = xalloc(m->nslots * sizeof *m->slots);
	for (size_t i = 0; i < m->ents.n; i++)
		*smap_slot(m, m->ents.v[i].key) = (uint32_t)i + 1;
}

void *smap_get(const struct smap *m, const char *key)
{
	uint32_t slot = m->nslots ? *smap_slot(m, key) : 0;

	return slot ? m->ents.v[slot - 1].val : NULL;
}

void smap_put(struct smap *m, const char *key, void *val)
{
	uint32_t *slot;

	if (m->ents.n * 2 >= m->nslots)
		smap_grow(m);
	slot = smap_slot(m, key);
	if (*slot) {
		m->ents.v[*slot - 1].val = val;
		return;
	}
	vec_push(&m->ents, ((struct smap_ent){key, val}));
	*slot = (uint32_t)m->ents.n;
}

/* -------------------------------------------------------------- names */

bool glob_match(const char *pattern, const char *s) { return fnmatch(pattern, s, 0) == 0; }

bool is_glob(const char *s) { return strpbrk(s, "*?[") != NULL; }

#define MAX_NAME 64

/* Number of letters to change, add, remove or exchange with the next one to turn A into B (the
 * optimal string alignment distance); a large number for long names. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned rows[3][MAX_NAME + 1], *two = rows[0], *one = rows[1], *now = rows[2];

	if (la > MAX_NAME || lb > MAX_NAME)
		return UINT32_MAX;
	for (size_t j = 0; j <= lb; j++)
		now[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *free_row = two;

		two = one;
		one = now;
		now = free_row;
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = one[j - 1] + (a[i - 1] != b[j - 1]);

			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			if (one[j] + 1 < best)
				best = one[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			now[j] = best;
		}
	}
	return now[lb];
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Near: at most a third of the name is wrong. */
const char *nearest(const char *name, const char *const *cand, size_t n)
{
	unsigned best = (unsigned)strlen(name) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = edit_distance(name, cand[i]);

		if (d < best || (found && d == best &&
				 common_prefix(name, cand[i]) > common_prefix(name, found))) {
			best = d;
			found = cand[i];
		}
	}
	return found;
}

/* -------------------------------------------------------------- files */

char *read_stream(int fd, size_t *len)
{
	struct strbuf sb = {0};
	char buf[65536];
	ssize_t n;

	sb_addn(&sb, "", 0);
	while ((n = read(fd, buf, sizeof buf)) > 0)
		sb_addn(&sb, buf, (size_t)n);
	if (n < 0)
		return NULL;
	*len = sb.n;
	return sb.s;
}

char *read_file(const char *path, size_t *len)
{
	int fd = open_regular(path), err;
	size_t dummy;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_stream(fd, len ? len : &dummy);
	err = errno;
	close(fd);
	errno = err;
	return text;
}

char *read_first_line(const char *path)
{
	char *text = read_file(path, NULL);

	if (text)
		text[strcspn(text, "\n")] = 0;
	return text;
}

bool write_all(int fd, const void *p, size_t n)
{
	for (const char *c = p; n;) {
		ssize_t k = write(fd, c, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		c += k;
		n -= (size_t)k;
	}
	return true;
}

mode_t creation_mask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

bool write_and_close(int fd, const void *p, size_t n, mode_t mode)
{
	bool ok = write_all(fd, p, n) && !fchmod(fd, mode & ~creation_mask());
	int err = errno;

	if (close(fd) && ok)
		return false;
	errno = err;
	return ok;
}
