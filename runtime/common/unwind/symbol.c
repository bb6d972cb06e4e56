/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: backtraces as text, names of addresses, addresses of modules. */
#include "unwind/unwind.h"

/* Description of an address: NAME, offset and size of the function; PATH of its module, offset in
 * it and size. */
struct named {
	const char *name, *path, *file;
	u64 offset, size, in_module, module_size, header;
	u32 line;
	const struct ust_stackmap *map;
	struct mapped_image_symbol symbol;
};

enum { STEPS_OF_A_NAME = 32 }; /* several binary searches */

static const struct ust_symbol *symbols_of(const struct ust_stackmap *m)
{
	return (const struct ust_symbol *)((const struct ust_frame_row *)(m + 1) + m->nrows);
}

static const struct ust_line_row *lines_of(const struct ust_stackmap *m)
{
	return (const struct ust_line_row *)(symbols_of(m) + m->nsymbols);
}

static const struct ust_inline_row *inlines_of(const struct ust_stackmap *m)
{
	return (const struct ust_inline_row *)(lines_of(m) + m->nlines);
}

static const struct ust_inlined *inlined_of(const struct ust_stackmap *m)
{
	return (const struct ust_inlined *)(inlines_of(m) + m->ninlines);
}

static const char *string_of(const struct ust_stackmap *m, u32 at)
{
	return at < m->strings ? (const char *)(inlined_of(m) + m->ninlined) + at : "?";
}

/* The last symbol before ADDR that contains it; a symbol without size does. Symbols of assembly
 * code may be nested. */
static const struct ust_symbol *find_symbol(const struct ust_stackmap *m, u32 addr)
{
	enum { WITHIN = 8 };
	const struct ust_symbol *v = symbols_of(m);
	u32 n = stackmap_upto(v, m->nsymbols, sizeof *v, addr), i;

	for (i = n; i > 0 && n - i < WITHIN; i--)
		if ((!v[i - 1].size && i == n) || addr - v[i - 1].at < v[i - 1].size)
			return &v[i - 1];
	return NULL;
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

static u64 size_of(const struct ust_stackmap *m)
{
	u64 end = 0;
	u32 i;

	for (i = 0; i < m->nsegments; i++)
		if (m->segments[i].addr + m->segments[i].size > end)
			end = m->segments[i].addr + m->segments[i].size;
	return end;
}

/* Look up in the script's map of the module at AT. */
static void look_up_known(const struct port_mapping *at, u64 addr, bool behind_call,
			  struct named *to)
{
	const struct ust_stackmap *m = stackmap_of(at->module);
	const struct ust_symbol *s;
	u32 in_file;

	to->path = ust_program.modules[at->module].name;
	if (!m || !stackmap_address(m, at, addr, &in_file))
		return;
	to->in_module = in_file;
	to->map = m;
	to->module_size = size_of(m);
	find_line(m, in_file - behind_call, to);
	s = find_symbol(m, in_file - behind_call);
	/* the code that signal handlers return to was not called */
	if (!s && behind_call)
		s = find_symbol(m, in_file);
	if (!s)
		return;
	to->name = string_of(m, s->name);
	to->offset = in_file - s->at;
	to->size = s->size;
}

/* Look up in the mapped file. */
static noinline void look_up_mapped(struct ust_ctx *c, u64 addr, bool behind_call, struct named *to)
{
	u64 header = port_file_start(c, addr - behind_call);
	struct image im;

	to->path = port_mapping_path(c, addr - behind_call);
	if (!header || !mapped_image_read(c, header, &im))
		return;
	to->in_module = addr - im.bias;
	to->module_size = im.size;
	to->header = header;
	if (!mapped_image_symbol(c, &im, addr - behind_call, &to->symbol))
		return;
	to->name = to->symbol.name;
	to->offset = to->in_module - to->symbol.start;
	to->size = to->symbol.size;
}

/* Describe ADDR; BEHIND_CALL: a return address, which may be after its function's end. */
static void look_up(struct ust_ctx *c, u64 addr, bool behind_call, struct named *to)
{
	struct port_mapping at;

	memset(to, 0, offsetof(struct named, symbol));
	ctx_work(c, STEPS_OF_A_NAME);
	if (c->failed || !port_find_mapping(c, addr - behind_call, &at))
		return;
	if (at.module == PORT_NO_MODULE)
		look_up_mapped(c, addr, behind_call, to);
	else
		look_up_known(&at, addr, behind_call, to);
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

static void put_of(struct ust_out *o, u64 offset, u64 size)
{
	ust_put(o, "+", 1);
	put_hex(o, offset);
	ust_put(o, "/", 1);
	put_hex(o, size);
}

/* at file:line [path] */
static void put_where(struct ust_out *o, const struct named *n)
{
	if (n->file) {
		ust_put(o, " at ", 4);
		put_place(o, n);
	}
	if (n->path) {
		ust_put(o, " [", 2);
		ust_put_s(o, n->path);
		if (!n->name && n->module_size)
			put_of(o, n->in_module, n->module_size);
		ust_put(o, "]", 1);
	}
}

/* name+0xOFFSET/0xSIZE at file:line [path], or 0xADDRESS at file:line [path+0xOFFSET/0xSIZE];
 * unknown parts are omitted. */
static void put_data(struct ust_out *o, const struct named *n, u64 addr)
{
	if (n->name) {
		ust_put_s(o, n->name);
		put_of(o, n->offset, n->size);
	} else {
		put_hex(o, addr);
	}
	put_where(o, n);
}

enum manner {
	PLAIN,      /* 0xADDRESS : name+0xOFFSET/0xSIZE [path] */
	BRIEF,      /* name+0xOFFSET */
	WITH_PLACE, /* as PLAIN, at file:line */
	SIMPLE,     /* name+0xOFFSET [file], of strings */
	LISTED      /* as PLAIN, with " : " even without a name */
};

static const char *last_part(const char *path)
{
	const char *p = path;

	for (; *path; path++)
		if (*path == '/')
			p = path + 1;
	return p;
}

static void put_simple(struct ust_out *o, const struct named *n, u64 addr)
{
	if (n->name)
		put_plus(o, n);
	else
		put_hex(o, addr);
	if (n->path) {
		ust_put(o, " [", 2);
		ust_put_s(o, last_part(n->path));
		if (!n->name && n->module_size) {
			ust_put(o, "+", 1);
			put_hex(o, n->in_module);
		}
		ust_put(o, "]", 1);
	}
	ust_put(o, "\n", 1);
}

static void put_named(struct ust_out *o, const struct named *n, u64 addr, enum manner how)
{
	ust_put(o, " ", 1);
	if (n->name || how == LISTED) {
		put_hex(o, addr);
		ust_put(o, " : ", 3);
	}
	put_data(o, n, addr);
	ust_put(o, "\n", 1);
}

static void put_brief(struct ust_out *o, const struct named *n, u64 addr)
{
	if (n->name)
		put_plus(o, n);
	else
		put_hex(o, addr);
	ust_put(o, "\n", 1);
}

static void put_inlined(struct ust_out *o, const struct named *n, const char *name, u64 addr,
			enum manner how)
{
	const bool is_short = how == BRIEF || how == SIMPLE;

	if (!is_short) {
		ust_put(o, " ", 1);
		put_hex(o, addr);
		ust_put(o, " : ", 3);
	}
	ust_put_s(o, name);
	ust_put(o, " (inlined)", 10);
	if (!is_short)
		put_where(o, n);
	ust_put(o, "\n", 1);
}

/* Print the functions that were inlined at address AT of N's module, the innermost first. The
 * location of each but the first, and of N itself, is the call site of the one before. */
static void put_all_inlined(struct ust_ctx *c, struct ust_out *o, struct named *n, u32 at, u64 addr,
			    enum manner how)
{
	const struct ust_inline_row *v = inlines_of(n->map);
	u32 rows = stackmap_upto(v, n->map->ninlines, sizeof *v, at), i;

	for (i = rows ? v[rows - 1].innermost : 0;
	     i && i <= n->map->ninlined && ctx_work(c, STEPS_OF_A_NAME);) {
		const struct ust_inlined *f = &inlined_of(n->map)[i - 1];

		put_inlined(o, n, string_of(n->map, f->name), addr, how);
		if (n->file && f->line) {
			n->file = string_of(n->map, f->file);
			n->line = f->line;
		}
		i = f->outer < i ? f->outer : 0;
	}
}

/* Files that the translator did not read have only exported names here, which may be mangled. */
static bool wants_mark(const struct named *n)
{
	return n->header &&
	       (!n->name || (n->name[0] == '_' && (n->name[1] == 'Z' || n->name[1] == 'R')));
}

static void put_frame(struct ust_ctx *c, struct ust_out *o, u64 addr, bool behind_call,
		      enum manner how)
{
	bool marked = false;
	struct named n;

	look_up(c, addr, behind_call, &n);
	if (how != WITH_PLACE)
		n.file = NULL;
	if (n.map)
		put_all_inlined(c, o, &n, (u32)n.in_module - behind_call, addr, how);
	else if (wants_mark(&n))
		marked = name_mark_begin(c, o,
					 &(struct name_mark){addr, n.in_module, n.header,
							     behind_call, how == BRIEF, n.path});
	if (how == BRIEF)
		put_brief(o, &n, addr);
	else if (how == SIMPLE)
		put_simple(o, &n, addr);
	else
		put_named(o, &n, addr, how);
	if (marked)
		name_mark_end(o);
}

void symbol_names(struct ust_ctx *c, u64 addr, bool behind_call,
		  void (*fn)(void *arg, const char *name), void *arg)
{
	struct named n;
	u32 rows, i = 0;

	look_up(c, addr, behind_call, &n);
	if (n.map) {
		rows = stackmap_upto(inlines_of(n.map), n.map->ninlines,
				     sizeof(struct ust_inline_row), (u32)n.in_module - behind_call);
		i = rows ? inlines_of(n.map)[rows - 1].innermost : 0;
	}
	while (i && i <= n.map->ninlined && ctx_work(c, STEPS_OF_A_NAME)) {
		const struct ust_inlined *f = &inlined_of(n.map)[i - 1];

		fn(arg, string_of(n.map, f->name));
		i = f->outer < i ? f->outer : 0;
	}
	fn(arg, n.name ? n.name : n.path ? last_part(n.path) : "[unknown]");
}

/* In SystemTap's words, for probes that programs and threads of the kernel come to alike. */
static void put_no_stack(struct ust_ctx *c, struct ust_out *o)
{
	const struct ust_hit *hit = c->hit;

	if (!port_skips_absent(c))
		return;
	ust_put_s(o, "<no user backtrace at ");
	ust_put_s(o, hit->site ? hit->site->pp : hit->probe ? hit->probe->pp : "?");
	ust_put_s(o, ">\n");
}

static void put_stack(struct ust_ctx *c, struct ust_out *o, const struct frame *from,
		      enum manner how)
{
	u32 left = ust_program.maxbacktrace;
	struct walk w port_uncleared;

	if (!walk_begin(&w, c, from)) {
		put_no_stack(c, o);
		return;
	}
	do
		put_frame(c, o, walk_pc(&w), !w.exact, how);
	while (--left && walk_next(&w));
	if (w.absent)
		ust_put_s(o, how == BRIEF || how == SIMPLE ? STACK_ABSENT "\n"
							   : " " STACK_ABSENT "\n");
}

void ust_print_ubacktrace(struct ust_ctx *c) { put_stack(c, &c->out, NULL, PLAIN); }
void ust_print_ubacktrace_fileline(struct ust_ctx *c) { put_stack(c, &c->out, NULL, WITH_PLACE); }
void ust_print_ubacktrace_brief(struct ust_ctx *c) { put_stack(c, &c->out, NULL, BRIEF); }

static void put_stack_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp,
			   enum manner how)
{
	struct frame from;

	frame_make(c, &from, (u64)pc, (u64)sp, (u64)fp);
	put_stack(c, &c->out, &from, how);
}

void ust_print_ubacktrace_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp)
{
	put_stack_from(c, pc, sp, fp, PLAIN);
}

void ust_print_ubacktrace_fileline_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp)
{
	put_stack_from(c, pc, sp, fp, WITH_PLACE);
}

const char *ust_sprint_ubacktrace(struct ust_ctx *c, char *dst)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_stack(c, &o, NULL, SIMPLE);
	out_finish_lines(&o, dst);
	return dst;
}

/* --------------------------------------------------------------- addresses */

static const char *addresses(struct ust_ctx *c, char *dst, u32 max)
{
	struct ust_out o;
	struct walk w port_uncleared;
	bool more;

	ust_out_string(&o, dst);
	for (more = walk_begin(&w, c, NULL); more && o.base; more = --max && walk_next(&w)) {
		if (o.p != dst)
			ust_put(&o, " ", 1);
		put_hex(&o, walk_pc(&w));
	}
	if (w.absent && max)
		ust_put_s(&o, " " ADDRESSES_CUT);
	out_finish_addresses(&o, dst);
	return dst;
}

const char *ust_ubacktrace(struct ust_ctx *c, char *dst)
{
	return addresses(c, dst, ust_program.maxbacktrace);
}

const char *ust_ucallers(struct ust_ctx *c, char *dst, ust_long n)
{
	return addresses(c, dst,
			 n >= 0 && n < ust_program.maxbacktrace ? (u32)n + 1
								: ust_program.maxbacktrace);
}

ust_long ust_ustack(struct ust_ctx *c, ust_long n)
{
	ust_long left = n;
	struct walk w port_uncleared;
	bool known = n < ust_program.maxbacktrace && walk_begin(&w, c, NULL);

	if (known)
		left = n > 0 ? walk_skip(&w, (u32)n) : 0;
	if (known && !left)
		return (ust_long)walk_pc(&w);
	if (n < ust_program.maxbacktrace && w.absent)
		ctx_fail_number(c, STACK_ABSENT " at level ", (u64)(n - left), "");
	else
		ctx_fail_number(c, "reached end of stack before unwinding to level ", (u64)n, "");
	return 0;
}

u64 symbol_next_address(struct ust_ctx *c, const char **text)
{
	u64 addr = (u64)ust_strtol(c, *text, 16);

	while (**text && **text != ' ')
		++*text;
	while (**text == ' ')
		++*text;
	return addr;
}

/* Print the frames for a text of addresses, the first of which is the program counter. */
static void put_addresses(struct ust_ctx *c, struct ust_out *o, const char *text)
{
	bool first;

	for (first = true; *text; first = false) {
		bool is_cut = !ust_strcmp(text, ADDRESSES_CUT);
		u64 addr = symbol_next_address(c, &text);

		if (is_cut)
			ust_put_s(o, ADDRESSES_CUT "\n");
		if (addr)
			put_frame(c, o, addr, !first, LISTED);
	}
}

void ust_print_ustack(struct ust_ctx *c, const char *stack) { put_addresses(c, &c->out, stack); }

const char *ust_sprint_ustack(struct ust_ctx *c, char *dst, const char *stack)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_addresses(c, &o, stack);
	out_finish_lines(&o, dst);
	return dst;
}

/* ------------------------------------------------------------------- names */

const char *ust_usymname(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n;
	struct ust_out o;

	look_up(c, (u64)addr, false, &n);
	if (n.name && n.name != n.symbol.name)
		return n.name;
	ust_out_string(&o, dst);
	if (n.name)
		ust_put_s(&o, n.name);
	else
		put_hex(&o, (u64)addr);
	ust_out_finish(&o);
	return dst;
}

const char *ust_usymdata(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n;
	struct ust_out o;

	look_up(c, (u64)addr, false, &n);
	n.file = NULL;
	ust_out_string(&o, dst);
	put_data(&o, &n, (u64)addr);
	ust_out_finish(&o);
	return dst;
}

enum { WITH_FILE = 1, WITH_LINE = 2 };

/* The file and line of ADDR, or ADDR itself. */
static const char *place(struct ust_ctx *c, char *dst, u64 addr, int with)
{
	struct named n;
	struct ust_out o;
	char digits[20];

	look_up(c, addr, false, &n);
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

const char *ust_usymfile(struct ust_ctx *c, char *dst, ust_long addr)
{
	return place(c, dst, (u64)addr, WITH_FILE);
}
const char *ust_usymline(struct ust_ctx *c, char *dst, ust_long addr)
{
	return place(c, dst, (u64)addr, WITH_LINE);
}

const char *ust_usymfileline(struct ust_ctx *c, char *dst, ust_long addr)
{
	return place(c, dst, (u64)addr, WITH_FILE | WITH_LINE);
}

const char *ust_umodname(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct named n;

	look_up(c, (u64)addr, false, &n);
	if (!n.path) {
		ctx_fail(c, "module not found");
		return "<unknown>";
	}
	if (n.map)
		return n.path;
	ust_strcpy(dst, n.path);
	return dst;
}

/* The address of the ELF header of the file that ADDR is mapped from; 0 with an error if no file is
 * mapped there. */
static u64 file_header(struct ust_ctx *c, u64 addr)
{
	u64 header = port_file_start(c, addr);

	if (!header && !c->failed)
		ctx_fail(c, "module not found");
	return header;
}

ust_long ust_umodaddr(struct ust_ctx *c, ust_long addr)
{
	u64 header = file_header(c, (u64)addr);

	return header ? (ust_long)((u64)addr - header) : 0;
}

const char *ust_umodbuildid(struct ust_ctx *c, char *dst, ust_long addr)
{
	char build_id[IMAGE_BUILD_ID];
	u64 header = file_header(c, (u64)addr);

	if (!header)
		return "";
	if (!mapped_image_build_id(c, header, build_id)) {
		ctx_fail(c, "module has no build-id");
		return "";
	}
	ust_strcpy(dst, build_id);
	return dst;
}

/* ------------------------------------------------------ where modules are */

ust_u64 ust_base(struct ust_ctx *c, ust_u32 module, ust_u64 offset, ust_u64 addr)
{
	u64 at;

	if (likely(port_find_module(c, module, offset, &at)))
		return at - addr;
	ctx_fail_text(c, ust_program.modules[module].name, " is not loaded in the process");
	return 0;
}
