/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identity of an ELF file; see elfid.h. Compiled into the translator, staprun and the kernel
 * module. */
#include "elfid.h"

#ifdef __KERNEL__
#include <linux/elf.h>
#include <linux/string.h>
#else
#include <elf.h>
#include <string.h>
#endif

enum { CLASS = 4, CLASS_64 = 2, DATA = 5, DATA_LITTLE = 1 }; /* e_ident */
enum { NOTE_BUILD_ID = 3, EXECUTABLE = 1 };
enum { MAX_SEGMENTS = 128, MAX_NOTES = 1024 };

/* Code up to this size is hashed as a whole; larger code by samples. */
#define MAX_CODE (256ull << 20)
enum { SAMPLES = 32, SAMPLE = 64 };

struct note {
	__u32 namesz, descsz, type;
	char name[4];
};

struct search {
	const struct elfid_file *f;
	char *to;
	unsigned notes;
};

static int read_at(const struct elfid_file *f, void *to, __u32 n, __u64 at)
{
	return at <= f->size && n <= f->size - at && f->read(f->arg, to, n, at);
}

static int read_header(const struct elfid_file *f, Elf64_Ehdr *eh)
{
	return read_at(f, eh, sizeof *eh, 0) && !memcmp(eh->e_ident, "\177ELF", 4) &&
	       eh->e_ident[CLASS] == CLASS_64 && eh->e_ident[DATA] == DATA_LITTLE;
}

static int read_segment(const struct elfid_file *f, const Elf64_Ehdr *eh, unsigned i,
			Elf64_Phdr *ph)
{
	return eh->e_phentsize == sizeof *ph && eh->e_phoff <= f->size &&
	       read_at(f, ph, sizeof *ph, eh->e_phoff + i * sizeof *ph);
}

static unsigned segments(const Elf64_Ehdr *eh)
{
	return eh->e_phnum < MAX_SEGMENTS ? eh->e_phnum : MAX_SEGMENTS;
}

/* ------------------------------------------------------------------ build-id */

static char *put_hex(char *to, const unsigned char *p, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		*to++ = "0123456789abcdef"[p[i] >> 4];
		*to++ = "0123456789abcdef"[p[i] & 15];
	}
	*to = 0;
	return to;
}

static int take_build_id(struct search *s, const struct note *n, __u64 at)
{
	unsigned char id[ELFID_BUILD_ID];

	if (n->type != NOTE_BUILD_ID || n->namesz != 4 || memcmp(n->name, "GNU", 4) || !n->descsz ||
	    n->descsz > sizeof id || !read_at(s->f, id, n->descsz, at))
		return 0;
	put_hex(s->to, id, n->descsz);
	return 1;
}

/* Search the notes in SIZE bytes at AT, up to a damaged one. */
static int search_notes(struct search *s, __u64 at, __u64 size, __u64 align)
{
	__u64 left = at > s->f->size          ? 0
		     : size < s->f->size - at ? size
					      : s->f->size - at,
	      desc, all;
	struct note n;

	align = align == 8 ? 8 : 4;
	for (; left >= sizeof n && s->notes; at += all, left -= all, s->notes--) {
		if (!read_at(s->f, &n, sizeof n, at))
			return 0;
		desc = (12 + (__u64)n.namesz + align - 1) & -align;
		if (desc > left || n.descsz > left - desc)
			return 0;
		if (take_build_id(s, &n, at + desc))
			return 1;
		all = (desc + n.descsz + align - 1) & -align;
		if (all > left)
			return 0;
	}
	return 0;
}

static int search_segments(struct search *s, const Elf64_Ehdr *eh)
{
	Elf64_Phdr ph;
	unsigned i;

	for (i = 0; i < segments(eh) && read_segment(s->f, eh, i, &ph); i++)
		if (ph.p_type == PT_NOTE && search_notes(s, ph.p_offset, ph.p_filesz, ph.p_align))
			return 1;
	return 0;
}

static void search_sections(struct search *s, const Elf64_Ehdr *eh)
{
	Elf64_Shdr sh;
	unsigned i;

	if (eh->e_shentsize != sizeof sh || eh->e_shoff > s->f->size)
		return;
	for (i = 0; i < eh->e_shnum && read_at(s->f, &sh, sizeof sh, eh->e_shoff + i * sizeof sh);
	     i++)
		if (sh.sh_type == SHT_NOTE &&
		    search_notes(s, sh.sh_offset, sh.sh_size, sh.sh_addralign))
			return;
}

static void find_build_id(const struct elfid_file *f, const Elf64_Ehdr *eh, char *to)
{
	struct search s = {f, to, MAX_NOTES};

	*to = 0;
	if (!search_segments(&s, eh))
		search_sections(&s, eh);
}

void elfid_build_id(const struct elfid_file *f, char to[ELFID_TEXT])
{
	Elf64_Ehdr eh;

	*to = 0;
	if (read_header(f, &eh))
		find_build_id(f, &eh, to);
}

/* -------------------------------------------------------------------- digest */

static __u64 mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/* Add N bytes at AT; unreadable bytes have a value of their own. */
static __u64 mix_bytes(const struct elfid_file *f, __u64 h, __u64 at, __u64 n)
{
	__u32 some, i;
	__u64 v;

	for (; n; at += some, n -= some) {
		some = n < ELFID_BUFFER ? n : ELFID_BUFFER;
		if (!read_at(f, f->buffer, some, at))
			return mix(h, ~0ull);
		for (i = some; i & 7; i++)
			f->buffer[i] = 0;
		for (i = 0; i < some; i += 8) {
			memcpy(&v, f->buffer + i, 8);
			h = mix(h, v);
		}
	}
	return h;
}

static __u64 mix_samples(const struct elfid_file *f, __u64 h, __u64 at, __u64 n)
{
	__u64 step = n / SAMPLES;
	unsigned i;

	if (n <= SAMPLES * SAMPLE)
		return mix_bytes(f, h, at, n);
	for (i = 0; i < SAMPLES; i++)
		h = mix_bytes(f, h, at + i * step, SAMPLE);
	return h;
}

/* Offset of the code in the segment: in files of old linkers it follows the headers, which
 * stripping changes. */
static __u64 code_start(const Elf64_Ehdr *eh, const Elf64_Phdr *ph)
{
	__u64 headers = sizeof *eh;

	if (eh->e_phoff == sizeof *eh)
		headers += (__u64)eh->e_phnum * sizeof *ph;
	return ph->p_offset < headers ? headers : ph->p_offset;
}

static __u64 mix_segment(const struct elfid_file *f, __u64 h, const Elf64_Ehdr *eh,
			 const Elf64_Phdr *ph, __u64 *whole)
{
	__u64 at = code_start(eh, ph), end = f->size, n;

	if (ph->p_offset <= f->size && ph->p_filesz < f->size - ph->p_offset)
		end = ph->p_offset + ph->p_filesz;
	n = at < end ? end - at : 0;
	h = mix(mix(h, ph->p_offset), ph->p_filesz);
	if (n > *whole)
		return mix_samples(f, h, at, n);
	*whole -= n;
	return mix_bytes(f, h, at, n);
}

static __u64 digest(const struct elfid_file *f, const Elf64_Ehdr *eh, int has_build_id)
{
	__u64 h = eh->e_machine, whole = has_build_id ? 0 : MAX_CODE;
	Elf64_Phdr ph;
	unsigned i;

	for (i = 0; i < segments(eh) && read_segment(f, eh, i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & EXECUTABLE)
			h = mix_segment(f, h, eh, &ph, &whole);
	return h;
}

void elfid_text(const struct elfid_file *f, char to[ELFID_TEXT])
{
	unsigned char bytes[8];
	Elf64_Ehdr eh;
	__u64 h;
	unsigned i;

	*to = 0;
	if (!read_header(f, &eh))
		return;
	find_build_id(f, &eh, to);
	h = digest(f, &eh, *to != 0);
	for (i = 0; i < sizeof bytes; i++)
		bytes[i] = h >> (56 - 8 * i);
	to += strlen(to);
	*to++ = ':';
	put_hex(to, bytes, sizeof bytes);
}

/* ---------------------------------------------------------------- comparison */

const char *elfid_difference(const char *found, const char *want)
{
	const char *colon = strchr(found, ':');

	if (!strcmp(found, want))
		return (void *)0;
	if (!colon)
		return "it cannot be read as an ELF file";
	if (strncmp(found, want, colon - found + 1))
		return "its build-id differs";
	if (colon == found)
		return "its code differs, and it has no build-id";
	return "its code was changed after it was linked, its build-id is the same";
}
