/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF files: segments, identity, functions by name and by address.
 *
 * The loader does not use libelf. Nothing in the file is trusted: all reads are bounded by
 * in_file(), which copies the data first, so that an owner that truncates or changes the file
 * meanwhile cannot change data that was checked. Counts are limited to the entries that fit. Tables
 * may overlap, so that even data that fits could be read many times: one symbol table of each type
 * and few segments are used, and the work is proportional to the size of the file. Function bounds
 * come from the symbol tables and, in stripped files, from the search table of .eh_frame_hdr (Linux
 * Standard Base Core, 10.6.2).
 */
#include "elfid.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "base/message.h"
#include "base/page.h"

#include "answers.h"
#include "bisect.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

struct function {
	uint64_t start, end;
}; /* END equal to START: unknown */
struct functions {
	struct function *v;
	size_t n;
	bool made;
};

enum { MAX_SEGMENTS = 128 };

struct copy {
	uint8_t *data;       /* anonymous memory; only the requested parts have been read */
	const uint8_t *file; /* the mapped file, read only through the kernel; after truncation
			      * reads fail */
	uint64_t *have;      /* bitmap: parts of data that were read */
	uint64_t from, to;   /* the range requested last, which is present */
	bool truncated;
};

struct elf_file {
	struct copy *copy;
	size_t size;
	struct stat st;
	bool loose_dev; /* its file system shows another device in /proc/PID/maps */
	uint64_t entry;
	bool pie;
	const Elf64_Phdr *ph;
	const Elf64_Shdr *sh;
	size_t nph, nsh;
	const Elf64_Shdr *symtab, *dynsym; /* the first of each; NULL if missing */
	const Elf64_Phdr *unwind;          /* the first PT_GNU_EH_FRAME; NULL if missing */
	const char *interp;
	struct functions *functions; /* created at first use */
};

/* -------------------------------------------------------------- bounds and tables */

enum { PART = 64 << 10 };

/* A direct read of the mapping of a truncated file raises SIGBUS; process_vm_readv(2) on the own
 * process fails instead. */
static bool read_part(const struct elf_file *f, uint64_t part)
{
	uint64_t at = part * PART, n = f->size - at < PART ? f->size - at : PART;
	struct iovec to = {f->copy->data + at, n}, from = {(void *)(f->copy->file + at), n};

	if (f->copy->have[part / 64] >> part % 64 & 1)
		return true;
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)n) {
		f->copy->truncated = true;
		return false;
	}
	f->copy->have[part / 64] |= 1ull << part % 64;
	return true;
}

/* SIZE bytes at OFFSET of the file, aligned for ALIGN, valid until the file is closed; NULL if the
 * file is shorter. */
static const void *in_file(const struct elf_file *f, uint64_t offset, uint64_t size, size_t align)
{
	struct copy *c = f->copy;

	if (offset > f->size || size > f->size - offset || offset % align)
		return NULL;
	if (size && (offset < c->from || offset + size > c->to)) {
		for (uint64_t part = offset / PART; part <= (offset + size - 1) / PART; part++)
			if (!read_part(f, part))
				return NULL;
		c->from = offset;
		c->to = offset + size;
	}
	return c->data + offset;
}

/* The executable segment with SIZE bytes at ADDR, all present in the file. */
static const Elf64_Phdr *text_at(const struct elf_file *f, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < f->nph; i++) {
		const Elf64_Phdr *p = &f->ph[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && addr >= p->p_vaddr &&
		    addr - p->p_vaddr < p->p_filesz && size <= p->p_filesz - (addr - p->p_vaddr))
			return p;
	}
	return NULL;
}

/* Number of bytes of segment P that the file contains. */
static uint64_t bytes_of(const struct elf_file *f, const Elf64_Phdr *p)
{
	if (p->p_offset > f->size)
		return 0;
	return p->p_filesz < f->size - p->p_offset ? p->p_filesz : f->size - p->p_offset;
}

/* SIZE bytes at virtual address ADDR within one segment; NULL if not present. */
static const void *at_addr(const struct elf_file *f, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < f->nph; i++) {
		const Elf64_Phdr *p = &f->ph[i];
		uint64_t there = p->p_type == PT_LOAD ? bytes_of(f, p) : 0;

		if (addr >= p->p_vaddr && addr - p->p_vaddr < there)
			return size > there - (addr - p->p_vaddr)
				       ? NULL
				       : in_file(f, p->p_offset + (addr - p->p_vaddr), size, 1);
	}
	return NULL;
}

/* ------------------------------------------------------------------------ opening */

static const char *check_header(const struct elf_file *f, const Elf64_Ehdr **ehdr)
{
	const Elf64_Ehdr *eh = in_file(f, 0, sizeof *eh, 1);

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return "it is not an ELF file";
	if (eh->e_ident[EI_CLASS] == ELFCLASS32)
		return "it is a 32-bit file";
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh->e_machine != ELF_MACHINE)
		return "it is for another machine";
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		return "it is neither an executable nor a shared library";
	*ehdr = eh;
	return NULL;
}

static const char *read_header(struct elf_file *f)
{
	const Elf64_Ehdr *eh = NULL;
	const char *why = check_header(f, &eh);

	if (why)
		return why;
	f->entry = eh->e_entry;
	f->pie = eh->e_type == ET_DYN;
	f->ph = in_file(f, eh->e_phoff, (uint64_t)eh->e_phnum * sizeof *f->ph,
			_Alignof(Elf64_Phdr));
	if (!f->ph || eh->e_phentsize != sizeof *f->ph)
		return "its program headers are damaged";
	if (eh->e_phnum > MAX_SEGMENTS)
		return "it has too many program headers";
	f->nph = eh->e_phnum;
	f->sh = in_file(f, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof *f->sh,
			_Alignof(Elf64_Shdr));
	if (f->sh && eh->e_shentsize == sizeof *f->sh)
		f->nsh = eh->e_shnum;
	for (size_t i = f->nsh; i-- > 0;) {
		if (f->sh[i].sh_type == SHT_SYMTAB)
			f->symtab = &f->sh[i];
		if (f->sh[i].sh_type == SHT_DYNSYM)
			f->dynsym = &f->sh[i];
	}
	return NULL;
}

static const char *interp_of(const struct elf_file *f, const Elf64_Phdr *p)
{
	uint64_t size = bytes_of(f, p) < PATH_MAX ? bytes_of(f, p) : PATH_MAX;
	const char *path = in_file(f, p->p_offset, size, 1);

	return path && memchr(path, 0, size) ? path : NULL;
}

static void read_segments(struct elf_file *f)
{
	for (size_t i = 0; i < f->nph; i++) {
		const Elf64_Phdr *p = &f->ph[i];

		if (p->p_type == PT_GNU_EH_FRAME && !f->unwind)
			f->unwind = p;
		if (p->p_type == PT_INTERP && bytes_of(f, p) && interp_of(f, p))
			f->interp = interp_of(f, p);
	}
}

/* linux/magic.h: on these stat(2) returns the device of a layer or subvolume, not that of the
 * mapping. */
static bool has_loose_dev(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) &&
	       (fs.f_type == 0x794c7630 /* overlay */ || fs.f_type == 0x9123683e /* btrfs */);
}

static void *zeroed(size_t size) { return memset(xrealloc(NULL, size), 0, size); }

static const char *map_file(struct elf_file *f, int fd)
{
	struct copy *c = f->copy;
	void *p;

	if (fstat(fd, &f->st) < 0)
		return "it cannot be read";
	if (!S_ISREG(f->st.st_mode) || f->st.st_size < (off_t)sizeof(Elf64_Ehdr))
		return "it is not an ELF file";
	f->size = (size_t)f->st.st_size;
	/* shared: uprobes inserts breakpoints into private mappings (valid_vma()) */
	p = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return "it cannot be mapped";
	c->file = p;
	p = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return "not enough memory";
	c->data = p;
	madvise(p, f->size, MADV_HUGEPAGE); /* most of the time goes to page faults */
	c->have = zeroed((f->size / PART / 64 + 1) * sizeof *c->have);
	f->loose_dev = has_loose_dev(fd);
	return NULL;
}

struct elf_file *elffile_open_at(int fd, const char **why)
{
	struct elf_file *f = zeroed(sizeof *f);
	const char *reason;

	f->copy = zeroed(sizeof *f->copy);
	f->functions = zeroed(sizeof *f->functions);
	reason = map_file(f, fd);
	close(fd);
	if (!reason)
		reason = read_header(f);
	if (!reason)
		read_segments(f);
	if (reason || f->copy->truncated) {
		if (why)
			*why = f->copy->truncated ? "it was truncated" : reason;
		elffile_close(f);
		errno = ENOEXEC;
		return NULL;
	}
	return f;
}

/* Open a file whose path comes from a script or a process: a FIFO must not block the open, and
 * opening a device must have no effect. */
int elffile_open_fd(const char *path)
{
	int fd = file_answers(path) ? open(path, O_PATH | O_CLOEXEC) : -1, out = -1;
	char name[40];
	struct stat st;

	if (fd < 0)
		return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		errno = EINVAL;
	else
		out = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	close(fd);
	return out;
}

struct elf_file *elffile_open(const char *path, const char **why)
{
	int fd = elffile_open_fd(path);

	if (fd >= 0)
		return elffile_open_at(fd, why);
	if (why)
		*why = strerror(errno);
	return NULL;
}

void elffile_close(struct elf_file *f)
{
	if (!f)
		return;
	if (f->copy->file)
		munmap((void *)f->copy->file, f->size);
	if (f->copy->data)
		munmap(f->copy->data, f->size);
	free(f->copy->have);
	free(f->copy);
	free(f->functions->v);
	free(f->functions);
	free(f);
}

/* --------------------------------------------------------------- simple questions */

bool elffile_same(const struct elf_file *f, unsigned dev_major, unsigned dev_minor, uint64_t inode)
{
	if (f->st.st_ino != inode)
		return false;
	return f->loose_dev ||
	       (major(f->st.st_dev) == dev_major && minor(f->st.st_dev) == dev_minor);
}

static int read_mapped(void *arg, void *to, __u32 n, __u64 at)
{
	const void *from = in_file(arg, at, n, 1);

	if (from)
		memcpy(to, from, n);
	return from != NULL;
}

void elffile_identity(const struct elf_file *f, char *to)
{
	unsigned char buffer[ELFID_BUFFER];

	elfid_text(&(struct elfid_file){f->size, read_mapped, (void *)f, buffer}, to);
}

void elffile_build_id(const struct elf_file *f, char *to)
{
	elfid_build_id(&(struct elfid_file){f->size, read_mapped, (void *)f, NULL}, to);
}

uint64_t elffile_entry(const struct elf_file *f) { return f->entry; }

const char *elffile_interp(const struct elf_file *f) { return f->interp; }

bool elffile_is_pie(const struct elf_file *f) { return f->pie; }

bool elffile_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < f->nph; i++) {
		const Elf64_Phdr *p = &f->ph[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && offset >= p->p_offset &&
		    offset - p->p_offset < p->p_filesz) {
			*addr = p->p_vaddr + (offset - p->p_offset);
			return true;
		}
	}
	return false;
}

bool elffile_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset)
{
	const Elf64_Phdr *p = text_at(f, addr, 1);

	if (p)
		*offset = p->p_offset + (addr - p->p_vaddr);
	return p;
}

size_t elffile_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes)
{
	const Elf64_Phdr *p = text_at(f, addr, 1);
	uint64_t there = p ? bytes_of(f, p) : 0;

	if (!p || addr - p->p_vaddr >= there)
		return 0;
	there -= addr - p->p_vaddr;
	*bytes = in_file(f, p->p_offset + (addr - p->p_vaddr), there, 1);
	return *bytes ? there : 0;
}

ssize_t elffile_segment(const struct elf_file *f, size_t i, uint64_t most, uint64_t *addr,
			const uint8_t **bytes)
{
	const Elf64_Phdr *p = &f->ph[i];
	uint64_t there;

	if (i >= f->nph)
		return -1;
	there = p->p_type == PT_LOAD ? bytes_of(f, p) : 0;
	*bytes = there <= most ? in_file(f, p->p_offset, there, 1) : NULL;
	*addr = p->p_vaddr;
	return (ssize_t)there;
}

/* The loaded segment with the file's first byte. */
static const Elf64_Phdr *header_segment(const struct elf_file *f)
{
	for (size_t i = 0; i < f->nph; i++)
		if (f->ph[i].p_type == PT_LOAD && f->ph[i].p_offset < UST_PAGE)
			return &f->ph[i];
	return NULL;
}

bool elffile_code_range(const struct elf_file *f, size_t i, struct code_range *r)
{
	const Elf64_Phdr *head = header_segment(f), *p = f->ph, *end = f->ph + f->nph;

	for (; head && p < end; p++)
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && !i--)
			break;
	if (!head || p == end)
		return false;
	r->from_header = page_down(p->p_vaddr) - page_down(head->p_vaddr);
	r->size = page_up(p->p_vaddr + bytes_of(f, p)) - page_down(p->p_vaddr);
	r->offset = page_down(p->p_offset);
	return true;
}

bool elffile_has_relr(const struct elf_file *f)
{
	enum { RELR_ENTRIES = 36 }; /* DT_RELR, which older elf.h do not have */

	for (size_t i = 0; i < f->nph; i++) {
		const Elf64_Phdr *p = &f->ph[i];
		uint64_t size = p->p_type == PT_DYNAMIC ? bytes_of(f, p) : 0;
		const Elf64_Dyn *d = size ? in_file(f, p->p_offset, size, _Alignof(Elf64_Dyn))
					  : NULL;

		for (; d && size >= sizeof *d; d++, size -= sizeof *d)
			if (d->d_tag == RELR_ENTRIES)
				return true;
	}
	return false;
}

/* ------------------------------------------------------------------------- symbols */

struct symbols {
	const Elf64_Sym *v;
	size_t n;
	const char *names;
	size_t names_size;
};

/* The symbol table of section SH, which may be NULL; false if it is missing or damaged. */
static bool symbols_of(const struct elf_file *f, const Elf64_Shdr *sh, struct symbols *s)
{
	const Elf64_Shdr *names;

	if (!sh || sh->sh_link >= f->nsh)
		return false;
	names = &f->sh[sh->sh_link];
	s->v = in_file(f, sh->sh_offset, sh->sh_size, _Alignof(Elf64_Sym));
	s->n = sh->sh_size / sizeof *s->v;
	s->names = in_file(f, names->sh_offset, names->sh_size, 1);
	s->names_size = names->sh_size;
	/* so that every name is terminated */
	return s->v && s->names && s->names_size && !s->names[s->names_size - 1];
}

/* True if SYM's name is NAME, of N bytes, in any version. */
static bool has_name(const struct symbols *s, const Elf64_Sym *sym, const char *name, size_t n)
{
	const char *have;

	if (sym->st_name >= s->names_size || s->names_size - sym->st_name <= n)
		return false;
	have = s->names + sym->st_name;
	return *have == *name && !memcmp(have, name, n) && (!have[n] || have[n] == '@');
}

static bool is_of_type(const struct elf_file *f, const Elf64_Sym *sym, int type)
{
	return ELF64_ST_TYPE(sym->st_info) == type && sym->st_shndx != SHN_UNDEF &&
	       (type != STT_FUNC || text_at(f, sym->st_value, 1));
}

/* The address of NAME, of TYPE, in one table; a global symbol is preferred. */
static uint64_t lookup(const struct elf_file *f, const struct symbols *s, const char *name,
		       int type)
{
	size_t n = strlen(name);
	uint64_t local = 0;

	for (size_t i = 0; i < s->n; i++) {
		const Elf64_Sym *sym = &s->v[i];

		if (!has_name(s, sym, name, n) || !is_of_type(f, sym, type))
			continue;
		if (ELF64_ST_BIND(sym->st_info) != STB_LOCAL)
			return sym->st_value;
		local = sym->st_value;
	}
	return local;
}

static uint64_t lookup_all(const struct elf_file *f, const char *name, int type)
{
	uint64_t addr = 0;
	struct symbols s;

	/* the dynamic table first, because it is short */
	if (symbols_of(f, f->dynsym, &s))
		addr = lookup(f, &s, name, type);
	if (!addr && symbols_of(f, f->symtab, &s))
		addr = lookup(f, &s, name, type);
	return addr;
}

uint64_t elffile_function(const struct elf_file *f, const char *name)
{
	return lookup_all(f, name, STT_FUNC);
}

uint64_t elffile_object(const struct elf_file *f, const char *name)
{
	return lookup_all(f, name, STT_OBJECT);
}

/*
 * True if SYM fits ADDR better than BEST: the nearest does, then one with a size, then one that is
 * not local.
 */
static bool is_better(const Elf64_Sym *sym, const Elf64_Sym *best, uint64_t addr)
{
	if (sym->st_value > addr || (sym->st_size && addr - sym->st_value >= sym->st_size))
		return false;
	if (!best || sym->st_value != best->st_value)
		return !best || sym->st_value > best->st_value;
	if (!sym->st_size != !best->st_size)
		return sym->st_size;
	return ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
	       ELF64_ST_BIND(best->st_info) == STB_LOCAL;
}

/* The function symbol of one table for ADDR. */
static const Elf64_Sym *symbol_at(const struct symbols *s, uint64_t addr)
{
	const Elf64_Sym *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const Elf64_Sym *sym = &s->v[i];
		unsigned type = ELF64_ST_TYPE(sym->st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF &&
		    sym->st_name < s->names_size && s->names[sym->st_name] &&
		    is_better(sym, best, addr))
			best = sym;
	}
	return best;
}

const char *elffile_symbol_at(const struct elf_file *f, uint64_t addr, uint64_t *start,
			      uint64_t *size)
{
	const Elf64_Shdr *const tables[] = {f->symtab, f->dynsym};

	for (int i = 0; text_at(f, addr, 1) && i < 2; i++) {
		struct symbols s;
		const Elf64_Sym *sym = symbols_of(f, tables[i], &s) ? symbol_at(&s, addr) : NULL;

		if (!sym)
			continue;
		*start = sym->st_value;
		*size = sym->st_size;
		return s.names + sym->st_name;
	}
	return NULL;
}

/* ------------------------------------------------------- where functions begin and end */

static void add(struct functions *to, uint64_t start, uint64_t size)
{
	uint64_t end = start + size < start ? start : start + size;

	if ((to->n & (to->n - 1)) == 0)
		to->v = xrealloc(to->v, (to->n ? 2 * to->n : 1) * sizeof *to->v);
	to->v[to->n++] = (struct function){start, end};
}

static void add_symbols(const struct elf_file *f, const Elf64_Shdr *sh, struct functions *to)
{
	struct symbols s;

	if (!symbols_of(f, sh, &s))
		return;
	for (size_t i = 0; i < s.n; i++) {
		unsigned type = ELF64_ST_TYPE(s.v[i].st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s.v[i].st_shndx != SHN_UNDEF &&
		    text_at(f, s.v[i].st_value, 1))
			add(to, s.v[i].st_value, s.v[i].st_size);
	}
}

/* Number of code bytes covered by the FDE at ADDR if it is one for START, with the encodings that
 * compilers use: 32-bit distance or plain 64-bit address. 0 if unknown. */
static uint64_t fde_size(const struct elf_file *f, uint64_t addr, uint64_t start)
{
	struct {
		uint32_t length, cie;
		int32_t pc;
		uint32_t size;
	} near;
	struct {
		uint32_t length, cie;
		uint64_t pc, size;
	} far;
	const void *p = at_addr(f, addr, sizeof near);

	if (p) {
		memcpy(&near, p, sizeof near);
		if (addr + offsetof(__typeof__(near), pc) + (uint64_t)(int64_t)near.pc == start)
			return near.size;
	}
	p = at_addr(f, addr, sizeof far);
	if (p) {
		memcpy(&far, p, sizeof far);
		if (far.pc == start)
			return far.size;
	}
	return 0;
}

/* DW_EH_PE_udata4; DW_EH_PE_datarel | DW_EH_PE_sdata4 */
enum { COUNT_ENCODING = 0x03, TABLE_ENCODING = 0x3b };

static void add_unwind_table(const struct elf_file *f, const Elf64_Phdr *p, struct functions *to)
{
	struct {
		uint8_t version, pointer, count, table;
	} enc;
	struct {
		int32_t start, fde;
	} row;
	uint64_t size = bytes_of(f, p);
	const uint8_t *at = size ? in_file(f, p->p_offset, size, 1) : NULL;
	uint32_t n;
	enum { HEAD = sizeof enc + sizeof(int32_t) + sizeof n };

	if (!at || size < HEAD)
		return;
	memcpy(&enc, at, sizeof enc);
	memcpy(&n, at + HEAD - sizeof n, sizeof n);
	/* the encoded pointer to .eh_frame has four bytes, as all linkers write it */
	if (enc.version != 1 || enc.count != COUNT_ENCODING || enc.table != TABLE_ENCODING ||
	    (enc.pointer & 0x07) != COUNT_ENCODING)
		return;
	for (at += HEAD, size -= HEAD; n-- && size >= sizeof row;
	     at += sizeof row, size -= sizeof row) {
		uint64_t start;

		memcpy(&row, at, sizeof row);
		start = p->p_vaddr + (uint64_t)(int64_t)row.start;
		if (text_at(f, start, 1))
			add(to, start, fde_size(f, p->p_vaddr + (uint64_t)(int64_t)row.fde, start));
	}
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Keep one entry for each start address, with the largest end. */
static void merge(struct functions *fn)
{
	size_t n = 0;

	for (size_t i = 0; i < fn->n; i++) {
		if (n && fn->v[n - 1].start == fn->v[i].start) {
			if (fn->v[i].end > fn->v[n - 1].end)
				fn->v[n - 1].end = fn->v[i].end;
		} else {
			fn->v[n++] = fn->v[i];
		}
	}
	fn->n = n;
}

static const struct functions *functions(const struct elf_file *f)
{
	struct functions *fn = f->functions;

	if (fn->made)
		return fn;
	fn->made = true;
	add_symbols(f, f->symtab, fn);
	add_symbols(f, f->dynsym, fn);
	if (f->unwind)
		add_unwind_table(f, f->unwind, fn);
	if (fn->n)
		qsort(fn->v, fn->n, sizeof *fn->v, by_start);
	merge(fn);
	return fn;
}

/* Number of functions that start at or before ADDR. */
static size_t begun(const struct functions *fn, uint64_t addr)
{
	return BISECT(mid, fn->n, fn->v[mid].start <= addr);
}

/* In assembler files functions may be nested: number of earlier functions that are checked for one
 * that contains the address. */
enum { NESTED = 16 };

bool elffile_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end,
			 uint64_t *next)
{
	const struct functions *fn = functions(f);
	const Elf64_Phdr *p = text_at(f, addr, 1);
	size_t n = begun(fn, addr), back;
	uint64_t limit;

	if (!p || !n)
		return false;
	limit = p->p_vaddr + p->p_filesz;
	if (n < fn->n && fn->v[n].start < limit)
		limit = fn->v[n].start;
	for (back = 1; back <= n && back <= NESTED; back++)
		if (fn->v[n - back].end > addr)
			break;
	if (back > n || back > NESTED) {
		/* an unknown size extends to the next function */
		if (fn->v[n - 1].end != fn->v[n - 1].start || fn->v[n - 1].start < p->p_vaddr)
			return false;
		back = 1;
	}
	*start = fn->v[n - back].start;
	*next = limit;
	*end = fn->v[n - back].end > *start && fn->v[n - back].end < limit ? fn->v[n - back].end
									   : limit;
	return true;
}

/* Code without a function of its own farther behind one than this is unknown. */
enum { AROUND = 64 << 10 };

bool elffile_code_around(const struct elf_file *f, uint64_t addr, uint64_t *from, uint64_t *to)
{
	const struct functions *fn = functions(f);
	const Elf64_Phdr *p = text_at(f, addr, 1);
	size_t n = begun(fn, addr), i = n > NESTED ? n - NESTED : 0;
	uint64_t limit, end = 0;

	if (!p || !n || fn->v[n - 1].start < p->p_vaddr || addr - fn->v[n - 1].start >= AROUND)
		return false;
	limit = p->p_vaddr + p->p_filesz;
	*from = fn->v[n - 1].start;
	for (; i < n; i++) {
		if (fn->v[i].end <= addr || fn->v[i].start < p->p_vaddr)
			continue;
		if (fn->v[i].start < *from)
			*from = fn->v[i].start;
		if (fn->v[i].end > end)
			end = fn->v[i].end;
	}
	if (n < fn->n && fn->v[n].start > end)
		end = fn->v[n].start;
	*to = n == fn->n || end > limit ? limit : end;
	return true;
}
