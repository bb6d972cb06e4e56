/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of runtime/common and known to the runtime that they
 * are part of.
 */
#ifndef USTAP_COMMON_H
#define USTAP_COMMON_H

#include "port.h"

/* The last use of =~ in a handler. */
struct match {
	const struct ust_regex *re; /* 0: none, or it failed */
	bool tried, divided;        /* there was one; its groups are known */
};

/* What begins with 0 in each hit: eight bytes without
 * a gap, so that one instruction clears them. */
struct hit_state {
	u32 nmarks;
	unsigned short continued; /* a part of this hit has been written */
	unsigned short aborted;   /* the pending error is abort(), and not reported */
};

/* A context: what emitted code sees, and what it does not. */
struct ctx {
	struct ust_ctx pub; /* first */
	bool fatal;         /* the pending error may not be caught */
	bool raised;        /* it was raised by error() */
	u32 checkpoint;     /* actions after which check_limits() looks again */
	u32 steps;          /* of work, not yet a whole action */
	u64 clock, spent; /* at the last checkpoint, and what of this hit it has counted: cycles */
	u32 error_where;  /* index in wheres of the pending error */
	u32 reads;        /* of target_read(), since target_begin() */
	char *error;      /* its text, maxstringlen bytes */
	char *frames;     /* ctx_frames_bytes(): program.frame_size, then of a match, then
			     ctx_tokens_bytes() */
	struct match match;
	const char *tokens; /* what tokenize() has left; 0: it has not been called */
	char *block;        /* that the print buffer is in */
	char *out_end; /* of the print buffer; with UST_PROG_RECORDS the marks are before it: */
	struct hit_state now;
	struct port_ctx port;
};

/* The program's registers, if those of the hit are. */
#ifndef port_program_regs
#define port_program_regs(c) ((c)->hit->regs)
#endif

/* Random numbers, not for secrets: words that are a step apart, mixed well (splitmix64). */
#define RANDOM_STEP 0x9e3779b97f4a7c15ull
static inline u64 random_mix(u64 v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v ^ v >> 31;
}

static inline struct ctx *ctx_of(struct ust_ctx *c) { return (struct ctx *)c; }

/* Bytes of the print buffer, and the longest text of one record. */
#define OUT_SIZE 8192u

/*
 * What builtins do is charged in steps: a byte that is compared or copied, an element of an array,
 * a row or a symbol of a search.  The price of one statement is so many of them, each a nanosecond
 * or a few.
 */
enum { STEPS_PER_ACTION = 256 };
static inline bool ctx_work(struct ust_ctx *c, u64 steps)
{
	struct ctx *x = ctx_of(c);

	steps += x->steps;
	x->steps = steps % STEPS_PER_ACTION;
	return likely(steps < STEPS_PER_ACTION) || ust_charge(c, steps / STEPS_PER_ACTION);
}

/* Actions between two looks at the clock; a handler that does less than that never looks. */
enum { CHECK_ACTIONS = 250 };
static inline u32 ctx_first_checkpoint(u32 max_actions)
{
	return max_actions < CHECK_ACTIONS ? max_actions : CHECK_ACTIONS;
}

/* Bytes that a builtin reads, copies or compares
 * for the price of one statement; see ust_charge(). */
enum { BYTES_PER_ACTION = STEPS_PER_ACTION };
static inline bool ctx_charge_bytes(struct ust_ctx *c, u64 n)
{
	return ust_charge(c, n / BYTES_PER_ACTION + !!(n % BYTES_PER_ACTION));
}

/* target_read.c: bounded reads of the traced process's memory.  A builtin calls target_begin()
 * first. */
void target_begin(struct ust_ctx *c);
/* False, and *TO is 0: nothing can be read, or nothing more may be. */
bool target_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to);
/* The same; a failure is the error of a read fault. */
u64 target_load(struct ust_ctx *c, u64 addr, u32 size);
/* The same; a failure gives 0. */
static inline u64 target_touch(struct ust_ctx *c, u64 addr, u32 size)
{
	u64 v;

	target_read(c, addr, size, &v);
	return v;
}

/* ctx.c: a failure of the runtime at c->where. */
void ctx_fail(struct ust_ctx *c, const char *text);
void ctx_fail_text(struct ust_ctx *c, const char *text, const char *after);
void ctx_fail_number(struct ust_ctx *c, const char *before, u64 number, const char *after);
/* Handlers took too much time: an error that cannot be caught. */
void ctx_overload(struct ust_ctx *c);
void ctx_fail_addr(struct ust_ctx *c, const char *before, u64 addr);
void ctx_fail_addr_why(struct ust_ctx *c, const char *before, u64 addr, const char *why);
/* The message of the pending error as it is printed when nobody catches it,
 * into DST of SIZE bytes; gives its length. */
u32 ctx_message(struct ctx *x, char *dst, u32 size);

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

/* record.c: what is printed, with its parts; only with UST_PROG_RECORDS.  Room in front of the
 * print buffer for the head and behind it for the texts of the hit. */
#define RECORD_HEAD 48u
#define RECORD_TAIL 1040u
static inline bool records_on(void) { return ust_program.flags & UST_PROG_RECORDS; }
static inline bool ctx_printed(const struct ctx *x)
{
	return x->pub.out.p != x->pub.out.base || x->now.nmarks;
}
/* Bytes of a block for the print buffer; and make X use the one at BLOCK. */
u32 record_block(void);
void record_buffer(struct ctx *x, char *block);
/* What C has printed as one struct ust_parts, the LAST of this hit or not: its bytes, from
 * RECORD_HEAD in front of the buffer on. The buffer is empty then. */
u32 record_pack(struct ust_ctx *c, bool last);
/* A warning, and the pending error, become parts of the record. */
void record_warning(struct ust_ctx *c, const char *text);
void record_error(struct ctx *x);

/* timer_queue.c: timers that one thread runs. */
#define TIMER_QUEUE_NEVER (~(u64)0)
struct queued_timer {
	const struct ust_probe *probe;
	u64 period, spread, due; /* ns */
};
struct timer_queue {
	struct queued_timer *v;
	u32 n;
};
/* N of UNIT ns: at least a microsecond, and no more than can be added to the time. */
u64 timer_queue_ns(u64 n, u64 unit);
/* All of the program, due never; false: no memory. */
bool timer_queue_init(struct timer_queue *ts);
void timer_queue_free(struct timer_queue *ts);
/* Their time begins NOW. */
void timer_queue_start(struct timer_queue *ts, u64 now);
/* The turn that is due first, of N > 0, in order of the script among equals. */
struct queued_timer *timer_queue_next(struct timer_queue *ts, u64 now);
/* It has come: when is it due next? */
void timer_queue_advance(struct queued_timer *t, u64 now);

/* flush.c: write what C has printed, the LAST of this hit or not, and empty the buffer. */
void ctx_flush(struct ust_ctx *c, bool last);
/* Write a record of C's handler. */
void ctx_put(struct ust_ctx *c, u32 type, const char *text, u32 len);
/* Write the pending error of X, count it, and end the script if it was one too many. */
void ctx_report(struct ctx *x);
/* The memory of X, which is zeroed; false: no memory, and ctx_free() has to be called even so. */
bool ctx_make(struct ctx *x);
void ctx_free(struct ctx *x);

/* fmt.c: decimal or hexadecimal digits of V at DST (20 bytes do); their number. */
u32 fmt_decimal(char *dst, u64 v);
u32 fmt_hex(char *dst, u64 v);
/* CH, N times; no more than a string has room for, and no more once the handler has failed. */
void fmt_repeat(struct ust_out *o, char ch, ust_long n);
/* The double (or float, if SINGLE) with these bits, in the fewest digits: up to 26 characters, no
 * NUL; fp_format.c. */
u32 fmt_float(char *dst, u64 bits, bool single);
u64 fmt_extended(u64 mantissa, u32 top); /* from a long double, whose upper 16 bits are TOP */

/* globals.c: make and free what all globals of the program keep; false: no memory. */
bool globals_init(const struct ust_program *p);
void globals_free(const struct ust_program *p);
/* counts.c: the same for what ust_counted() keeps; and a record of each that was hit, by one caller
 * at a time. */
bool counts_init(void);
void counts_free(void);
void counts_write(u32 flags);
/* FLAGS (enum ust_count_flags) are true of site number SITE; any time, also for programs that do
 * not count. */
void counts_note(u32 site, u32 flags);
static inline bool counts_on(void) { return ust_program.flags & UST_PROG_COUNTS; }
/* Before the first probe runs, give a global another value: VALUE, or, IS_NUMBER, NUMBER.  ENOENT:
 * there is none of that name; EISDIR: it is no single value; EDOM: it is a number; ENAMETOOLONG. */
int global_set(const char *name, const char *value, s64 number, bool is_number);
/* Bytes of one string of this program. */
extern u32 string_size;

/* fp_builtins.c: the number with the bits of a double in BITS,
 * DIGITS of them behind the point, at most 340. */
void fp_put(struct ust_out *o, u64 bits, u32 digits);
/* string.c: where SUB is in S; NULL: nowhere, or the handler has done too much. */
const char *string_find(struct ust_ctx *c, const char *s, const char *sub);
/* N bytes of a string of the probed process at ADDR were read, where the script wants up to LIMIT:
 * count it as cut where there would be more, but a string has no room for it. */
void string_check_end(struct ust_ctx *c, u64 addr, u32 n, ust_long limit);
#define STRING_ANY_LENGTH ((ust_long)(~0ull >> 1))
/* fmt.c: end a string of lines, or of addresses with a blank between; one that was cut ends with a
 * whole one and "...". */
void out_finish_lines(struct ust_out *o, char *dst);
void out_finish_addresses(struct ust_out *o, char *dst);
#define ADDRESSES_CUT "..."
/* The string of O is not all that it was to be. */
void out_cut(struct ust_out *o);
/* string_builtins.c: CH as C has it in a string literal, into TEXT of 4 bytes; the length. */
u32 string_escape_char(char *text, unsigned char ch);
/* symbol.c: FN for each function at ADDR, those inlined there from the inside out, then the one
 * that they are in; where its name is not known that of its module's file. */
void symbol_names(struct ust_ctx *c, u64 addr, bool behind_call,
		  void (*fn)(void *arg, const char *name), void *arg);
/* The first of a text of hexadecimal numbers, behind which TEXT then is; 0 where it is none. */
u64 symbol_next_address(struct ust_ctx *c, const char **text);
/* unwind.c: addresses of the probed thread's frames, the innermost first; their number, at most MAX
 * <= 32.  Those with their bit set in EXACTLY are of an instruction that was interrupted, others
 * are behind a call.  See unwind.h for walks. */
u32 stack_walk(struct ust_ctx *c, u64 *pcs, u32 max, u32 *exactly);
/* How many of N rows of SIZE bytes, which begin with the address that they are sorted by, are at or
 * before ADDR. */
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
/* The map of module number MODULE; NULL: it has none, or one whose parts are not where its numbers
 * say. */
const struct ust_stackmap *stackmap_of(u32 module);
bool stackmap_address(const struct ust_stackmap *m, const struct port_mapping *at, u64 addr,
		      u32 *to);
/* regex.c: bytes of a context's frames, and behind them of what matched and of what tokenize()
 * keeps. */
u32 ctx_frames_bytes(void);
static inline u32 ctx_tokens_bytes(void)
{
	return ust_program.flags & UST_PROG_TOKENS ? string_size : 0;
}

/* stat.c */
bool stat_init(struct ust_gvar *g);
void stat_free(struct ust_gvar *g);
void stat_merge(struct ust_stat *to, const struct ust_stat *from);
static inline void stat_put(struct ust_stat *st, ust_long v)
{
	if (!st->count++) {
		st->sum = st->min = st->max = v;
		return;
	}
	st->sum = ust_add(st->sum, v);
	if (v < st->min)
		st->min = v;
	if (v > st->max)
		st->max = v;
}
ust_long stat_value(const struct ust_stat *st, int op);

/* What a statistic has besides: first what its variance is made of, then the buckets of its
 * histogram. */
enum { VARIANCE_SQUARES, VARIANCE_SUM = 3, VARIANCE_COUNT = 5, VARIANCE_WORDS };
static inline u32 stat_extra_words(const struct ust_gvar *g)
{
	return (g->variance ? VARIANCE_WORDS : 0) + g->buckets;
}
/* Add N words of one cell to TO. */
typedef void (*stat_extra_fn)(u64 *to, const u64 *from, u32 n);
/* FN for each CPU's cell of the statistic G or its element KEY: N words from word FIRST on. */
void stat_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		     u32 first, u32 n);

/* variance.c */
void variance_put(u64 *m, ust_long v);
void variance_merge(u64 *to, const u64 *from, u32 n);
ust_long variance_value(const u64 *m);

/* hist.c: the bucket that V belongs to */
u32 hist_bucket(const struct ust_gvar *g, ust_long v);

static inline void stat_extra_put(const struct ust_gvar *g, u64 *more, ust_long v)
{
	if (g->variance)
		variance_put(more, v);
	if (g->hist)
		more[(g->variance ? VARIANCE_WORDS : 0) + hist_bucket(g, v)]++;
}

/* --------------------------------------------- map.c, map_memory.c, sort.c */

#define MAP_NONE 0xffffffffu

struct elem {
	u32 chain;      /* next in its bucket */
	u32 prev, next; /* in order of insertion */
	u32 bucket;
	u64 seq; /* number of its insertion, 0 while it is free */
	union {
		ust_long l;
		char *s;
	} v;
	union ust_key key[]; /* strings point behind the keys */
};

/* An array of statistics: each CPU has a cell for each element. */
struct cells {
	port_lock_t lock; /* taken to use the cells, and to look elements up */
	struct ust_stat *v;
	u64 *more; /* stat_extra_words() for each element, if any */
};

/* The place of one sorted loop. */
struct ref {
	ust_long by;
	u64 seq;
	u32 at;
};
struct order {
	int col, dir, op;
	u64 fill; /* counts the fillings, of this handler or another */
	u64 work; /* comparisons, and bytes of strings in them, not charged yet */
	u32 n;
	struct ref *v; /* a heap */
};

struct map {
	struct port_glock glock; /* first; of an array of statistics for sorted loops only */
	port_lock_t lock;        /* arrays of statistics: insert, remove, walk */
	void *cells;             /* per-CPU struct cells, or 0 */
	u64 seq;
	u32 first, last, count, used, free, max;
	u32 *buckets, shift;
	u32 nkeys, stride;
	bool wrap;
	u8 keys[UST_MAXKEYS];
	u32 more; /* stat_extra_words() */
	char *elems;
	struct order *orders;
	u32 norders;
};

static inline struct elem *map_elem(const struct map *m, u32 i)
{
	return (struct elem *)(m->elems + (size_t)i * m->stride);
}
/* Are E's keys those of KEY, apart from those of which bit N of ANY is set? */
bool map_in_slice(const struct map *m, const struct elem *e, const union ust_key *key, u32 any);
bool map_init(struct ust_gvar *g);
void map_free(struct ust_gvar *g);
/* Lock an array of statistics to insert or walk. */
void map_lock(struct ust_gvar *g, unsigned long *flags);
/* Somebody was killed in the middle of changing G, which is locked: its elements become whole and
 * linked again; the one that was being made or removed is there or not. */
void map_repair(struct ust_gvar *g);
/* Sum of the cells of element I over all CPUs; the map is locked. */
void map_merge(struct map *m, u32 i, struct ust_stat *st);
/* stat_extra_read() of element I; the map is locked. */
void map_extra(struct ust_gvar *g, u32 i, stat_extra_fn fn, u64 *to, u32 first, u32 n);
void map_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		    u32 first, u32 n);

#endif
