/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack maps with damaged tables (runtime/common/unwind/unwind.c, symbol.c): names and frames come
 * only from within them. The map is between pages that cannot be read, so that a read beyond its
 * end crashes.
 */
#include <sys/mman.h>

#include "rt_check.h"
#include "common.h"

enum { PAGE = 4096, BASE = 0x10000, SIZE = 0x1000, AT = 0x100, ROUNDS = 20000 };

struct layout {
	u64 size;
	struct ust_stackmap head;
	struct ust_frame_row rows[2];
	struct ust_symbol symbols[2];
	struct ust_line_row lines[2];
	struct ust_inline_row inlines[2];
	struct ust_inlined inlined[2];
	char strings[24];
};

static const struct layout sound = {
	.size = sizeof sound - sizeof sound.size,
	.head = {2, 2, 24, 1, 2, 2, 2, 0, {{0, SIZE, 0}}},
	.rows = {{0, 8, 0, UST_FRAME_SP}, {0x200, 16, -16, UST_FRAME_BP}},
	.symbols = {{0, 0x200, 0}, {0x200, 0x200, 6}},
	.lines = {{0, 7, 13}, {0x300, 9, 13}},
	.inlines = {{0, 2}, {0x300, 0}},
	.inlined = {{0, 13, 3, 0}, {6, 13, 4, 1}},
	.strings = "first\0second\0file.c",
};

static struct ust_module module = {.path = "/bin/prog", .name = "/bin/prog", .identity = ""};

const struct ust_program ust_program = {.abi = UST_ABI,
					.probes = rt_check_probes,
					.nprobes = 1,
					.wheres = rt_check_wheres,
					.nwheres = 2,
					.maxaction = 100000,
					.maxnesting = 3,
					.maxstringlen = UST_MAXSTRINGLEN,
					.frame_size = 4096,
					.script = "test",
					.modules = &module,
					.nmodules = 1,
					.maxbacktrace = 20};

/* The map ends at a page that cannot be read. */
static struct layout *place(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE))
		abort();
	return (struct layout *)(p + 2 * PAGE - sizeof(struct layout));
}

static void see_name(void *arg, const char *name) { *(size_t *)arg += strlen(name); }

/* All functions that read a map. */
static void look(struct ust_ctx *c, u64 addr)
{
	static char text[UST_MAXSTRINGLEN];
	u64 stack[4] = {BASE + AT, BASE + 0x210, 0, 0};
	size_t n = 0;

	ctx_of(c)->checkpoint = hosted_max_actions = 1u << 30;
	ust_usymname(c, text, (ust_long)addr);
	ust_usymdata(c, text, (ust_long)addr);
	ust_usymfileline(c, text, (ust_long)addr);
	symbol_names(c, addr, true, see_name, &n);
	ust_sprint_ustack(c, text, "10100 10210");
	ust_print_ubacktrace_fileline_from(c, (ust_long)addr, (ust_long)(uintptr_t)stack,
					   (ust_long)(uintptr_t)&stack[2]);
	c->out.p = c->out.base;
}

static void check_sound(struct ust_ctx *c)
{
	char text[UST_MAXSTRINGLEN];

	check("a sound map is used", stackmap_of(0) == module.map);
	check_text("name", ust_usymname(c, text, BASE + AT), "first");
	check_text("line", ust_usymfileline(c, text, BASE + AT), "file.c:7");
	check("no module of a larger number", !stackmap_of(1));
}

/* Increment each number of the head by one or by very much. */
static void check_head(struct ust_ctx *c, struct layout *l)
{
	static const u32 more[] = {1, 0x1000, 0x7fffffff, 0xffffffff, 0x15555556, 0x10000001};
	u32 *numbers = (u32 *)&l->head, refused = 0;

	for (u32 i = 0; i < 7; i++)
		for (u32 k = 0; k < 6; k++) {
			*l = sound;
			numbers[i] += more[k];
			refused += !stackmap_of(0) || i == 3;
			look(c, BASE + AT);
		}
	*l = sound;
	check_long("numbers that the size does not have", refused, 42);
	l->strings[sizeof l->strings - 1] = 'x';
	check("names without an end", !stackmap_of(0));
	look(c, BASE + AT);
	*l = sound;
	l->head.nsegments = 5;
	check("more segments than there can be", !stackmap_of(0));
}

/* Each word of the tables, then several at random. */
static void check_tables(struct ust_ctx *c, struct layout *l)
{
	static const u32 odd[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff0001};
	u32 *words = (u32 *)&l->head, n = (sizeof *l - sizeof l->size) / 4;

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < 6; k++) {
			*l = sound;
			words[i] = odd[k];
			for (u64 at = BASE; at < BASE + SIZE; at += 0xf8)
				look(c, at);
		}
	srandom(1);
	for (u32 i = 0; i < ROUNDS; i++) {
		*l = sound;
		for (u32 k = 0; k < 1 + i % 5; k++)
			words[(u32)random() % n] = (u32)random() << (random() & 31) >>
						   (random() & 31);
		look(c, BASE + (u64)random() % SIZE);
	}
	check("damaged tables are read within their bounds", true);
}

static void checks(struct ust_ctx *c)
{
	struct layout *l = place();

	*l = sound;
	module.map = &l->head;
	hosted_mapping = (struct port_mapping){BASE, BASE + SIZE, 0, 0};
	check_sound(c);
	check_head(c, l);
	check_tables(c, l);
}
