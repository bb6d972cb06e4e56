/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a script for the user runtime: recognition, segments, relocations. The layout is in
 * wire.h.
 *
 * Each offset, size and address is checked before use, and used as first read: the file may change
 * meanwhile. The caller may execute all of its code anyway, so the checks are for damaged files and
 * those of other tools, not against an attacker.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/arch/regs.h"
#include "inject/elf/blobfile.h"
#include "base/message.h"
#include "base/page.h"
#include "base/privilege.h"
#include "inject/user_runtime.h"
#include "wire.h"
#include "wire_agent.h"
#include "inject/elf/elf.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

#ifndef DT_RELR
#define DT_RELR 36
#endif

enum { MAX_PHDRS = 32 };

struct head {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[MAX_PHDRS];
};

static bool get(int fd, uint64_t at, void *to, size_t size)
{
	unsigned char *p = to;

	while (size) {
		ssize_t n = pread(fd, p, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (size_t)n;
		size -= (size_t)n;
	}
	return true;
}

/* ------------------------------------------------------------- recognising */

static bool read_head(int fd, struct head *h)
{
	const Elf64_Ehdr *eh = &h->eh;

	return get(fd, 0, &h->eh, sizeof h->eh) && !memcmp(eh->e_ident, ELFMAG, SELFMAG) &&
	       eh->e_ident[EI_CLASS] == ELFCLASS64 && eh->e_ident[EI_DATA] == NATIVE_DATA &&
	       eh->e_type == ET_DYN && eh->e_phentsize == sizeof *h->ph &&
	       eh->e_phnum <= MAX_PHDRS && eh->e_phoff < BLOB_IMAGE_MAX &&
	       get(fd, eh->e_phoff, h->ph, eh->e_phnum * sizeof *h->ph);
}

/* Read SIZE bytes of the file that will be at virtual address ADDR. */
static bool get_at(int fd, const struct head *h, uint64_t addr, void *to, size_t size)
{
	for (unsigned i = 0; i < h->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &h->ph[i];

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr <= ph->p_filesz &&
		    size <= ph->p_filesz - (addr - ph->p_vaddr) && ph->p_offset < BLOB_IMAGE_MAX)
			return get(fd, ph->p_offset + (addr - ph->p_vaddr), to, size);
	}
	return false;
}

static bool has_magic(int fd, const struct head *h)
{
	uint64_t magic;

	return get_at(fd, h, h->eh.e_entry, &magic, sizeof magic) && magic == UST_AGENT_MAGIC;
}

bool blob_is(const char *path)
{
	int fd = open_script_file(path);
	struct stat st;
	struct head h;
	bool is;

	if (fd < 0)
		return false;
	is = !fstat(fd, &st) && S_ISREG(st.st_mode) && read_head(fd, &h) && has_magic(fd, &h);
	close(fd);
	return is;
}

/* ----------------------------------------------------------------- checking */

static bool damaged(const struct blob_file *f, const char *what)
{
	say("%s: damaged script for the user runtime: %s", f->path, what);
	return hint("rebuild it with: ustap --runtime=user -p4 SCRIPT");
}

/* Segments from private to data have ascending addresses, starting at 0. */
static bool segment_valid(const struct blob_file *f, unsigned i)
{
	static const unsigned flags[SEGMENTS] = {PF_R | PF_W, PF_R | PF_X, PF_R, PF_R | PF_W};
	const Elf64_Phdr *s = &f->seg[i];
	uint64_t after = i ? page_up(s[-1].p_vaddr + s[-1].p_memsz) : 0;

	return s->p_flags == flags[i] && s->p_memsz && s->p_memsz < BLOB_IMAGE_MAX &&
	       s->p_filesz <= s->p_memsz && s->p_offset < BLOB_IMAGE_MAX &&
	       s->p_vaddr < BLOB_IMAGE_MAX && s->p_vaddr % UST_PAGE == 0 &&
	       (i ? s->p_vaddr >= after : !s->p_vaddr);
}

static bool take_segments(struct blob_file *f, const struct head *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &h->ph[i];

		if (ph->p_type == PT_INTERP)
			return damaged(f, "it names a program interpreter");
		if (ph->p_type == PT_DYNAMIC)
			f->dynamic = *ph;
		if (ph->p_type != PT_LOAD)
			continue;
		if (n == SEGMENTS)
			return damaged(f, "too many segments");
		f->seg[n] = *ph;
		if (!segment_valid(f, n++))
			return damaged(f, "a segment has unexpected flags, addresses or sizes");
	}
	if (n < SEGMENTS || f->seg[SEG_PRIVATE].p_filesz ||
	    f->seg[SEG_PRIVATE].p_memsz < 2 * UST_PAGE)
		return damaged(f, "a segment is missing or has the wrong size");
	return true;
}

static bool version_fits(const struct blob_file *f, const struct ust_agent *a)
{
	if (a->version == UST_WIRE_VERSION && a->size == sizeof *a)
		return true;
	if (a->version == UST_WIRE_VERSION)
		say("%s: built by another version of ustap", f->path);
	else
		say("%s: built for wire format %u, but this staprun reads format %d", f->path,
		    a->version, UST_WIRE_VERSION);
	return hint("use the staprun of the ustap that built it, or rebuild it");
}

static bool agent_valid(const struct blob_file *f)
{
	const Elf64_Phdr *c = &f->seg[SEG_CONST];
	uint64_t at = f->entry - c->p_vaddr;
	struct ust_agent agent;

	if (f->entry < c->p_vaddr || at % 8 || at > c->p_filesz)
		return damaged(f, "its agent table is outside the constants segment");
	memset(&agent, 0, sizeof agent);
	memcpy(&agent, f->bytes[SEG_CONST] + at,
	       c->p_filesz - at < sizeof agent ? c->p_filesz - at : sizeof agent);
	if (!version_fits(f, &agent))
		return false;
	return c->p_filesz - at >= sizeof agent || damaged(f, "its agent table is truncated");
}

static bool read_segment(struct blob_file *f, unsigned i)
{
	const Elf64_Phdr *s = &f->seg[i];

	f->bytes[i] = xrealloc(NULL, s->p_filesz + 1);
	return get(f->fd, s->p_offset, f->bytes[i], s->p_filesz) ||
	       damaged(f, "the file is truncated");
}

static bool check(struct blob_file *f)
{
	struct head h;

	if (!read_head(f->fd, &h) || !has_magic(f->fd, &h))
		return fail("%s: not a script for the user runtime", f->path);
	if (h.eh.e_machine != ELF_MACHINE) {
		say("%s: built for another architecture", f->path);
		return hint("rebuild it on this machine: ustap --runtime=user -p4 SCRIPT");
	}
	f->entry = h.eh.e_entry;
	return take_segments(f, &h) && read_segment(f, SEG_TEXT) && read_segment(f, SEG_CONST) &&
	       read_segment(f, SEG_DATA) && agent_valid(f);
}

bool blob_file_open(struct blob_file *f, const char *path)
{
	*f = (struct blob_file){.path = path, .fd = open_script_file(path)};
	if (f->fd < 0)
		return fail("%s: %s", path, strerror(errno));
	if (check(f))
		return true;
	blob_file_close(f);
	return false;
}

void blob_file_close(struct blob_file *f)
{
	close(f->fd);
	for (unsigned i = 0; i < SEGMENTS; i++)
		free(f->bytes[i]);
	memset(f->bytes, 0, sizeof f->bytes);
}

/* --------------------------------------------------------------- relocating */

struct relocations {
	uint64_t at, size, entry;
	bool other;
};

/* The SIZE bytes at virtual address ADDR in the segments from FIRST on; NULL if they are not in
 * one. */
static unsigned char *bytes_at(const struct blob_file *f, unsigned first, uint64_t addr,
			       uint64_t size)
{
	for (unsigned i = first; i < SEGMENTS; i++) {
		const Elf64_Phdr *s = &f->seg[i];

		if (addr >= s->p_vaddr && addr - s->p_vaddr <= s->p_filesz &&
		    size <= s->p_filesz - (addr - s->p_vaddr))
			return f->bytes[i] + (addr - s->p_vaddr);
	}
	return NULL;
}

static void take_dynamic(struct relocations *r, const Elf64_Dyn *d)
{
	switch (d->d_tag) {
	case DT_RELA:
		r->at = d->d_un.d_ptr;
		break;
	case DT_RELASZ:
		r->size = d->d_un.d_val;
		break;
	case DT_RELAENT:
		r->entry = d->d_un.d_val;
		break;
	case DT_NEEDED:
	case DT_JMPREL:
	case DT_REL:
	case DT_RELR:
		r->other = true;
		break;
	}
}

static bool find_relocations(const struct blob_file *f, struct relocations *r)
{
	const unsigned char *p = bytes_at(f, SEG_TEXT, f->dynamic.p_vaddr, f->dynamic.p_filesz);
	Elf64_Dyn d;

	*r = (struct relocations){.entry = sizeof(Elf64_Rela)};
	for (uint64_t i = 0; p && i + sizeof d <= f->dynamic.p_filesz; i += sizeof d) {
		memcpy(&d, p + i, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		take_dynamic(r, &d);
	}
	if (r->other)
		return damaged(f, "it needs shared libraries or unsupported relocations");
	return r->entry == sizeof(Elf64_Rela) ||
	       damaged(f, "its relocation entries have the wrong size");
}

static bool relocate_one(const struct blob_file *f, const Elf64_Rela *r, uint64_t base)
{
	const Elf64_Phdr *d = &f->seg[SEG_DATA];
	uint64_t value = base + (uint64_t)r->r_addend;
	unsigned char *at;

	if (ELF64_R_TYPE(r->r_info) == NO_RELOCATION)
		return true;
	at = bytes_at(f, SEG_CONST, r->r_offset, sizeof value);
	if (ELF64_R_TYPE(r->r_info) != RELATIVE || !at ||
	    (uint64_t)r->r_addend > page_up(d->p_vaddr + d->p_memsz))
		return false;
	memcpy(at, &value, sizeof value);
	return true;
}

bool blob_file_relocate(struct blob_file *f, uint64_t base)
{
	const unsigned char *p;
	struct relocations r;
	Elf64_Rela one;

	if (!find_relocations(f, &r))
		return false;
	p = bytes_at(f, SEG_TEXT, r.at, r.size);
	if (r.size && !p)
		return damaged(f, "its relocations lie outside the file");
	for (uint64_t i = 0; i + sizeof one <= r.size; i += sizeof one) {
		memcpy(&one, p + i, sizeof one);
		if (!relocate_one(f, &one, base))
			return damaged(f, "a relocation has an unexpected type or address");
	}
	return true;
}
