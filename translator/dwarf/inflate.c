/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompression of sections of ELF files, by libdeflate if it is available, which takes half the
 * time of zlib. A debug file with large ones is cached in inflated form, so that later runs map
 * only the parts that they need.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "inflate.h"
#include "dwarf/index/debug_cache.h"
#include "dwarf/index/stamp.h"
#include "base/stack_limit.h"
#include "base/util.h"

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#elif defined HAVE_ZLIB
#include <zlib.h>
#endif

/* Less is inflated faster than looked for. */
#define MIN_INFLATED   (16u << 20)
#define MAX_RATIO      1040 /* deflate cannot do better */
#define MAX_RATIO_ZSTD 40000
#define USUAL_RATIO    30
#define COMPRESS_ZSTD  2 /* ELFCOMPRESS_ZSTD, which older headers lack */
#define MAX_SECTIONS   4096

/* ---------------------------------------------------------------- one section */

/* FROM, a zlib stream of N bytes, to the SIZE bytes at TO. */
static bool inflate_zlib(const void *from, size_t n, void *to, size_t size)
{
#ifdef HAVE_LIBDEFLATE
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool ok = d && libdeflate_zlib_decompress(d, from, n, to, size, NULL) == LIBDEFLATE_SUCCESS;

	if (d)
		libdeflate_free_decompressor(d);
	return ok;
#elif defined HAVE_ZLIB
	uLongf got = size;

	return uncompress(to, &got, from, n) == Z_OK && got == size;
#else
	(void)from, (void)n, (void)to, (void)size;
	return false;
#endif
}

/* libzstd is loaded when it is needed: few files do, and it is on every Debian machine. */
struct zstd {
	size_t (*decompress)(void *, size_t, const void *, size_t);
	unsigned (*is_error)(size_t);
};

static const struct zstd *zstd_library(void)
{
	static struct zstd found;
	static bool tried;
	void *lib = tried ? NULL : dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL);

	tried = true;
	if (lib) {
		*(void **)&found.decompress = dlsym(lib, "ZSTD_decompress");
		*(void **)&found.is_error = dlsym(lib, "ZSTD_isError");
	}
	return found.decompress && found.is_error ? &found : NULL;
}

static bool inflate_zstd(const void *from, size_t n, void *to, size_t size)
{
	const struct zstd *z = zstd_library();
	size_t got = z ? z->decompress(to, size, from, n) : 0;

	return z && !z->is_error(got) && got == size;
}

/* The checksum that ends zlib streams (RFC 1950): what inflate_zlib() has compared is not read once
 * more. */
static uint32_t adler(const void *p, size_t n)
{
#ifdef HAVE_LIBDEFLATE
	return libdeflate_adler32(1, p, n);
#elif defined HAVE_ZLIB
	return (uint32_t)adler32_z(1, p, n);
#else
	return (uint32_t)debug_cache_checksum(p, n, 0);
#endif
}

static uint32_t adler_of_stream(const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;

	return n < 4 ? 0
		     : (uint32_t)end[-4] << 24 | (uint32_t)end[-3] << 16 | (uint32_t)end[-2] << 8 |
			       end[-1];
}

/* A section with checksum SUM, at AT, in the sum of them all. */
static uint64_t mixed(uint32_t sum, uint64_t at)
{
	return debug_cache_checksum(&sum, sizeof sum, at);
}

/* ------------------------------------------------------------- the whole file */

struct image {
	const unsigned char *p; /* the compressed file */
	size_t n;
	const Elf64_Ehdr *eh;
	const Elf64_Shdr *from;
	Elf64_Shdr *to; /* section headers of the inflated one */
	uint64_t size;  /* and its size */
	int fd;
	unsigned char *out; /* its file, mapped */
	atomic_uint next;
	atomic_bool failed;
	_Atomic uint64_t sum; /* of the contents of sections */
};

static bool inside(const struct image *im, uint64_t off, uint64_t n)
{
	return off <= im->n && n <= im->n - off;
}

/* Section headers that can be trusted to lie within the file. */
static bool image_open(struct image *im)
{
	const Elf64_Ehdr *eh = (const void *)im->p;

	if (im->n < sizeof *eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shoff & 7 || !eh->e_shnum ||
	    eh->e_shnum > MAX_SECTIONS ||
	    !inside(im, eh->e_shoff, eh->e_shnum * sizeof(Elf64_Shdr)) ||
	    !inside(im, eh->e_phoff, (uint64_t)eh->e_phnum * eh->e_phentsize))
		return false;
	im->eh = eh;
	im->from = (const void *)(im->p + eh->e_shoff);
	for (unsigned i = 1; i < eh->e_shnum; i++) {
		const Elf64_Shdr *sh = &im->from[i];

		if (sh->sh_type != SHT_NOBITS && !inside(im, sh->sh_offset, sh->sh_size))
			return false;
	}
	return true;
}

/* The header of SH's contents, if they are compressed in the way that is known. */
static const Elf64_Chdr *compressed(const struct image *im, const Elf64_Shdr *sh)
{
	const Elf64_Chdr *ch = (const void *)(im->p + sh->sh_offset);

	if (!(sh->sh_flags & SHF_COMPRESSED) || sh->sh_type == SHT_NOBITS ||
	    sh->sh_size < sizeof *ch)
		return NULL;
	if (ch->ch_type == COMPRESS_ZSTD)
		return ch->ch_size / MAX_RATIO_ZSTD <= sh->sh_size && zstd_library() ? ch : NULL;
	return ch->ch_type == ELFCOMPRESS_ZLIB && ch->ch_size / MAX_RATIO <= sh->sh_size ? ch
											 : NULL;
}

/* Size of the compressed sections when inflated, in bytes; 0: one of them cannot be inflated. */
static uint64_t inflated_size(const struct image *im)
{
	uint64_t total = 0;

	for (unsigned i = 1; i < im->eh->e_shnum; i++) {
		const Elf64_Chdr *ch = compressed(im, &im->from[i]);

		if (!ch && im->from[i].sh_flags & SHF_COMPRESSED)
			return 0;
		total += ch ? ch->ch_size : 0;
	}
	return total;
}

/* Where each section will be: behind the headers, in the same order. */
static void lay_out(struct image *im)
{
	uint64_t at = im->eh->e_phoff + (uint64_t)im->eh->e_phnum * im->eh->e_phentsize;

	if (at < sizeof *im->eh)
		at = sizeof *im->eh;
	im->to = xalloc(im->eh->e_shnum * sizeof *im->to);
	for (unsigned i = 0; i < im->eh->e_shnum; i++) {
		const Elf64_Chdr *ch = compressed(im, &im->from[i]);
		Elf64_Shdr *to = &im->to[i];

		*to = im->from[i];
		if (ch) {
			to->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
			to->sh_size = ch->ch_size;
			to->sh_addralign = ch->ch_addralign;
		}
		at = (at + 15) & ~(uint64_t)15;
		to->sh_offset = at;
		if (i && to->sh_type != SHT_NOBITS)
			at += to->sh_size;
	}
	im->size = ((at + 15) & ~(uint64_t)15) + im->eh->e_shnum * sizeof *im->to;
}

/* Pages that are done with count no more as memory of this process. */
static void release(const void *p, size_t n)
{
	uintptr_t from = ((uintptr_t)p + 4095) & ~(uintptr_t)4095,
		  to = ((uintptr_t)p + n) & ~(uintptr_t)4095;

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

/* All pages at once, instead of a fault for each; where the kernel cannot, they come one by one. */
static void populate(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t from = (uintptr_t)p & ~(uintptr_t)4095;

	madvise((void *)from, n + ((uintptr_t)p - from), MADV_POPULATE_WRITE);
#else
	(void)p, (void)n;
#endif
}

static void put(struct image *im, const void *p, uint64_t n, uint64_t at)
{
	memcpy(im->out + at, p, n);
	atomic_fetch_add(&im->sum, mixed(adler(p, n), at));
}

/* Section I, with header CH, to TO. */
static bool inflate_one(struct image *im, unsigned i, const Elf64_Chdr *ch, void *to)
{
	const Elf64_Shdr *from = &im->from[i];
	size_t n = from->sh_size - sizeof *ch;
	bool zstd = ch->ch_type == COMPRESS_ZSTD;

	if (zstd ? !inflate_zstd(ch + 1, n, to, ch->ch_size)
		 : !inflate_zlib(ch + 1, n, to, ch->ch_size))
		return false;
	atomic_fetch_add(&im->sum, mixed(zstd ? adler(to, ch->ch_size)
					      : adler_of_stream((const void *)(ch + 1), n),
					 im->to[i].sh_offset));
	return true;
}

static bool section_inflate(struct image *im, unsigned i)
{
	const Elf64_Shdr *from = &im->from[i], *to = &im->to[i];
	const Elf64_Chdr *ch = compressed(im, from);
	unsigned char *p = im->out + to->sh_offset;

	if (to->sh_type == SHT_NOBITS || !to->sh_size)
		return true;
	if (to->sh_size / USUAL_RATIO <= from->sh_size)
		populate(p, to->sh_size);
	if (!ch)
		put(im, im->p + from->sh_offset, from->sh_size, to->sh_offset);
	else if (!inflate_one(im, i, ch, p))
		return false;
	release(im->p + from->sh_offset, from->sh_size);
	release(p, to->sh_size);
	return true;
}

static void *inflate_sections(void *arg)
{
	struct image *im = arg;

	for (unsigned i; (i = atomic_fetch_add(&im->next, 1)) < im->eh->e_shnum && !im->failed;)
		if (i && !section_inflate(im, i))
			im->failed = true;
	return NULL;
}

static void put_headers(struct image *im)
{
	uint64_t at = im->size - im->eh->e_shnum * sizeof *im->to;
	Elf64_Ehdr eh = *im->eh;

	eh.e_shoff = at;
	put(im, &eh, sizeof eh, 0);
	put(im, im->p + eh.e_phoff, (uint64_t)eh.e_phnum * eh.e_phentsize, eh.e_phoff);
	put(im, im->to, eh.e_shnum * sizeof *im->to, at);
}

/* Straight into the file, which has all its blocks: there is nothing left that could fail while
 * they are written to. */
static bool fill(struct image *im)
{
	pthread_t other;
	bool two;

	im->out = mmap(NULL, im->size, PROT_READ | PROT_WRITE, MAP_SHARED, im->fd, 0);
	if (im->out == MAP_FAILED)
		return false;
	two = !thread_start(&other, inflate_sections, im);
	inflate_sections(im);
	if (two)
		pthread_join(other, NULL);
	if (!im->failed)
		put_headers(im);
	munmap(im->out, im->size);
	return !im->failed;
}

/* ------------------------------------------------------------- is it sound? */

/* The sum of the inflated file FD, as put() and put_headers() made it; false if it is not one. */
static bool sum_of(int fd, uint64_t size, uint64_t *sum)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct image im = {.p = p, .n = size};
	bool ok = p != MAP_FAILED && image_open(&im);

	if (ok) {
		*sum = mixed(adler(im.eh, sizeof *im.eh), 0);
		*sum += mixed(
			adler(im.p + im.eh->e_phoff, (size_t)im.eh->e_phnum * im.eh->e_phentsize),
			im.eh->e_phoff);
		*sum += mixed(adler(im.from, im.eh->e_shnum * sizeof *im.from), im.eh->e_shoff);
	}
	for (unsigned i = 1; ok && i < im.eh->e_shnum; i++)
		if (im.from[i].sh_type != SHT_NOBITS && im.from[i].sh_size)
			*sum += mixed(adler(im.p + im.from[i].sh_offset, im.from[i].sh_size),
				      im.from[i].sh_offset);
	if (p != MAP_FAILED)
		munmap(p, size);
	return ok;
}

/* ----------------------------------------------------------------- the outside */

static int open_sound(const struct debug_cache_file *k, const char *key)
{
	int fd = debug_cache_open(k);

	if (fd < 0 || stamp_fits(fd, key, sum_of))
		return fd;
	debug_cache_damaged(k);
	close(fd);
	return -1;
}

static int make(struct image *im, struct debug_cache_file *k, const char *key)
{
	lay_out(im);
	im->fd = debug_cache_create(k, im->size);
	if (im->fd < 0)
		return -1;
	if (!fill(im)) {
		debug_cache_discard(k);
		close(im->fd);
		return -1;
	}
	if (debug_cache_publish(k, im->fd))
		stamp_write(key, im->fd, im->sum);
	return im->fd;
}

/* Does libelf leave something to us?  That of Debian 12 knows zlib only. */
static bool has_zstd(const struct image *im)
{
	for (unsigned i = 1; i < im->eh->e_shnum; i++) {
		const Elf64_Chdr *ch = compressed(im, &im->from[i]);

		if (ch && ch->ch_type == COMPRESS_ZSTD)
			return true;
	}
	return false;
}

/* Is it worth it?  Only its headers are looked at. */
static bool is_wanted(const struct image *im)
{
	uint64_t size = inflated_size(im);

	return size && (has_zstd(im) ||
			(!index_is_off() && size >= (index_is_forced() ? 1 : MIN_INFLATED)));
}

/* Map FD; false: it is no ELF file that is known. */
static bool image_map(struct image *im, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
		return false;
	im->n = (size_t)st.st_size;
	im->p = mmap(NULL, im->n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (im->p == MAP_FAILED)
		return false;
	if (image_open(im))
		return true;
	munmap((void *)im->p, im->n);
	return false;
}

bool is_zstd_file(int fd)
{
	struct image im = {0};
	bool is;

	if (!image_map(&im, fd))
		return false;
	is = has_zstd(&im);
	munmap((void *)im.p, im.n);
	return is;
}

int inflate_file(int fd, const char *build_id)
{
	struct image im = {0};
	int out = -1;

	if (!image_map(&im, fd))
		return -1;
	if (is_wanted(&im)) {
		const char *key = index_is_off() ? NULL : debug_cache_key(fd, build_id);
		struct debug_cache_file k = debug_cache_find(key, "elf");

		out = key ? open_sound(&k, key) : -1;
		if (out < 0) {
			debug_cache_lock(&k);
			out = key ? open_sound(&k, key) : -1;
			out = out < 0 ? make(&im, &k, key) : out;
			debug_cache_unlock(&k);
		}
	}
	munmap((void *)im.p, im.n);
	return out;
}
