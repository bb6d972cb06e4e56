/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: backtraces as text, names of addresses, where modules are. */
#include "common.h"

/* As -DMAXBACKTRACE of SystemTap's. */
enum { MAX_FRAMES = 20 };

struct named { const char *name, *path, *file; u32 offset, size, line; };

static const struct ust_symbol *symbols_of(const struct ust_stackmap *m)
{
	return (const struct ust_symbol *)((const struct ust_frame_row *)(m + 1) + m->nrows);
}

static const struct ust_line_row *lines_of(const struct ust_stackmap *m)
{
	return (const struct ust_line_row *)(symbols_of(m) + m->nsymbols);
}

static const char *string_of(const struct ust_stackmap *m, u32 at)
{
	return (const char *)(lines_of(m) + m->nlines) + at;
}

/* The last symbol at or before ADDR, if it reaches so far; one without size reaches to the next. */
static const struct ust_symbol *find_symbol(const struct ust_stackmap *m, u32 addr)
{
	const struct ust_symbol *v = symbols_of(m);
	u32 n = stackmap_upto(v, m->nsymbols, sizeof *v, addr);

	if (!n || (v[n - 1].size && addr - v[n - 1].at >= v[n - 1].size))
		return NULL;
	return &v[n - 1];
}

static void find_line(const struct ust_stackmap *m, u32 addr, struct named *to)
{
	const struct ust_line_row *v = lines_of(m);
	u32 n = stackmap_upto(v, m->nlines, sizeof *v, addr);

	if (!n || !v[n - 1].line)
		return;
	to->file = string_of(m, v[n - 1].file);
	to->line = v[n - 1].line;
}

/* What is at ADDR; BEHIND_CALL: a return address, which may be behind its function's end. */
static struct named look_up(struct ust_ctx *c, u64 addr, bool behind_call)
{
	struct named to = {NULL, NULL, NULL, 0, 0, 0};
	const struct ust_stackmap *m;
	const struct ust_symbol *s;
	struct port_mapping at;
	u32 in_file;

	if (!port_find_mapping(c, addr, &at))
		return to;
	to.path = ust_program.modules[at.module].path;
	m = ust_program.modules[at.module].map;
	if (!m || !stackmap_address(m, &at, addr, &in_file))
		return to;
	find_line(m, in_file - behind_call, &to);
	s = find_symbol(m, in_file - behind_call);
	/* code that signal handlers return to was not called */
	if (!s && behind_call)
		s = find_symbol(m, in_file);
	if (!s)
		return to;
	to.name = string_of(m, s->name);
	to.offset = in_file - s->at;
	to.size = s->size;
	return to;
}

const char *symbol_name(struct ust_ctx *c, u64 addr, bool behind_call, const char **path)
{
	struct named n = look_up(c, addr, behind_call);

	*path = n.path;
	return n.name;
}

static void put_hex(struct ust_out *o, u64 v)
{
	char digits[20] = "0x";

	ust_put(o, digits, 2 + fmt_hex(digits + 2, v));
}

static void put_plus(struct ust_out *o, const struct named *n)
{
	ust_put_s(o, n->name);
	ust_put(o, "+", 1);
	put_hex(o, n->offset);
}

static void put_place(struct ust_out *o, const struct named *n)
{
	char digits[20];

	ust_put_s(o, n->file);
	ust_put(o, ":", 1);
	ust_put(o, digits, fmt_decimal(digits, n->line));
}

/* name+0xOFFSET/0xSIZE at file:line [path]; what is not known is left out. */
static void put_data(struct ust_out *o, const struct named *n, u64 addr)
{
	if (n->name) {
		put_plus(o, n);
		ust_put(o, "/", 1);
		put_hex(o, n->size);
	} else {
		put_hex(o, addr);
	}
	if (n->file) {
		ust_put(o, " at ", 4);
		put_place(o, n);
	}
	if (n->path) {
		ust_put(o, " [", 2);
		ust_put_s(o, n->path);
		ust_put(o, "]", 1);
	}
}

static void put_named(struct ust_out *o, const struct named *n, u64 addr)
{
	ust_put(o, " ", 1);
	put_hex(o, addr);
	ust_put(o, " : ", 3);
	put_data(o, n, addr);
	ust_put(o, "\n", 1);
}

static void put_line(struct ust_ctx *c, struct ust_out *o, u64 addr, bool behind_call)
{
	struct named n = look_up(c, addr, behind_call);

	n.file = NULL;
	put_named(o, &n, addr);
}

static void put_fileline(struct ust_ctx *c, struct ust_out *o, u64 addr, bool behind_call)
{
	struct named n = look_up(c, addr, behind_call);

	put_named(o, &n, addr);
}

static void put_brief(struct ust_ctx *c, struct ust_out *o, u64 addr, bool behind_call)
{
	struct named n = look_up(c, addr, behind_call);

	if (n.name)
		put_plus(o, &n);
	else
		put_hex(o, addr);
	ust_put(o, "\n", 1);
}

typedef void (*put_fn)(struct ust_ctx *c, struct ust_out *o, u64 addr, bool behind_call);

static void put_stack(struct ust_ctx *c, struct ust_out *o, put_fn put)
{
	u64 pcs[MAX_FRAMES];
	u32 exactly, n = stack_walk(c, pcs, MAX_FRAMES, &exactly), i;

	for (i = 0; i < n; i++)
		put(c, o, pcs[i], !(exactly >> i & 1));
}

void ust_print_ubacktrace(struct ust_ctx *c) { put_stack(c, &c->out, put_line); }
void ust_print_ubacktrace_fileline(struct ust_ctx *c) { put_stack(c, &c->out, put_fileline); }
void ust_print_ubacktrace_brief(struct ust_ctx *c) { put_stack(c, &c->out, put_brief); }

const char *ust_sprint_ubacktrace(struct ust_ctx *c, char *dst)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_stack(c, &o, put_line);
	ust_out_finish(&o);
	return dst;
}

/* --------------------------------------------------------------- addresses */

static const char *addresses(struct ust_ctx *c, char *dst, u32 max)
{
	u64 pcs[MAX_FRAMES];
	u32 exactly, n = stack_walk(c, pcs, max, &exactly), i;
	struct ust_out o;

	ust_out_string(&o, dst);
	for (i = 0; i < n; i++) {
		if (i)
			ust_put(&o, " ", 1);
		put_hex(&o, pcs[i]);
	}
	ust_out_finish(&o);
	return dst;
}

const char *ust_ubacktrace(struct ust_ctx *c, char *dst) { return addresses(c, dst, MAX_FRAMES); }

const char *ust_ucallers(struct ust_ctx *c, char *dst, ust_long n)
{
	return addresses(c, dst, n >= 0 && n < MAX_FRAMES ? (u32)n + 1 : MAX_FRAMES);
}

ust_long ust_ustack(struct ust_ctx *c, ust_long n)
{
	u64 pcs[MAX_FRAMES];
	u32 exactly, have = stack_walk(c, pcs, MAX_FRAMES, &exactly);

	return n >= 0 && n < have ? (ust_long)pcs[n] : 0;
}

/* The numbers of a text of addresses, the first of which is where the stack's owner is. */
static void put_addresses(struct ust_ctx *c, struct ust_out *o, const char *text)
{
	bool first = true;

	while (*text) {
		u64 addr = (u64)ust_strtol(c, text, 16);

		if (addr)
			put_line(c, o, addr, !first);
		first = false;
		while (*text && *text != ' ')
			text++;
		while (*text == ' ')
			text++;
	}
}

void ust_print_ustack(struct ust_ctx *c, const char *stack) { put_addresses(c, &c->out, stack); }

const char *ust_sprint_ustack(struct ust_ctx *c, char *dst, const char *stack)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_addresses(c, &o, stack);
	ust_out_finish(&o);
	return dst;
}

/* ------------------------------------------------------------------- names */

const char *ust_usymname(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n = look_up(c, (u64)addr, false);
	struct ust_out o;

	if (n.name)
		return n.name;
	ust_out_string(&o, dst);
	put_hex(&o, (u64)addr);
	ust_out_finish(&o);
	return dst;
}

const char *ust_usymdata(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n = look_up(c, (u64)addr, false);
	struct ust_out o;

	n.file = NULL;
	ust_out_string(&o, dst);
	put_data(&o, &n, (u64)addr);
	ust_out_finish(&o);
	return dst;
}

enum { WITH_FILE = 1, WITH_LINE = 2 };

/* The file and the line of ADDR, or ADDR itself. */
static const char *place(struct ust_ctx *c, char *dst, u64 addr, int with)
{
	struct named n = look_up(c, addr, false);
	struct ust_out o;
	char digits[20];

	if (n.file && with == WITH_FILE)
		return n.file;
	ust_out_string(&o, dst);
	if (!n.file)
		put_hex(&o, addr);
	else if (with & WITH_FILE)
		put_place(&o, &n);
	else
		ust_put(&o, digits, fmt_decimal(digits, n.line));
	ust_out_finish(&o);
	return dst;
}

const char *ust_usymfile(struct ust_ctx *c, char *dst, ust_long addr) { return place(c, dst, (u64)addr, WITH_FILE); }
const char *ust_usymline(struct ust_ctx *c, char *dst, ust_long addr) { return place(c, dst, (u64)addr, WITH_LINE); }

const char *ust_usymfileline(struct ust_ctx *c, char *dst, ust_long addr)
{
	return place(c, dst, (u64)addr, WITH_FILE | WITH_LINE);
}

const char *ust_umodname(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n = look_up(c, (u64)addr, false);

	(void)dst;
	return n.path ? n.path : "<unknown>";
}

/* ------------------------------------------------------ where modules are */

ust_u64 ust_base(struct ust_ctx *c, ust_u32 module, ust_u64 offset, ust_u64 addr)
{
	u64 at;

	if (likely(port_find_module(c, module, offset, &at)))
		return at - addr;
	ctx_fail_text(c, ust_program.modules[module].path, " is not loaded in the process");
	return 0;
}
