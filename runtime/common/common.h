/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal interface of runtime/common, also used by the runtime that it is part of. */
#ifndef USTAP_COMMON_H
#define USTAP_COMMON_H

#include "arch/regs.h"
#include "port.h"

#include "arch/regs.h"

/* The last use of =~ in a handler. */
struct match {
	const struct ust_regex *re; /* 0: none, or it failed */
	bool tried, divided;        /* =~ was used; its groups are computed */
};

/* State that starts at 0 in each hit: eight bytes without a gap, so that one instruction clears
 * them. */
struct hit_state {
	u32 nmarks;
	unsigned short continued; /* a part of this hit has been written */
	unsigned short aborted;   /* the pending error is abort(), and is not reported */
};

/* A context: the part that emitted code sees, and the private part. */
struct ctx {
	struct ust_ctx pub; /* first */
	bool fatal;         /* the pending error must not be caught */
	bool raised;        /* it was raised by error() */
	u32 checkpoint;     /* number of actions at which check_limits() runs again */
	u32 steps;          /* of work that does not amount to an action yet */
	u64 clock, spent;   /* time of the last checkpoint, and cycles of this hit counted so far */
	u32 error_where;    /* index in wheres of the pending error */
	u32 error_depth;    /* script functions that were running then */
	u32 calls[UST_MAX_DEPTH]; /* index in wheres of the call of each function */
	u32 reads;                /* number of reads by target_read(), since target_begin() */
	char *error;              /* its text, maxstringlen bytes */
	char *frames;             /* ctx_frames_bytes(): program.frame_size, then of a match, then
				     ctx_tokens_bytes() */
	struct match match;
	const char *tokens; /* rest of the text for tokenize(); 0: not called */
	char *block;        /* that contains the print buffer */
	char *out_end; /* end of the print buffer; with UST_PROG_RECORDS the marks precede it: */
	struct hit_state now;
	struct port_ctx port;
};

/* The hit's registers if they are the program's. */
#ifndef port_program_regs
#define port_program_regs(c) ((c)->hit->regs)
#endif

/* The program's registers, for its stack: those of the hit or, in the kernel, those with which the
 * task returns to its program. NULL if there is no program. */
#ifndef port_stack_regs
#define port_stack_regs(c) port_program_regs(c)
#endif

/* Call FN(ARG), which needs more than a kilobyte of the stack. */
#ifndef port_call_deep
#define port_call_deep(c, fn, arg) ((void)(c), (fn)(arg))
#endif

/* True if a page of the program that is not in memory is not waited for. */
#ifndef port_skips_absent
#define port_skips_absent(c) ((void)(c), false)
#endif

/* Random numbers, not for secrets: words that are a step apart, mixed well (splitmix64). */
#define RANDOM_STEP 0x9e3779b97f4a7c15ull
/* A bijective hash of V (the finaliser of SplitMix64). */
static inline u64 random_mix(u64 v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v ^ v >> 31;
}

/* The runtime's part of a context. */
static inline struct ctx *ctx_of(struct ust_ctx *c) { return (struct ctx *)c; }

/* Size of the print buffer, and of the longest text of one record, in bytes. */
#define OUT_SIZE 8192u

/*
 * Builtins are charged in steps: a compared or copied byte, an element of an array, a row or a
 * symbol of a search. One statement costs as much as this many steps, each of which takes a
 * nanosecond or a few.
 */
enum { STEPS_PER_ACTION = 256 };
/* Charge STEPS to the handler. False: it is over its limit, the error is set, and the builtin must
 * return at once. Any context. */
static inline bool ctx_work(struct ust_ctx *c, u64 steps)
{
	struct ctx *x = ctx_of(c);

	steps += x->steps;
	x->steps = steps % STEPS_PER_ACTION;
	return likely(steps < STEPS_PER_ACTION) || ust_charge(c, steps / STEPS_PER_ACTION);
}

/* Actions between two reads of the clock; a handler with fewer never reads it. */
enum { CHECK_ACTIONS = 250 };
/* Number of actions before the clock is read for the first time. */
static inline u32 ctx_first_checkpoint(u32 max_actions)
{
	return max_actions < CHECK_ACTIONS ? max_actions : CHECK_ACTIONS;
}

/* Bytes that a builtin reads, copies or compares at the cost of one statement; see ust_charge(). */
enum { BYTES_PER_ACTION = STEPS_PER_ACTION };
/* Charge N bytes, rounded up to a statement; as ctx_work(). */
static inline bool ctx_charge_bytes(struct ust_ctx *c, u64 n)
{
	return ust_charge(c, n / BYTES_PER_ACTION + !!(n % BYTES_PER_ACTION));
}

/* target_read.c: bounded reads of the traced process's memory.  A builtin calls target_begin()
 * first. */
void target_begin(struct ust_ctx *c);
/* Read a number; false with *TO 0 if it cannot be read, or the limit of reads is reached. */
bool target_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to);
enum { TARGET_MOST_READS = 131072 / 8, TARGET_READS_PER_ACTION = BYTES_PER_ACTION / 8 };
/* target_read() of eight bytes, mostly words of stacks. */
static inline bool target_read_word(struct ust_ctx *c, u64 addr, u64 *to)
{
	struct ctx *x = ctx_of(c);
	u32 reads = x->reads + 1;

	if (unlikely(reads % TARGET_READS_PER_ACTION == 0 || reads > TARGET_MOST_READS))
		return target_read(c, addr, sizeof *to, to);
	x->reads = reads;
	if (likely(port_read_word(c, addr, to)))
		return true;
	*to = 0;
	return false;
}
/* target_read() that sets the error of a read fault on failure. */
u64 target_load(struct ust_ctx *c, u64 addr, u32 size);
/* target_read() that returns 0 on failure. */
static inline u64 target_touch(struct ust_ctx *c, u64 addr, u32 size)
{
	u64 v;

	target_read(c, addr, size, &v);
	return v;
}

/* ctx.c: set an error of the runtime at c->where. */
void ctx_fail(struct ust_ctx *c, const char *text);
/* The error is TEXT followed by AFTER; ctx_fail_number(): a decimal number between two texts; cut
 * to a string's size. */
void ctx_fail_text(struct ust_ctx *c, const char *text, const char *after);
void ctx_fail_number(struct ust_ctx *c, const char *before, u64 number, const char *after);
/* Handlers took too much time: sets an error that cannot be caught. */
void ctx_overload(struct ust_ctx *c);
/* The error is BEFORE followed by ADDR in hexadecimal, without 0x; ctx_fail_addr_why() appends
 * WHY. */
void ctx_fail_addr(struct ust_ctx *c, const char *before, u64 addr);
void ctx_fail_addr_why(struct ust_ctx *c, const char *before, u64 addr, const char *why);
/* Write the message for the uncaught pending error to DST of SIZE bytes; returns its length. */
u32 ctx_message(struct ctx *x, char *dst, u32 size);

/* Prepare X for the handlers of HIT. The caller owns the context; locks and memory stay. */
static inline void ctx_reset(struct ctx *x, struct ust_hit *hit)
{
	struct ust_ctx *c = &x->pub;

	c->failed = false;
	c->next = false;
	c->depth = 0;
	c->where = 0;
	c->actions = 0;
	c->symbols = 0;
	c->hit = hit;
	c->out.p = c->out.base;
	c->out.end = x->out_end;
	x->now = (struct hit_state){0};
	c->frame = x->frames;
	x->match = (struct match){0};
	x->tokens = 0;
}

/* record.c: output in parts; only with UST_PROG_RECORDS. Space before the print buffer for the head
 * and after it for the texts of the hit. */
#define RECORD_HEAD 48u
#define RECORD_TAIL 1040u
/* True if output is written in parts. */
static inline bool records_on(void) { return ust_program.flags & UST_PROG_RECORDS; }
/* True if the hit has output that was not written yet. */
static inline bool ctx_printed(const struct ctx *x)
{
	return x->pub.out.p != x->pub.out.base || x->now.nmarks;
}
/* Size of a block for the print buffer; make X use the one at BLOCK. */
u32 record_block(void);
/* BLOCK has record_block() bytes, owned by the caller; NULL: none yet. */
void record_buffer(struct ctx *x, char *block);
/* Pack C's output into a struct ust_parts, the LAST of this hit or not; returns its size. It starts
 * RECORD_HEAD bytes before the buffer, which is empty then. */
u32 record_pack(struct ust_ctx *c, bool last);
/* Add a warning, and the pending error, to the record. */
void record_warning(struct ust_ctx *c, const char *text);
/* Append the pending error of X to the record; there is room behind the buffer. */
void record_error(struct ctx *x);

/* timer_queue.c: timers run by one thread. */
#define TIMER_QUEUE_NEVER (~(u64)0)
struct queued_timer {
	const struct ust_probe *probe;
	u64 period, spread, due; /* ns */
};
struct timer_queue {
	struct queued_timer *v;
	u32 n;
};
/* Convert N of UNIT ns: at least a microsecond, and never so large that adding it to the time
 * wraps. */
u64 timer_queue_ns(u64 n, u64 unit);
/* Create the timers of the program, none of them due; false if out of memory. */
bool timer_queue_init(struct timer_queue *ts);
/* Free the memory of TS, which is then empty. */
void timer_queue_free(struct timer_queue *ts);
/* Start their periods at NOW. */
void timer_queue_start(struct timer_queue *ts, u64 now);
/* The timer that is due first, if there are any; in script order among equals. */
struct queued_timer *timer_queue_next(struct timer_queue *ts, u64 now);
/* Compute when T is due next. */
void timer_queue_advance(struct queued_timer *t, u64 now);

/* flush.c: write C's output, the LAST of this hit or not, and empty the buffer. */
void ctx_flush(struct ust_ctx *c, bool last);
/* Write a record of C's handler. */
void ctx_put(struct ust_ctx *c, u32 type, const char *text, u32 len);
/* Report the pending error of X, count it, and end the script if there were too many. */
void ctx_report(struct ctx *x);
/* Allocate the memory of X, which is zeroed; false if out of memory, and ctx_free() must still be
 * called. */
bool ctx_make(struct ctx *x);
void ctx_free(struct ctx *x);

/* fmt.c: write decimal or hexadecimal digits of V to DST (20 bytes suffice); returns their
 * number. */
u32 fmt_decimal(char *dst, u64 v);
/* Without 0x. */
u32 fmt_hex(char *dst, u64 v);
/* Print CH N times; at most as often as fits in a string, and not after the handler has failed. */
void fmt_repeat(struct ust_out *o, char ch, ust_long n);
/* Print the double (or float, if SINGLE) with these bits in the fewest digits: at most 26
 * characters, no NUL; fp_format.c. */
u32 fmt_float(char *dst, u64 bits, bool single);
u64 fmt_extended(u64 mantissa, u32 top); /* from a long double, whose upper 16 bits are TOP */

/* globals.c: allocate and free the memory of all globals of the program; false if out of memory. */
bool globals_init(const struct ust_program *p);
/* Also after globals_init() has failed. */
void globals_free(const struct ust_program *p);
/* counts.c: the same for ust_counted(); and a record for each cell with hits, by one caller at a
 * time. */
bool counts_init(void);
/* Also after counts_init() has failed. */
void counts_free(void);
/* FLAGS: added to those of each record. Sites without hits are left out, unless the script lists
 * all. */
void counts_write(u32 flags);
/* Switch the handler of cell INDEX (see struct ust_count) on or off; -1: all but those of begin,
 * end and error probes. While it is off, hits do not run it and are not counted. */
void counts_switch(s64 index, bool on);
/* Set FLAGS (enum ust_count_flags) of site number SITE; at any time, also for programs that do not
 * count. */
void counts_note(u32 site, u32 flags);
/* Functions of overhead.c, ust_program.overhead: a program is linked with them if it has a limit.
 */
struct ust_overhead {
	bool (*init)(void);    /* allocate; false if out of memory */
	void (*release)(void); /* free, also after init() has failed */
	ust_handler control;   /* handler of its timer, which is not a probe of the script */
};
/* True if hits are counted. */
static inline bool counts_on(void) { return ust_program.flags & UST_PROG_COUNTS; }
/* True if S watches data. */
static inline bool site_is_watch(const struct ust_site *s) { return s->flags & UST_SITE_WATCH; }
/* True if A and B watch the same bytes for the same accesses: they share a debug register. */
static inline bool site_same_watch(const struct ust_site *a, const struct ust_site *b)
{
	const u32 flags = UST_SITE_WATCH | UST_SITE_WATCH_READS | UST_SITE_ABSOLUTE;

	return a->module == b->module && a->addr == b->addr && a->length == b->length &&
	       !((a->flags ^ b->flags) & flags);
}
/* Set a global before the first probe runs: to VALUE or, if IS_NUMBER, to NUMBER. Returns 0,
 * ENOENT: not found; EISDIR: not a scalar; EDOM: it is an integer; ENAMETOOLONG. */
int global_set(const char *name, const char *value, s64 number, bool is_number);
/* Size of a string of this program in bytes. */
extern u32 string_size;

/* fp_builtins.c: print the double with bits BITS with DIGITS after the point, at most 340. */
void fp_put(struct ust_out *o, u64 bits, u32 digits);
/* string.c: the first occurrence of SUB in S; NULL if not found, or the handler has exceeded its
 * limit. */
const char *string_find(struct ust_ctx *c, const char *s, const char *sub);
/* A string of the probed process fills its room: count it as cut unless its next byte, at END, ends
 * it. */
void string_check_full(struct ust_ctx *c, u64 end);
/* N bytes of a string of the probed process at ADDR were read, and the script requested at most
 * LIMIT: count it as cut if it continues and LIMIT did not end it. */
static inline void string_check_end(struct ust_ctx *c, u64 addr, u32 n, ust_long limit)
{
	if (unlikely(n == string_size - 1 && limit > (ust_long)n))
		string_check_full(c, addr + n);
}
#define STRING_ANY_LENGTH ((ust_long)(~0ull >> 1))
/* fmt.c: finish a string of lines, or of addresses separated by blanks; if it was cut, it ends with
 * a complete one and "...". */
void out_finish_lines(struct ust_out *o, char *dst);
/* As out_finish_lines(), for addresses. */
void out_finish_addresses(struct ust_out *o, char *dst);
#define ADDRESSES_CUT "..."
/* Mark the string of O as cut. */
void out_cut(struct ust_out *o);
/* string_builtins.c: write CH as in a C string literal into TEXT of 4 bytes; returns the length. */
u32 string_escape_char(char *text, unsigned char ch);
enum { STRING_ESCAPED = 10 };
/* Write the character that begins at S as in a C string literal into TEXT of STRING_ESCAPED bytes:
 * \u and \U followed by its code for several bytes of valid UTF-8, of which LEFT bytes may be read.
 * *USED is the number of its bytes. Returns the length. */
u32 string_escape(char *text, const unsigned char *s, u32 left, u32 *used);
/* symbol.c: call FN for each function at ADDR, inlined ones from the innermost outwards, then the
 * one that contains them; for an unknown name with that of its module's file. */
void symbol_names(struct ust_ctx *c, u64 addr, bool behind_call,
		  void (*fn)(void *arg, const char *name), void *arg);
/* The first of a text of hexadecimal numbers; TEXT advances to after it; 0 if it is not a
 * number. */
u64 symbol_next_address(struct ust_ctx *c, const char **text);
/* unwind.c: addresses of the probed thread's frames, the innermost first; returns their number, at
 * most MAX <= 32. Those with their bit set in EXACTLY are of an interrupted instruction, others are
 * return addresses. See unwind.h for walks. */
u32 stack_walk(struct ust_ctx *c, u64 *pcs, u32 max, u32 *exactly);
/* Number of the N rows of SIZE bytes, sorted by the address at their start, that are at or before
 * ADDR. */
static inline u32 stackmap_upto(const void *rows, u32 n, u32 size, u32 addr)
{
	u32 lo = 0, hi = n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (*(const u32 *)((const char *)rows + (u64)mid * size) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
/* The map of module number MODULE; NULL if it has no map, or one with parts out of bounds. */
const struct ust_stackmap *stackmap_of(u32 module);
/* The address in the file, *TO, of the run-time address ADDR in the mapping AT; false if no
 * segment of M contains it. */
bool stackmap_address(const struct ust_stackmap *m, const struct port_mapping *at, u64 addr,
		      u32 *to);
/* Text that a group of a regular expression matched. */
struct match_span {
	u32 beg, end;
};
/* N rounded up to a multiple of 8. */
static inline u32 ctx_aligned(u32 n) { return (n + 7) & ~7u; }
/* flush.c: size of a context's frames, and of the data of a match (regex.c) and of tokenize() after
 * them. */
u32 ctx_frames_bytes(void);
/* Size of the data of tokenize() in bytes, 0 if the script does not call it. */
static inline u32 ctx_tokens_bytes(void)
{
	return ust_program.flags & UST_PROG_TOKENS ? string_size : 0;
}

#endif
