/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack maps: what the runtime needs of a module to walk stacks and to name addresses, as a file in
 * the cache, by the module's build-id.  Emitted C takes it in as it is.  Format: struct
 * ust_stackmap in ustap_rt.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "dwarf/address_maps.h"
#include "stackmap.h"
#include "sema/builtin.h"

/* Part of the files' names: of other formats they have others. */
#define FORMAT "9"
enum { SEGMENTS = 4 };

/* As in ustap_rt.h, which the translator does not include. */
struct map_head {
	uint32_t nrows, nsymbols, strings, nsegments, nlines, ninlines, ninlined, unused;
	struct module_segment segments[SEGMENTS];
};
struct map_row {
	uint32_t at;
	int32_t cfa;
	int16_t bp;
	uint16_t kind;
};
struct map_symbol {
	uint32_t at, size, name;
};
struct map_line {
	uint32_t at, line, file;
};
struct map_inline_row {
	uint32_t at, innermost;
};
struct map_inlined {
	uint32_t name, file, line, outer;
};

/* Lines of larger modules stay unknown: all of them become a part of what is loaded. */
enum { MAX_LINES = 2000000 };

struct wanted {
	unsigned flags;
	bool found;
};

static bool see_call(struct node *n, void *arg)
{
	struct wanted *w = arg;

	w->found |= n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & w->flags;
	return !w->found;
}

static bool calls(const struct program *p, unsigned flags)
{
	struct wanted w = {.flags = flags};

	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, see_call, NULL, &w);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, see_call, NULL, &w);
	return w.found;
}

bool wants_stackmaps(const struct program *p) { return calls(p, BF_STACK); }
enum map_parts map_parts(const struct program *p)
{
	return (calls(p, BF_LINES) ? MAP_LINES : 0) | (calls(p, BF_FRAMES) ? MAP_INLINED : 0);
}

/* ------------------------------------------------------------------ making */

static void add_rows(const frame_vec *rows, struct map_head *head, struct strbuf *out)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct frame_row *r = &rows->v[i];
		struct map_row row = {(uint32_t)r->at, r->cfa, r->bp, r->kind};

		if (r->at > UINT32_MAX)
			continue;
		sb_addn(out, (const char *)&row, sizeof row);
		head->nrows++;
	}
}

/* Handlers copy names where nothing else can run, so they are cut. */
static void add_string(struct strbuf *strings, const char *text)
{
	enum { MAX_NAME = 4095 };

	sb_addn(strings, text, strnlen(text, MAX_NAME));
	sb_addn(strings, "", 1);
}

static void add_symbols(const range_vec *names, struct map_head *head, struct strbuf *symbols,
			struct strbuf *strings)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct named_range *r = &names->v[i];
		uint32_t size = r->size > UINT32_MAX ? UINT32_MAX : (uint32_t)r->size;
		struct map_symbol symbol = {(uint32_t)r->addr, size, (uint32_t)strings->n};

		if (r->addr > UINT32_MAX)
			continue;
		sb_addn(symbols, (const char *)&symbol, sizeof symbol);
		add_string(strings, r->name);
		head->nsymbols++;
	}
	head->strings = (uint32_t)strings->n;
}

/* Where TEXT is among the strings, once for all rows of a file. */
static uint32_t string_at(struct smap *known, struct strbuf *strings, const char *text)
{
	uint32_t *at = smap_get(known, text);

	if (!at) {
		at = xalloc(sizeof *at);
		*at = (uint32_t)strings->n;
		add_string(strings, text);
		smap_put(known, text, at);
	}
	return *at;
}

static void add_lines(struct module *m, struct map_head *head, struct strbuf *lines,
		      struct strbuf *strings)
{
	line_row_vec rows = {0};
	struct smap known = {0};

	module_line_rows(m, &rows);
	if (rows.n > MAX_LINES)
		return;
	for (size_t i = 0; i < rows.n; i++) {
		const struct line_row *r = &rows.v[i];
		struct map_line line = {(uint32_t)r->addr, (uint32_t)r->line,
					string_at(&known, strings, r->file)};

		if (r->addr > UINT32_MAX)
			continue;
		sb_addn(lines, (const char *)&line, sizeof line);
		head->nlines++;
	}
	head->strings = (uint32_t)strings->n;
}

static void add_inlined(struct module *m, struct map_head *head, struct strbuf *rows,
			struct strbuf *calls, struct strbuf *strings)
{
	inline_row_vec places = {0};
	inlined_vec all = {0};
	struct smap known = {0};

	module_inline_map(m, &places, &all);
	for (size_t i = 0; i < places.n; i++) {
		struct map_inline_row row = {(uint32_t)places.v[i].addr, places.v[i].innermost};

		if (places.v[i].addr > UINT32_MAX)
			continue;
		sb_addn(rows, (const char *)&row, sizeof row);
		head->ninlines++;
	}
	for (size_t i = 0; head->ninlines && i < all.n; i++) {
		const struct inlined_call *c = &all.v[i];
		struct map_inlined call = {string_at(&known, strings, c->name),
					   string_at(&known, strings, c->file), (uint32_t)c->line,
					   c->outer};

		sb_addn(calls, (const char *)&call, sizeof call);
		head->ninlined++;
	}
	head->strings = (uint32_t)strings->n;
}

static void make_map(struct module *m, enum map_parts parts, struct strbuf *out)
{
	struct strbuf rows = {0}, symbols = {0}, lines = {0}, inlines = {0}, inlined = {0},
		      strings = {0};
	struct map_head head = {0};
	frame_vec frames = {0};
	range_vec names = {0};

	head.nsegments = (uint32_t)module_segments(m, head.segments, SEGMENTS);
	module_frames(m, &frames);
	module_names(m, &names);
	add_rows(&frames, &head, &rows);
	add_symbols(&names, &head, &symbols, &strings);
	if (parts & MAP_LINES)
		add_lines(m, &head, &lines, &strings);
	if (parts & MAP_INLINED)
		add_inlined(m, &head, &inlines, &inlined, &strings);
	sb_addn(out, (const char *)&head, sizeof head);
	sb_addn(out, rows.s, rows.n);
	sb_addn(out, symbols.s, symbols.n);
	sb_addn(out, lines.s, lines.n);
	sb_addn(out, inlines.s, inlines.n);
	sb_addn(out, inlined.s, inlined.n);
	sb_addn(out, strings.s, strings.n);
}

/* All that a map is made of: the sections that are read whatever is asked for, by their contents;
 * debug information, which may be large, by the file that has it.  Where the symbols are in such a
 * file, the key is of this program file alone, so that no copy of it elsewhere, with other debug
 * information beside it, has a say in its names. */
static char *key_of(struct module *m, enum map_parts parts)
{
	const char *id = module_build_id(m), *path = module_path(m);
	bool has_symbols, has_dwarf = parts && module_has_dwarf(m);
	VEC(const char *) v = {0};

	vec_push(&v, FORMAT);
	vec_push(&v, xprintf("%d %d %d", parts, has_dwarf, names_are_raw()));
	vec_push(&v, id);
	vec_push(&v, module_digest(m, &has_symbols));
	if (has_dwarf)
		vec_push(&v, file_identity(module_debug_file(m)));
	if (!has_symbols) {
		vec_push(&v, file_identity(path));
		if (strlen(id) > 2)
			vec_push(&v, file_identity(xprintf("/usr/lib/debug/.build-id/%.2s/%s.debug",
							   id, id + 2)));
	}
	return hash_hex(v.v, v.n);
}

/* The stack maps that the emitted C takes in. */
struct used_map {
	struct module *m;
	enum map_parts parts;
	const char *path;
};
static ARENA_STATE VEC(struct used_map) used;

static bool write_map(struct module *m, enum map_parts parts, const char *path)
{
	struct strbuf text = {0};

	make_map(m, parts, &text);
	if (cache_write_sealed(path, text.s, text.n))
		return true;
	diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", path, strerror(errno));
	return false;
}

/* Without room in the cache there may be some in a private one. */
static const char *make_file(struct module *m, enum map_parts parts, const char *path,
			     const char *key)
{
	struct strbuf text = {0};

	make_map(m, parts, &text);
	if (cache_write_sealed(path, text.s, text.n))
		return path;
	diag_warn(W_UNTRUSTED, (struct loc){0},
		  "cannot write %s: %s; nothing is cached in this run", path, strerror(errno));
	path = cache_be_private() ? cache_path("stackmaps", key) : NULL;
	return path && write_map(m, parts, path) ? path : NULL;
}

const char *stackmap_file(struct module *m, enum map_parts parts)
{
	const char *key = key_of(m, parts), *path = cache_path("stackmaps", key);

	if (!path)
		return NULL;
	if (access(path, R_OK))
		return make_file(m, parts, path, key);
	cache_touch(path);
	vec_push(&used, ((struct used_map){m, parts, path}));
	return path;
}

bool stackmaps_check(void)
{
	for (size_t i = 0; i < used.n; i++)
		if (!cache_sealed_is_sound(used.v[i].path) &&
		    !write_map(used.v[i].m, used.v[i].parts, used.v[i].path))
			return false;
	return true;
}
