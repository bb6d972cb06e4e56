/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a module, made or mapped on first use, with results as entries of libdw. Small
 * modules and those with debug information that the index cannot represent do not have one: all
 * their units are searched.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "dwarf/inflate.h"
#include "debug_cache.h"
#include "name_index.h"
#include "base/trust.h"

/* Less is walked through faster than an index is made. */
#define MIN_INFO (1u << 20)

/* The file of M's debug information, opened; -1: not known. */
static int debug_file(const struct module *m)
{
	const char *file = NULL;

	dwfl_module_info(m->mod, NULL, NULL, NULL, NULL, NULL, NULL, &file);
	if (!file || !strcmp(file, m->path))
		return fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	return open_regular(file);
}

/* ------------------------------------------------------------------- making it */

static bool make(struct raw_file *f, struct name_index *ix, struct debug_cache_file *k)
{
	uint64_t size, room = f->info.n / 4 + 65536; /* about */
	int fd = -1;
	bool ok = (!f->alt || raw_open(f->alt)) && raw_open(f);

	if (ok)
		fd = debug_cache_create(k, room);
	ok = fd >= 0 && index_build(f, fd, &size);
	if (ok)
		debug_cache_publish(k, fd);
	else
		debug_cache_discard(k);
	ok = ok && index_map(ix, fd);
	if (fd >= 0)
		close(fd);
	raw_close(f);
	if (f->alt)
		raw_close(f->alt);
	return ok;
}

/* Map K, if it is there and sound. */
static bool map_kept(struct name_index *ix, const struct debug_cache_file *k)
{
	int fd = debug_cache_open(k);
	bool ok = fd >= 0 && index_map(ix, fd);

	if (fd >= 0 && !ok)
		debug_cache_damaged(k);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool map_or_make(struct module *m, struct raw_file *f, struct name_index *ix)
{
	int fd = debug_file(m);
	const char *key = fd >= 0 ? debug_cache_key(fd, m->build_id) : NULL;
	/* without the file of dwz, which may come later, names are missing */
	struct debug_cache_file k = debug_cache_find(key, f->alt ? "dwz.names" : "names");
	bool ok;

	if (fd >= 0)
		close(fd);
	if (map_kept(ix, &k))
		return true;
	debug_cache_lock(&k);
	ok = map_kept(ix, &k) || make(f, ix, &k);
	debug_cache_unlock(&k);
	return ok;
}

const struct name_index *module_index(struct module *m)
{
	struct raw_file f = {0}, alt = {0};
	struct name_index *ix;
	Dwarf *alt_dw;

	if (m->index_tried || !module_dwarf(m))
		return m->index;
	m->index_tried = true;
	if (index_is_off() || !dwarf_sections(m->dw, &f) ||
	    (f.info.n < MIN_INFO && !index_is_forced()))
		return NULL;
	alt_dw = dwarf_getalt(m->dw);
	if (alt_dw && !dwarf_sections(alt_dw, &alt))
		return NULL;
	alt.is_alt = true;
	f.alt = alt_dw ? &alt : NULL;
	ix = xalloc(sizeof *ix);
	if (!map_or_make(m, &f, ix))
		return NULL;
	m->index = ix;
	m->index_funcs = xalloc(ix->nranges * sizeof *m->index_funcs);
	return ix;
}

void module_index_close(struct module *m)
{
	if (m->index)
		index_unmap((struct name_index *)m->index);
	m->index = NULL;
}

/* -------------------------------------------------------------------- functions */

/* The function with range I of the index. */
static struct unit_func *function_of(struct module *m, size_t i)
{
	struct unit_func f = {0};

	if (m->index_funcs[i])
		return m->index_funcs[i];
	if (!dwarf_offdie(m->dw, m->index->ranges[i].die, &f.die) || !unit_func_fill(&f))
		return NULL;
	m->index_funcs[i] = xalloc(sizeof f);
	*m->index_funcs[i] = f;
	return m->index_funcs[i];
}

#define MAX_ALIKE 64

/* Is F of the unit that says that ADDR is its own?
 * Copies of inline functions have more than one. */
static bool is_claimed(struct module *m, const struct unit_func *f, uint64_t addr)
{
	const struct unit *u = unit_at(m, addr);

	return u && f->die.cu == u->die.cu;
}

/* The best of the first N ranges that holds ADDR, searched from the last one back: with FLAG, one
 * that has this flag and begins where the last one does; with 0, any. */
static struct unit_func *best_of(struct module *m, size_t n, uint64_t addr, uint32_t flag)
{
	const struct index_range *r = m->index->ranges;
	struct unit_func *best = NULL;

	for (size_t i = n; i-- > 0 && n - i <= MAX_ALIKE;) {
		struct unit_func *f;

		if (r[i].lo != r[n - 1].lo && (best || flag))
			break;
		if (addr >= r[i].hi || (flag && !(r[i].flags & flag)))
			continue;
		f = function_of(m, i);
		if (f && best && is_claimed(m, f, addr))
			return f;
		if (f && !best && (!i || r[i - 1].lo != r[i].lo || is_claimed(m, f, addr)))
			return f;
		best = best ? best : f;
	}
	return best;
}

struct unit_func *index_function(struct module *m, uint64_t entry)
{
	size_t n = index_ranges_to(m->index, entry);

	return n && m->index->ranges[n - 1].lo == entry ? best_of(m, n, entry, RANGE_ENTRY) : NULL;
}

struct unit_func *index_function_around(struct module *m, uint64_t addr)
{
	return best_of(m, index_ranges_to(m->index, addr), addr, 0);
}

bool index_has_labels(struct module *m, uint64_t addr)
{
	const struct name_index *ix = module_index(m);
	size_t n = ix ? index_ranges_to(ix, addr) : 0;

	for (size_t i = n; i-- > 0 && n - i < 64;)
		if (ix->ranges[i].flags & RANGE_LABELS && addr < ix->ranges[i].hi)
			return true;
	return !ix;
}

/* ----------------------------------------------------------------- definitions */

bool index_die(struct module *m, int tag, const char *name, Dwarf_Die *out)
{
	const struct index_def *d = index_definition(m->index, tag, name);
	Dwarf *dw = d && d->tag & INDEX_ALT ? dwarf_getalt(m->dw) : m->dw;

	return d && dw && dwarf_offdie(dw, d->die, out);
}

bool index_variable(struct module *m, Dwarf_Die *var, Dwarf_Die *out)
{
	const struct index_instance *i = index_instance(m->index, (uint32_t)dwarf_dieoffset(var));

	return i && dwarf_offdie(m->dw, i->die, out);
}

static int by_offset(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void index_outers(struct module *m, const struct name_pattern *p, outer_vec *out)
{
	const struct name_index *ix = m->index;
	size_t n = 0;

	for (size_t i = 0; i < ix->ninlined; i++) {
		const struct index_inlined *in = &ix->inlined[i];
		const char *linkage = in->linkage ? index_string(ix, in->linkage) : NULL;

		if (in->first > ix->nouters || in->n > ix->nouters - in->first ||
		    !name_matches_names(p, index_string(ix, in->name), linkage))
			continue;
		for (uint32_t k = 0; k < in->n; k++)
			vec_push(out, ix->outers[in->first + k]);
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_offset);
	for (size_t i = 0; i < out->n; i++)
		if (!i || out->v[i] != out->v[i - 1])
			out->v[n++] = out->v[i];
	out->n = n;
}
