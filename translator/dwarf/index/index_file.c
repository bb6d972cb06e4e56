/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Index files: mapping, verification as a whole, and search. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "debug_cache.h"
#include "name_index.h"
#include "bisect.h"

/* Does part I of entries of EACH bytes lie within the file? */
static const void *part(const struct index_header *h, int i, size_t each, size_t *n)
{
	uint64_t off = h->parts[i].off;

	if (off % 8 || off < sizeof *h || off > h->size || h->parts[i].n > (h->size - off) / each)
		return NULL;
	*n = h->parts[i].n;
	return (const char *)h + off;
}

static bool find_parts(struct name_index *ix)
{
	const struct index_header *h = ix->h;

	ix->ranges = part(h, PART_RANGES, sizeof *ix->ranges, &ix->nranges);
	ix->inlined = part(h, PART_INLINED, sizeof *ix->inlined, &ix->ninlined);
	ix->outers = part(h, PART_OUTERS, sizeof *ix->outers, &ix->nouters);
	ix->defs = part(h, PART_DEFS, sizeof *ix->defs, &ix->ndefs);
	ix->instances = part(h, PART_INSTANCES, sizeof *ix->instances, &ix->ninstances);
	ix->strings = part(h, PART_STRINGS, 1, &ix->nstrings);
	return ix->ranges && ix->inlined && ix->outers && ix->defs && ix->instances &&
	       ix->strings && ix->nstrings && !ix->strings[ix->nstrings - 1];
}

bool index_map(struct name_index *ix, int fd)
{
	struct stat st;
	size_t size;
	void *p;

	*ix = (struct name_index){0};
	if (fstat(fd, &st) || (size_t)st.st_size < sizeof *ix->h)
		return false;
	size = (size_t)st.st_size;
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	ix->h = p;
	if (!memcmp(ix->h->magic, INDEX_MAGIC, sizeof ix->h->magic) && ix->h->size == size &&
	    ix->h->sum == debug_cache_checksum(
				  ix->h + 1, size - sizeof *ix->h,
				  debug_cache_checksum(ix->h->parts, sizeof ix->h->parts, 0)) &&
	    find_parts(ix))
		return true;
	munmap(p, size);
	ix->h = NULL;
	return false;
}

void index_unmap(struct name_index *ix)
{
	if (ix->h)
		munmap((void *)ix->h, ix->h->size);
	ix->h = NULL;
}

const char *index_string(const struct name_index *ix, uint32_t off)
{
	return off < ix->nstrings ? ix->strings + off : "";
}

const struct index_def *index_definition(const struct name_index *ix, int tag, const char *name)
{
	uint32_t hash = index_hash(name);
	size_t lo = BISECT(mid, ix->ndefs, ix->defs[mid].hash < hash);

	for (; lo < ix->ndefs && ix->defs[lo].hash == hash; lo++)
		if ((int)(ix->defs[lo].tag & ~INDEX_ALT) == tag &&
		    !strcmp(index_string(ix, ix->defs[lo].name), name))
			return &ix->defs[lo];
	return NULL;
}

const struct index_instance *index_instance(const struct name_index *ix, uint32_t origin)
{
	size_t lo = BISECT(mid, ix->ninstances, ix->instances[mid].origin < origin);

	return lo < ix->ninstances && ix->instances[lo].origin == origin ? &ix->instances[lo]
									 : NULL;
}

size_t index_ranges_to(const struct name_index *ix, uint64_t addr)
{
	return BISECT(mid, ix->nranges, ix->ranges[mid].lo <= addr);
}
