/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The libraries of this process, by the dynamic linker's list (struct r_debug), which debuggers
 * use, too. It has a library before any of its code is called. All of it is the program's memory,
 * so reads are bounded, and a result may be wrong if the program damages it.
 */
#include "probes/libraries.h"

bool library_is_elf(u64 addr)
{
	static const u8 magic[4] = {0x7f, 'E', 'L', 'F'};
	u8 have[sizeof magic];

	return addr && umem_read(have, addr, sizeof have) && !memcmp(have, magic, sizeof have);
}

struct dyn { /* Elf64_Dyn */
	u64 tag, value;
};
struct phdr { /* Elf64_Phdr */
	u32 type, flags;
	u64 offset, vaddr, paddr, filesz, memsz, align;
};
struct ehdr { /* Elf64_Ehdr */
	u8 ident[16];
	u16 type, machine;
	u32 version;
	u64 entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct link_map { /* its public part */
	u64 addr, name, dynamic, next, previous;
};
enum { PT_LOAD = 1, PT_DYNAMIC, PT_PHDR = 6, PF_X = 1, DT_DEBUG = 21, DEBUG_MAP = 8 };
enum { MOST_PHDRS = 64, MOST_TAGS = 128, MOST_LIBRARIES = 4096, MOST_PATH = 4096 };

/* The value of the program's DT_DEBUG: the address of struct r_debug; 0 without one. */
static u64 debug_address(void)
{
	u64 bias = 0, dynamic = 0, i;
	struct phdr p;
	struct dyn d;

	for (i = 0; i < process.nphdrs && i < MOST_PHDRS; i++) {
		if (!umem_read(&p, process.phdrs + i * sizeof p, sizeof p))
			return 0;
		if (p.type == PT_PHDR)
			bias = process.phdrs - p.vaddr;
		else if (p.type == PT_DYNAMIC)
			dynamic = p.vaddr;
	}
	for (i = 0; dynamic && i < MOST_TAGS; i++) {
		if (!umem_read(&d, bias + dynamic + i * sizeof d, sizeof d) || !d.tag)
			return 0;
		if (d.tag == DT_DEBUG)
			return d.value;
	}
	return 0;
}

/* Has the image at BASE code at ADDR? */
static bool image_has(u64 base, u64 addr)
{
	struct ehdr e;
	struct phdr p;
	u32 i;

	if (addr < base || !library_is_elf(base) || !umem_read(&e, base, sizeof e))
		return false;
	for (i = 0; i < e.phnum && i < MOST_PHDRS; i++)
		if (!umem_read(&p, base + e.phoff + i * sizeof p, sizeof p))
			return false;
		else if (p.type == PT_LOAD && p.flags & PF_X && addr - base - p.vaddr < p.memsz)
			return true;
	return false;
}

/* The first library, 0 if the program has no list. */
static u64 first_library(void)
{
	u64 debug = debug_address(), first = 0;

	return debug && umem_read(&first, debug + DEBUG_MAP, sizeof first) ? first : 0;
}

/* Read *AT, an entry of the list, into L, and go to the next one; false: that was the last. */
static bool next_library(u64 *at, struct link_map *l)
{
	if (!*at || !umem_read(l, *at, sizeof *l))
		return false;
	*at = l->next;
	return true;
}

bool library_has_code(u64 addr)
{
	u64 at = first_library();
	struct link_map l;
	u32 i;

	for (i = 0; i < MOST_LIBRARIES && next_library(&at, &l); i++)
		if (image_has(l.addr, addr))
			return true;
	return false;
}

/* Does the last part of the path at ADDR begin with NAME? */
static bool is_named(u64 addr, const char *name)
{
	u32 i, matched = 0;
	bool begins = true; /* so far NAME begins as the last part does */
	char c;

	for (i = 0; addr && i < MOST_PATH && umem_read(&c, addr + i, 1) && c; i++) {
		if (c == '/') {
			matched = 0;
			begins = true;
		} else if (begins && name[matched]) {
			begins = c == name[matched++];
		}
	}
	return begins && matched && !name[matched];
}

/* True if a library is loaded whose file name begins with NAME. */
static bool is_loaded(const char *name)
{
	u64 at = first_library();
	struct link_map l;
	u32 i;

	for (i = 0; i < MOST_LIBRARIES && next_library(&at, &l); i++)
		if (is_named(l.name, name))
			return true;
	return false;
}

/* Greenlets of Python. */
bool library_shares_stacks(void)
{
	static PRIVATE bool known;

	if (!known && is_loaded("_greenlet."))
		known = true;
	return known;
}

/* Kernel#callcc of Ruby. */
bool library_reenters_stacks(void)
{
	static PRIVATE bool known;

	if (!known && is_loaded("continuation."))
		known = true;
	return known;
}
