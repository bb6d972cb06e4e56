/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped files unknown to the script: their call frame information and dynamic symbols (System V
 * ABI, chapter 5). For libraries loaded at run time, and the vDSO.
 */
#include "unwind/unwind.h"

bool mapped_image_read(struct ust_ctx *c, u64 header, struct image *to)
{
	enum { ELF = 0x464c457f, PHOFF = 32, PHENTSIZE = 54, PHNUM = 56, MAX = 64 };
	enum { LOAD = 1, DYNAMIC = 2, EH_FRAME = 0x6474e550, OFFSET = 8, VADDR = 16, MEMSZ = 40 };
	u32 size = (u32)ust_touch(c, header + PHENTSIZE, 2),
	    n = (u32)ust_touch(c, header + PHNUM, 2), i;
	u64 ph = header + ust_touch(c, header + PHOFF, 8);
	bool based = false;

	*to = (struct image){0, 0, 0, 0};
	if (ust_touch(c, header, 4) != ELF || n > MAX)
		return false;
	for (i = 0; i < n; i++, ph += size) {
		u32 type = (u32)ust_touch(c, ph, 4);
		u64 addr = type == LOAD || type == DYNAMIC || type == EH_FRAME
				   ? ust_touch(c, ph + VADDR, 8)
				   : 0;

		if (type == LOAD && !based) {
			to->bias = header + ust_touch(c, ph + OFFSET, 8) - addr;
			based = true;
		}
		if (type == LOAD && addr + ust_touch(c, ph + MEMSZ, 8) > to->size)
			to->size = addr + ust_touch(c, ph + MEMSZ, 8);
		else if (type == DYNAMIC)
			to->dynamic = addr;
		else if (type == EH_FRAME)
			to->unwind = addr;
	}
	return based;
}

/* ---------------------------------------------------------------- build-id */

/* Find the build-id among the notes of SIZE bytes at AT. */
static bool find_build_id(struct ust_ctx *c, u64 at, u64 size, char *to)
{
	enum { HEAD = 12, GNU = 0x554e47, BUILD_ID = 3, MOST = 1024 };
	static const char digit[] = "0123456789abcdef";
	u64 end = at + (size < MOST ? size : MOST);
	u32 n, i;

	while (at + HEAD < end) {
		u32 name = (u32)ust_touch(c, at, 4), type = (u32)ust_touch(c, at + 8, 4);

		n = (u32)ust_touch(c, at + 4, 4);
		if (name > MOST || n > MOST)
			return false;
		if (type == BUILD_ID && name == 4 && ust_touch(c, at + HEAD, 4) == GNU)
			break;
		at += HEAD + ((name + 3) & ~3u) + ((n + 3) & ~3u);
	}
	if (at + HEAD >= end || !n || 2 * n >= IMAGE_BUILD_ID)
		return false;
	for (i = 0; i < n; i++) {
		u64 v = ust_touch(c, at + HEAD + 4 + i, 1);

		to[2 * i] = digit[v >> 4];
		to[2 * i + 1] = digit[v & 15];
	}
	to[2 * n] = 0;
	return true;
}

bool mapped_image_build_id(struct ust_ctx *c, u64 header, char *to)
{
	enum { PHOFF = 32, PHENTSIZE = 54, PHNUM = 56, MAX = 64, NOTE = 4, VADDR = 16, MEMSZ = 40 };
	u32 size = (u32)ust_touch(c, header + PHENTSIZE, 2),
	    n = (u32)ust_touch(c, header + PHNUM, 2), i;
	u64 ph = header + ust_touch(c, header + PHOFF, 8);
	struct image im;

	if (!mapped_image_read(c, header, &im) || n > MAX)
		return false;
	for (i = 0; i < n; i++, ph += size)
		if (ust_touch(c, ph, 4) == NOTE &&
		    find_build_id(c, im.bias + ust_touch(c, ph + VADDR, 8),
				  ust_touch(c, ph + MEMSZ, 8), to))
			return true;
	return false;
}

/* ----------------------------------------------------------------- symbols */

struct tables {
	u64 symbols, strings, strings_size;
};

/* The dynamic linker replaces addresses of the file by those of the process, but not in the
 * vDSO. */
static u64 placed(const struct image *im, u64 addr)
{
	return addr < im->bias ? addr + im->bias : addr;
}

static bool find_tables(struct ust_ctx *c, const struct image *im, struct tables *to)
{
	enum { STRTAB = 5, SYMTAB = 6, STRSZ = 10, MAX = 100, ENTRY = 16 };
	u64 at = im->dynamic + im->bias, tag;
	u32 i;

	*to = (struct tables){0, 0, 0};
	for (i = 0; im->dynamic && i < MAX && (tag = ust_touch(c, at, 8)); i++, at += ENTRY) {
		u64 v = ust_touch(c, at + 8, 8);

		if (tag == STRTAB)
			to->strings = placed(im, v);
		else if (tag == SYMTAB)
			to->symbols = placed(im, v);
		else if (tag == STRSZ)
			to->strings_size = v;
	}
	return to->symbols && to->strings > to->symbols;
}

static void read_name(struct ust_ctx *c, u64 at, char *name)
{
	u32 n = 0;

	for (; n < IMAGE_NAME - 1; n++) {
		name[n] = (char)ust_touch(c, at + n, 1);
		if (!name[n])
			break;
	}
	name[n] = 0;
}

/* Dynamic symbols are unsorted, and the process controls their number. So a handler examines a
 * limited number, and is charged for them; names beyond it remain unknown. */
static u64 symbols_left(struct ust_ctx *c, u64 n)
{
	enum { MOST = 1 << 15, STEPS = 2 };
	u64 left = c->symbols < MOST ? MOST - c->symbols : 0;

	if (n > left)
		n = left;
	c->symbols += (u32)n;
	return ctx_work(c, n * STEPS) ? n : 0;
}

/* all linkers put the string table after the symbols, which gives their number */
bool mapped_image_symbol(struct ust_ctx *c, const struct image *im, u64 addr,
			 struct mapped_image_symbol *to)
{
	enum { SYMBOL = 24, VALUE = 8, SIZE = 16, INFO = 4, TYPE = 15, FUNCTION = 2, IFUNC = 10 };
	u64 n, i, best = 0, in_file = addr - im->bias;
	struct tables t;
	u32 type;

	if (!find_tables(c, im, &t))
		return false;
	n = symbols_left(c, (t.strings - t.symbols) / SYMBOL);
	to->start = 0;
	for (i = 1; i < n; i++) {
		u64 at = t.symbols + i * SYMBOL, value = ust_touch(c, at + VALUE, 8);

		if (!value || value > in_file || value <= to->start ||
		    in_file - value >= ust_touch(c, at + SIZE, 8))
			continue;
		type = ust_touch(c, at + INFO, 1) & TYPE;
		if (type != FUNCTION && type != IFUNC)
			continue;
		to->start = value;
		best = at;
	}
	if (!best || ust_touch(c, best, 4) >= t.strings_size)
		return false;
	to->size = ust_touch(c, best + SIZE, 8);
	read_name(c, t.strings + ust_touch(c, best, 4), to->name);
	return to->name[0];
}
