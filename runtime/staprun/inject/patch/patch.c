// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patch planning: room for a jump at a probed instruction.
 *
 * Whole instructions, at least 5 bytes, are relocated into the trampoline; no other branch may
 * target them. So no branch may target any of them except the first, none except the last may be a
 * call, and in a function with unknown jump targets (jump tables) only the entry is patched this
 * way. Otherwise the last bytes of the jump can be those that are there already (punned), or the
 * first ones of the jump of the site behind it (joined), or the site gets a breakpoint.
 */
#include "inject/arch/insn.h"
#include "output/hits.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/patch/addresses.h"
#include "inject/patch/patch.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

const char *const patch_way_names[] = {
	[PATCH_NONE] = "not probed",          [PATCH_JUMP] = "jump",
	[PATCH_PADDED] = "jump over padding", [PATCH_PUNNED] = "punned jump",
	[PATCH_EARLY] = "early jump",         [PATCH_SHARED] = "shared jump",
	[PATCH_TRAP] = "breakpoint"};

/* Why no jump fits; see patch_reason(). */
enum { OTHERWISE, TOO_SHORT, TOO_NEAR, CALLS, ENTERED, NOT_KNOWN, INDIRECT, ELSEWHERE, BUSY };
static const char *const reasons[] = {
	[OTHERWISE] = "no jump fits",
	[TOO_SHORT] = "too short for a jump, and no padding follows",
	[TOO_NEAR] = "another probe site overlaps these bytes",
	[CALLS] = "a call would return into the jump",
	[ENTERED] = "a branch targets the bytes of the jump",
	[NOT_KNOWN] = "its function's instructions cannot be decoded",
	[INDIRECT] = "its function has indirect jumps with unknown targets",
	[ELSEWHERE] = "its function has a separate cold part",
	[BUSY] = "a goroutine may continue in the bytes of the jump"};

const char *patch_reason(unsigned i)
{
	return reasons[i < sizeof reasons / sizeof *reasons ? i : OTHERWISE];
}

unsigned patch_reason_of(const char *why)
{
	unsigned i = sizeof reasons / sizeof *reasons;

	while (--i && reasons[i] != why)
		;
	return i;
}

static bool none(struct patch *p, const char *why)
{
	p->way = PATCH_NONE;
	p->why = why;
	return false;
}

/* ----------------------------------------------------------- what is there */

static const uint8_t *text_at(const struct patch_site *site, uint64_t addr)
{
	return site->text + (addr - site->start);
}

static bool limited(const struct patch_site *site)
{
	return site->limit && site->limit < site->next;
}

/* Number of bytes from the site on that may change. */
static uint64_t room(const struct patch_site *site)
{
	uint64_t limit = limited(site) ? site->limit : site->next;

	return limit > site->addr ? limit - site->addr : 0;
}

static uint64_t end_of(const struct patch_site *site)
{
	return site->end > site->start && site->end < site->next ? site->end : site->next;
}

/*
 * The instructions that may be those of the site's function. The size of a symbol may be too small,
 * as nothing checks those of assembler code, so the function ends with the padding before the next
 * one; code that is neither padding nor has a symbol counts as a part of it.
 */
static void find_code(const struct patch_site *site, uint64_t *from, uint64_t *to)
{
	uint64_t end = end_of(site);

	*from = site->to ? site->from : site->start;
	*to = site->to ? site->to : site->next;
	if (*to == site->next && padding_at(text_at(site, end), *to - end, true) == *to - end)
		*to = end;
}

static const char *decode(struct insn *i, const struct patch_site *site, uint64_t addr)
{
	uint64_t n = site->next - addr;

	if (addr < site->start || addr >= site->next)
		return "it is outside its function";
	if (*text_at(site, addr) == BREAKPOINT)
		return "another tool has set a breakpoint there";
	if (!insn_decode(i, text_at(site, addr), n > INSN_BYTES ? INSN_BYTES : n, addr))
		return "its instruction cannot be decoded";
	if (i->kind == INSN_FIXED)
		return i->why;
	return NULL;
}

/* Why neither a window nor a breakpoint can start at SITE; NULL if one can. */
static const char *look(const struct patch_site *site, const struct scan **s)
{
	uint64_t from, to;

	if (site->addr < site->start || site->addr >= site->next)
		return "it is outside its function";
	find_code(site, &from, &to);
	*s = scan_function(text_at(site, from), from, to);
	if (!*s)
		return "out of memory";
	if (site->addr < end_of(site) && site->addr < to && !scan_starts_at(*s, site->addr) &&
	    (site->bounded || !site->to))
		return "no instruction starts at this address";
	return NULL;
}

/* ------------------------------------------------------------------ windows */

static bool is_call(const struct insn *i)
{
	return i->kind == INSN_CALL || i->kind == INSN_CALL_RM;
}

/* Bytes after an instruction that does not fall through may be overwritten only if they are
 * padding: zeros may be constants. */
static const char *window_end(struct window *w, const struct patch_site *site)
{
	uint64_t from = site->addr + w->len;

	w->ends = true;
	if (w->len + padding_at(text_at(site, from), site->next - from, false) < JUMP_BYTES)
		return reasons[TOO_SHORT];
	return NULL;
}

static const char *window_add(struct window *w, const struct patch_site *site)
{
	struct insn *i = &w->insns[w->n];
	const char *why = decode(i, site, site->addr + w->len);

	if (why)
		return why;
	w->n++;
	w->len += i->len;
	if (w->len > room(site))
		return reasons[TOO_NEAR];
	if (is_call(i) && w->len < JUMP_BYTES)
		return reasons[CALLS];
	return insn_ends(i) ? window_end(w, site) : NULL;
}

static const char *window_grow(struct window *w, const struct patch_site *site)
{
	const char *why = NULL;

	*w = (struct window){.addr = site->addr};
	if (room(site) < JUMP_BYTES)
		return limited(site) ? reasons[TOO_NEAR] : reasons[TOO_SHORT];
	while (!why && !w->ends && w->len < JUMP_BYTES)
		why = window_add(w, site);
	return why;
}

static unsigned changed(const struct window *w)
{
	return w->len > JUMP_BYTES ? w->len : JUMP_BYTES;
}

/* True if other code may lead to an instruction of the window, or the padding behind it, up to
 * HI. */
static bool from_elsewhere(const struct window *w, const struct patch_site *site, uint64_t hi)
{
	uint64_t base = site->all_start;

	if (text_enters(site->all, w->addr - base, hi - base))
		return true;
	for (unsigned i = 1; i < w->n; i++)
		if (text_is_named(site->all, w->insns[i].addr - base))
			return true;
	for (uint64_t at = w->addr + w->len; at < hi; at++)
		if (text_is_named(site->all, at - base))
			return true;
	return false;
}

/* True if an instruction of the window branches to the address after the last one. */
static bool window_goes_on(const struct window *w, uint64_t hi)
{
	unsigned i;

	for (i = 0; i < w->n; i++)
		if (w->insns[i].target >= w->addr + w->len && w->insns[i].target < hi)
			return true;
	return false;
}

/* Go's runtime.goexit() is nop, call, nop: the address after the first nop is the return address of
 * new goroutines, and no instruction refers to it. */
static bool is_goexit(const struct window *w, const struct patch_site *site)
{
	uint64_t behind = w->addr + w->len;

	return w->n == 2 && w->addr == site->start && *text_at(site, w->addr) == 0x90 &&
	       w->insns[1].kind == INSN_CALL && behind < site->next &&
	       *text_at(site, behind) == 0x90;
}

/* True if a goroutine may continue in the window, behind its first instruction. */
static bool is_busy(const struct window *w, const struct patch_site *site)
{
	if (w->n < 2)
		return false;
	return site->alone ||
	       (site->busy && addresses_in(site->busy, w->insns[1].addr, w->addr + w->len));
}

/* Why the window cannot be used: a branch may target one of its instructions other than the
 * first. */
static const char *window_entered(const struct window *w, const struct patch_site *site,
				  const struct scan *s)
{
	uint64_t hi = site->addr + changed(w);

	if (w->n == 1 && w->len >= JUMP_BYTES)
		return NULL;
	if (is_goexit(w, site) || window_goes_on(w, hi) || scan_enters(s, site->addr, hi) ||
	    (site->all && from_elsewhere(w, site, hi)))
		return reasons[ENTERED];
	if (is_busy(w, site))
		return reasons[BUSY];
	if (site->entry)
		return NULL;
	if (s->damaged || site->hidden || !scan_starts_at(s, site->addr))
		return reasons[NOT_KNOWN];
	if (s->indirect)
		return reasons[INDIRECT];
	if (s->leaves && !site->all)
		return reasons[ELSEWHERE];
	return NULL;
}

static const char *window_first(struct window *w, const struct patch_site *site)
{
	const char *why;

	*w = (struct window){.addr = site->addr};
	why = decode(&w->insns[0], site, site->addr);
	w->n = 1;
	w->len = w->insns[0].len;
	w->ends = insn_ends(&w->insns[0]);
	return why;
}

/* ------------------------------------------------------------------ planning */

static void plan(struct patch *p, const struct patch_site *site, uint64_t at)
{
	*p = (struct patch){.addr = site->addr, .at = at};
}

/* Generate P's trampoline into the oldest of the buffers. */
static bool make_code(struct patch *p, const struct patch_site *site, struct window *head,
		      struct window *w, uint64_t table, uint64_t back)
{
	static _Thread_local uint8_t codes[PATCH_CODES][STUB_BYTES];
	static _Thread_local unsigned next;

	return stub_make(p, codes[next++ % PATCH_CODES], site, head, w, table, back);
}

/* LEN bytes change; fill the new ones with breakpoints, to detect a thread that reaches them by
 * mistake. */
static void set_text(struct patch *p, const struct patch_site *site, unsigned len)
{
	p->len = p->span = len;
	memcpy(p->old_text, text_at(site, site->addr), len);
	memset(p->new_text, BREAKPOINT, len);
}

static bool set_jump(struct patch *p)
{
	int64_t d = (int64_t)(p->stub + p->enter - (p->addr + JUMP_BYTES));
	int32_t d32 = (int32_t)d;

	if (d != d32)
		return none(p, "its trampoline is out of range of a jump");
	jump_put(p->new_text, d32);
	return true;
}

bool patch_plan(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table)
{
	const struct scan *s;
	struct window w;
	const char *why = look(site, &s);

	plan(p, site, at);
	if (!why)
		why = window_grow(&w, site);
	if (!why)
		why = window_entered(&w, site, s);
	if (why)
		return none(p, why);
	p->way = site->addr + changed(&w) > end_of(site) ? PATCH_PADDED : PATCH_JUMP;
	if (!make_code(p, site, NULL, &w, table, site->addr + w.len))
		return none(p, p->why);
	set_text(p, site, changed(&w));
	return set_jump(p);
}

/* Why SITE cannot be entered from the trampoline of the site before only: pointers may lead to the
 * start of a function. */
static const char *joins(const struct patch_site *first, const struct patch_site *site,
			 const struct window *w)
{
	uint64_t to = site->addr;

	if (site->start != first->start || to == site->start || site->rn || site->hook)
		return reasons[TOO_NEAR];
	for (unsigned i = 0; i < w->n; i++)
		if (w->insns[i].addr == to)
			return NULL;
	return "it is inside an instruction of another probe site";
}

/* A branch between the windows of one group would lead to code that is replaced. */
static bool branches_within(const struct window *w)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->insns[i].target > w->addr && w->insns[i].target < w->addr + w->len)
			return true;
	return false;
}

static const char *look_at_group(const struct patch_site *const site[], unsigned n,
				 struct window *w)
{
	struct patch_site first = *site[0];
	const struct scan *s;
	const char *why = look(&first, &s);

	first.limit = site[n - 1]->limit;
	if (!why)
		why = window_grow(w, &first);
	if (!why)
		why = window_entered(w, &first, s);
	if (!why && (first.hook || branches_within(w)))
		why = reasons[ENTERED];
	for (unsigned i = 1; !why && i < n; i++)
		why = joins(&first, site[i], w);
	return why;
}

/* The part of W from FROM to TO. */
static void window_part(struct window *part, const struct window *w, uint64_t from, uint64_t to)
{
	*part = (struct window){.addr = from};
	for (unsigned i = 0; i < w->n; i++)
		if (w->insns[i].addr >= from && w->insns[i].addr < to) {
			part->insns[part->n++] = w->insns[i];
			part->len += w->insns[i].len;
		}
	part->ends = w->ends && to >= w->addr + w->len;
}

/* Its bytes are those that P[0] writes there. */
static void share_text(struct patch *p, const struct patch *first)
{
	uint64_t at = p->addr - first->addr;

	p->way = PATCH_SHARED;
	p->len = p->span = first->len - (unsigned)at;
	memcpy(p->old_text, first->old_text + at, p->len);
	memcpy(p->new_text, first->new_text + at, p->len);
}

bool patch_plan_group(struct patch *const p[], const struct patch_site *const site[], unsigned n,
		      const uint64_t at[], uint64_t table)
{
	struct window w, part;
	const char *why = look_at_group(site, n, &w);
	uint64_t end;

	plan(p[0], site[0], at[0]);
	if (why)
		return none(p[0], why);
	for (unsigned i = 0; i < n; i++) {
		plan(p[i], site[i], at[i]);
		p[i]->way = PATCH_JUMP;
		end = i + 1 < n ? site[i + 1]->addr : w.addr + w.len;
		window_part(&part, &w, site[i]->addr, end);
		if (!make_code(p[i], site[i], NULL, &part, table,
			       i + 1 < n ? at[i + 1] + sizeof(struct ust_point) : end))
			return none(p[0], p[i]->why);
	}
	if (w.addr + changed(&w) > end_of(site[0]))
		p[0]->way = PATCH_PADDED;
	set_text(p[0], site[0], changed(&w));
	if (!set_jump(p[0]))
		return false;
	for (unsigned i = 1; i < n; i++)
		share_text(p[i], p[0]);
	return true;
}

/* The instructions before SITE's that a jump with it needs, in HEAD, and how many bytes they are;
 * the nearest ones, from LEAST on. */
static const char *find_head(struct window *head, const struct patch_site *site,
			     const struct scan *s, unsigned len, uint64_t least)
{
	for (uint64_t from = site->addr + len - JUMP_BYTES;; from--) {
		const char *why = NULL;

		if (from < least)
			return reasons[TOO_SHORT];
		if (!scan_starts_at(s, from))
			continue;
		*head = (struct window){.addr = from};
		while (!why && from + head->len < site->addr && head->n < WINDOW_MAX - 1) {
			struct insn *i = &head->insns[head->n++];

			why = decode(i, site, from + head->len);
			head->len += i->len;
			if (!why && (is_call(i) || insn_ends(i)))
				why = reasons[TOO_SHORT];
		}
		if (!why && from + head->len != site->addr)
			why = reasons[TOO_SHORT];
		return why;
	}
}

/* The window of both. */
static void window_join(struct window *w, const struct window *head, const struct window *tail)
{
	*w = *head;
	w->insns[w->n++] = tail->insns[0];
	w->len += tail->len;
	w->ends = tail->ends;
}

bool patch_plan_early(struct patch *p, const struct patch_site *site, uint64_t from, uint64_t at,
		      uint64_t table)
{
	struct patch_site early = *site;
	struct window head, tail, w;
	const struct scan *s;
	const char *why = look(site, &s);

	plan(p, site, at);
	if (!why && (!site->bounded || site->addr == site->start || site->rn || site->hook))
		why = reasons[TOO_SHORT];
	if (!why)
		why = window_first(&tail, site);
	if (!why && tail.len >= JUMP_BYTES)
		why = reasons[OTHERWISE];
	if (!why)
		why = find_head(&head, site, s, tail.len, from > site->start ? from : site->start);
	if (why)
		return none(p, why);
	early.addr = head.addr;
	early.entry = false;
	window_join(&w, &head, &tail);
	why = branches_within(&w) ? reasons[ENTERED] : window_entered(&w, &early, s);
	plan(p, &early, at);
	if (why)
		return none(p, why);
	p->way = PATCH_EARLY;
	p->lead = head.len;
	if (!make_code(p, site, &head, &tail, table, site->addr + tail.len))
		return none(p, p->why);
	set_text(p, &early, w.len);
	return set_jump(p);
}

/* PREFIX prefixes move the distance of the jump: SITE's instruction has fewer of its bytes, and
 * others are fixed. */
static const char *pun(const struct patch_site *site, unsigned prefix, struct window *w,
		       int64_t *lo, int64_t *hi)
{
	const unsigned size = prefix + JUMP_BYTES;
	const struct scan *s;
	const char *why = look(site, &s);
	uint32_t fixed, free;

	if (!why)
		why = window_first(w, site);
	if (why)
		return why;
	if (prefix >= w->len)
		return reasons[TOO_SHORT];
	if (site->limit > site->addr && site->limit - site->addr < size)
		return reasons[TOO_NEAR];
	if (site->next - site->addr < size && site->known < site->addr + size)
		return "too short for a jump, and the bytes that follow are unknown";
	memcpy(&fixed, text_at(site, site->addr + prefix + 1), 4);
	free = w->len >= size ? ~0u : (1u << 8 * (w->len - prefix - 1)) - 1;
	*lo = (int32_t)(fixed & ~free);
	*hi = (int32_t)(fixed | free);
	return NULL;
}

static bool pun_reach(const struct patch_site *site, unsigned prefix, uint64_t *lo, uint64_t *hi)
{
	uint64_t end = site->addr + prefix + JUMP_BYTES;
	struct window w;
	int64_t from, to;

	if (pun(site, prefix, &w, &from, &to) || w.len >= JUMP_BYTES)
		return false;
	*lo = end + (uint64_t)from;
	*hi = end + (uint64_t)to;
	/* not below address 0 or beyond the end of user address space */
	return (int64_t)*lo > 0 && (int64_t)*hi > 0 && *hi < 1ull << 47;
}

/* Trampolines are 16-byte aligned. */
bool patch_pun_range(const struct patch_site *site, unsigned prefix, uint64_t *lo, uint64_t *hi)
{
	return pun_reach(site, prefix, lo, hi) && ((*lo + 15) & ~15ull) <= *hi;
}

uint64_t patch_pun_pad(const struct patch_site *site, unsigned prefix)
{
	uint64_t lo, hi;

	return pun_reach(site, prefix, &lo, &hi) && lo == hi ? lo : 0;
}

bool patch_plan_punned(struct patch *p, const struct patch_site *site, unsigned prefix, uint64_t at,
		       uint64_t pad, uint64_t table)
{
	struct window w;
	int64_t lo, hi, d;
	const char *why = pun(site, prefix, &w, &lo, &hi);

	plan(p, site, at);
	if (why)
		return none(p, why);
	if (w.len >= JUMP_BYTES)
		return none(p, "a plain jump fits");
	p->way = PATCH_PUNNED;
	p->prefix = prefix;
	p->pad = pad;
	if (!make_code(p, site, NULL, &w, table, site->addr + w.len))
		return none(p, p->why);
	d = (int64_t)((pad ? pad : p->stub) - (site->addr + prefix + JUMP_BYTES));
	if (d < lo || d > hi)
		return none(p, "its trampoline is out of range of the punned jump");
	set_text(p, site, prefix + JUMP_BYTES);
	jump_put_behind(p->new_text, prefix, (int32_t)d);
	p->len = w.len;
	return true;
}

uint64_t patch_behind(const struct patch_site *site)
{
	const struct scan *s;
	struct window w;

	return !look(site, &s) && !window_first(&w, site) && w.len < JUMP_BYTES ? site->addr + w.len
										: 0;
}

bool patch_can_join(const struct patch_site *site, const struct patch *jump)
{
	uint64_t behind = patch_behind(site), most = behind - site->addr - 1;

	return (jump->way == PATCH_JUMP || jump->way == PATCH_PADDED ||
		jump->way == PATCH_PUNNED) &&
	       behind && jump->addr >= behind && jump->addr < site->addr + JUMP_BYTES + most &&
	       jump->addr - site->addr + jump->len <= PATCH_BYTES;
}

void patch_join(struct patch *p, struct patch *jump)
{
	unsigned at = (unsigned)(jump->addr - p->addr);

	memcpy(p->old_text + at, jump->old_text, jump->len);
	memcpy(p->new_text + at, jump->new_text, jump->len);
	p->len = p->span = at + jump->len;
	jump->way = PATCH_SHARED;
	jump->joined = true;
}

bool patch_plan_trap(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table)
{
	const struct scan *s;
	struct window w;
	const char *why = look(site, &s);

	plan(p, site, at);
	if (!why)
		why = window_first(&w, site);
	if (why)
		return none(p, why);
	p->way = PATCH_TRAP;
	if (!make_code(p, site, NULL, &w, table, site->addr + w.len))
		return none(p, p->why);
	set_text(p, site, 1);
	return true;
}

static unsigned insn_length(const uint8_t *text, size_t size)
{
	struct insn i;

	return insn_decode(&i, text, size < INSN_BYTES ? size : INSN_BYTES, 0) ? i.len : 0;
}

/* A jump of another run may be punned: its last bytes are then original instructions, which
 * branches may target. */
static unsigned end_of_pun(const uint8_t *there, const uint8_t *file, size_t n)
{
	unsigned len = n >= JUMP_BYTES && *there == JUMP && *file != JUMP ? insn_length(file, n)
									  : JUMP_BYTES;

	return len < JUMP_BYTES && !memcmp(there + len, file + len, JUMP_BYTES - len) ? len : 0;
}

unsigned patch_foreign(const uint8_t *there, const uint8_t *file, size_t n)
{
	unsigned pun = end_of_pun(there, file, n);
	/* each byte of a jump's displacement can equal a breakpoint */
	unsigned i = n && *there == JUMP ? JUMP_BYTES : 1;

	if (pun)
		return pun;
	while (i < n && i < PATCH_BYTES && (there[i] != BREAKPOINT || file[i] == BREAKPOINT))
		i++;
	return i < n && i < PATCH_BYTES ? i : 0;
}

bool patch_covered(const uint8_t *there, const uint8_t *file, size_t before)
{
	for (size_t i = before < JUMP_BYTES ? 0 : before - (JUMP_BYTES - 1); i < before; i++)
		if (there[i] == JUMP && file[i] != JUMP)
			return true;
	return false;
}

/* --------------------------------------------------------------- afterwards */

bool patch_overlaps(const struct patch *a, const struct patch *b)
{
	return a->addr < b->addr + b->span && b->addr < a->addr + a->span;
}

uint64_t patch_move(const struct patch *p, uint64_t pc)
{
	unsigned i;

	/* the first byte of other patches can be executed */
	if (p->way == PATCH_SHARED && pc == p->addr)
		return p->stub;
	for (i = 1; i < p->nmap; i++)
		if (pc == p->addr + p->map[i].from)
			return p->stub + p->map[i].to;
	return 0;
}

uint64_t patch_move_back(const struct patch *p, uint64_t pc)
{
	unsigned i;

	if ((pc == p->stub && !p->lead) || (p->pad && pc == p->pad))
		return p->addr;
	for (i = 0; i < p->nmap; i++)
		if (pc == p->stub + p->map[i].to)
			return p->addr + p->map[i].from;
	return 0;
}
