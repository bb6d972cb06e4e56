/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime interface of emitted C, which may use nothing else. It includes only its builtins, so
 * that a script compiles without kernel headers, and is the same for both runtimes. The translator
 * treats this file as text; the runtime implements it.
 *
 * Conventions: a script's integer is ust_long. A script's string is a NUL-terminated `const char *`
 * into storage of ust_program.maxstringlen bytes; code that keeps it copies it with ust_strcpy(). A
 * call that can fail sets c->failed and the error text; emitted code then leaves for the innermost
 * catch, or for the end of the handler.
 */
#ifndef USTAP_RT_H
#define USTAP_RT_H

#define UST_ABI         1u
#define UST_MAXKEYS     8
#define ust_unlikely(x) __builtin_expect(!!(x), 0)

typedef long long ust_long;
typedef unsigned long long ust_u64;
typedef unsigned int ust_u32;

/* ------------------------------------------------------------- registers */

#include "arch/ustap_regs.h"

/* ---------------------------------------------------------------- limits */

#ifndef UST_MAXSTRINGLEN
#define UST_MAXSTRINGLEN 512
#endif
typedef char ust_string[UST_MAXSTRINGLEN];

/* --------------------------------------------------------------- globals */

enum ust_type { UST_NONE, UST_LONG, UST_STRING, UST_STAT };
enum ust_storage {
	UST_VAR,      /* long, string: .l / .s under the handler's locks */
	UST_COUNTER,  /* long that handlers only add to: per-CPU, no lock */
	UST_AGG,      /* statistic: per-CPU, no lock */
	UST_ARRAY,    /* array of long or string */
	UST_AGG_ARRAY /* array of statistics: per-CPU, no lock */
};

enum ust_hist { UST_HIST_NONE, UST_HIST_LOG, UST_HIST_LINEAR };
#define UST_HIST_LOG_BUCKETS 128

struct ust_gvar {
	/* set by the runtime */
	ust_long l; /* UST_VAR of type UST_LONG; initial value of UST_COUNTER */
	char *s;    /* UST_VAR of type UST_STRING: maxstringlen bytes */
	void *impl;
	/* set by emitted code */
	const char *name;
	const char *init_s; /* initial string or 0; .l holds an initial number */
	unsigned char storage, type, nkeys, wrap;
	unsigned char keys[UST_MAXKEYS]; /* enum ust_type */
	unsigned char norders;           /* number of sorted foreach loops over it in the script */
	ust_u32 max;                     /* elements, for arrays */
	const char *full; /* for arrays that do not wrap: the error when they are full */
	/* statistics: data in addition to count, sum, min and max */
	unsigned char variance, hist; /* truth; enum ust_hist */
	ust_u32 buckets;              /* of the histogram, including the two for values out of
				       * range */
	ust_long low, step;           /* of a linear one: lower bound, width of a bucket */
};

union ust_key {
	ust_long l;
	const char *s;
};

/* CALL with an array `key` of these keys, valid during the call: all calls share one stack slot. */
#define UST_KEYED(call, ...)                               \
	({                                                 \
		const union ust_key key[] = {__VA_ARGS__}; \
		call;                                      \
	})

struct ust_stat {
	ust_long count, sum, min, max;
};

/* ------------------------------------------------------- probes and sites */

struct ust_site;

/* One hit, created by the runtime on its stack. */
struct ust_hit {
	struct ust_regs *regs;         /* user registers; 0 if not available (begin) */
	const struct ust_site *site;   /* 0 for probes without sites */
	ust_u64 addr;                  /* run-time address of the probed instruction; for a
					* return probe, of the function's entry site */
	const struct ust_probe *probe; /* 0 for probes with sites */
	int mode;                      /* private to the runtime */
	const void *subject;           /* private to the runtime: the subject of the hit, in some
					* modes */
	ust_long *saved; /* entry values of a return probe: at most program.saved_words; 0 for
			  * other probes */
	_Bool off;       /* set by a handler whose condition is false: not a hit */
};

typedef void (*ust_handler)(struct ust_hit *hit);

enum ust_probe_kind {
	UST_PROBE_BEGIN,
	UST_PROBE_END,
	UST_PROBE_ERROR,
	UST_PROBE_TIMER_NS,
	UST_PROBE_TIMER_JIFFIES,
	UST_PROBE_PROFILE,
	UST_PROBE_MONITOR, /* prints a global, on request */
	/* process events; system calls have registers */
	UST_PROBE_PROCESS_BEGIN,
	UST_PROBE_PROCESS_END,
	UST_PROBE_THREAD_BEGIN,
	UST_PROBE_THREAD_END,
	UST_PROBE_SYSCALL,
	UST_PROBE_SYSCALL_RETURN,
	UST_PROBE_PROCFS_READ,
	UST_PROBE_PROCFS_WRITE, /* a file is read, written */
	UST_PROBE_PERF,
	UST_PROBE_DATA,
	UST_PROBE_NETFILTER,
	UST_PROBE_KINDS
};

/* The condition of probes. While it is false their sites are disarmed and their timers stopped. */
struct ust_gate {
	ust_u32 on;     /* the condition is true */
	ust_u32 closed; /* it was false when the runtime last checked: the sites are disarmed */
};

/* A probe without sites. Its other members depend on its probe type. */
struct ust_probe {
	unsigned kind; /* enum ust_probe_kind */
	ust_handler handler;
	const char *pp;
	/* program of the process: 1 + index in ust_program.modules; 0: any */
	ust_u32 program;
	struct ust_gate *gate; /* or 0 */
	union {
		/* begin, end, error: run by priority; after_error: an end probe that also runs
		 * after an error of the runtime */
		struct {
			ust_long priority;
			_Bool after_error;
		} life;
		/* timers: in ns or jiffies; each turn is randomised by at most `spread'. A profile
		 * with period 0 fires at each tick. */
		struct {
			ust_long period, spread;
		} timer;
		/* processes, threads and their system calls; 0: any */
		struct {
			ust_long pid;
		} process;
		/* procfs files, below that of the script; size 0: maxstringlen */
		struct {
			const char *path;
			ust_long size;
			ust_u32 mode;
		} file;
		/* events as in perf_event_open(2): one hit per number of events or, by rate, hits
		 * per second; or a counter of this name, which is read */
		struct {
			ust_u32 type;
			ust_u64 config;
			ust_long count;
			_Bool by_rate;
			const char *counter;
		} perf;
		/* kernel memory that is written, or accessed: address of a symbol or, without one,
		 * this address */
		struct {
			const char *symbol;
			ust_u64 addr, length;
			_Bool is_read;
		} data;
		/* packets of a protocol family */
		struct {
			ust_u32 family, hook;
			ust_long priority;
		} packet;
	};
};

enum ust_site_flags {
	UST_SITE_RETURN = 1,
	UST_SITE_ALL_REGS = 2, /* the handler reads more than the caller-saved registers */
	UST_SITE_PAIRED = 4,   /* the function prints output at both entry and return */
	UST_SITE_KERNEL = 8,   /* in the kernel, at `symbol' */
	UST_SITE_TRACE = 16,   /* the kernel tracepoint `symbol', with its arguments in the
				* registers of a function's arguments */
	UST_SITE_ANY = 32,     /* matched by a wildcard, so that it may not be probeable */
	UST_SITE_DEEP = 256,   /* the handler may need more stack than every thread has left */
	UST_SITE_CLONE = 128,  /* a clone of the function is sufficient, which the compiler made
				* for some of its parameters */
	UST_SITE_SYSCALL = 64  /* a system call of any process: `offset' and `addr' are one more
				* than its numbers, for 64-bit and 32-bit programs, 0: none; both
				* 0: any */
};

struct ust_site {
	ust_u64 offset; /* file offset of the instruction; in the kernel the offset from the
			 * symbol, or the number of a tracepoint's arguments */
	ust_u64 addr;   /* its address in the module (ELF virtual address) */
	ust_u32 module; /* index in ust_program.modules */
	ust_u32 flags;
	ust_handler handler;
	const char *func;   /* ppfunc(), probefunc() */
	const char *pp;     /* pp() */
	ust_handler entry;  /* of a return probe: called at the function's entry to set hit->saved;
			       or 0 */
	ust_u32 saved;      /* index of its first word among those saved for the call */
	ust_u64 semaphore;  /* virtual address and file offset of a 16-bit counter that is
			     * incremented */
	ust_u64 sem_offset; /* while the site is armed; 0: none */
	struct ust_gate *gate; /* or 0 */
	const char *symbol;    /* of the kernel; 0 in programs */
	ust_u32 maxactive;     /* maximum number of pending returns; 0: the default */
};

/* Unwind and symbol data of a module, all at addresses of the file; made by
 * translator/emit/stackmap.c. It is followed by the rows, the symbols, the lines, the rows of
 * inlined functions, these, and the names, which are NUL-terminated. The number of its bytes
 * (ust_u64) directly precedes it, counted by the assembler: the sizes in it are not trusted. */
struct ust_stackmap {
	ust_u32 nrows, nsymbols, strings; /* counts; size of the names in bytes */
	ust_u32 nsegments, nlines, ninlines, ninlined, unused;
	struct {
		ust_u64 offset, size, addr;
	} segments[4]; /* file offset, size, address */
};
/* Valid from AT on, until the next row: the CFA. The return address is directly below it. */
struct ust_frame_row {
	ust_u32 at;
	int cfa;             /* offset to add to the register */
	short bp;            /* offset of the caller's frame pointer from the CFA; 0: unchanged */
	unsigned short kind; /* enum ust_frame_kind */
};
enum ust_frame_kind {
	UST_FRAME_UNKNOWN,
	UST_FRAME_SP,       /* stack pointer + cfa */
	UST_FRAME_BP,       /* frame pointer + cfa */
	UST_FRAME_BP_DEREF, /* the word at that address */
	UST_FRAME_PLT,      /* stack pointer + cfa, plus one word from byte `bp' of 16 on */
	UST_FRAME_SIGNAL,   /* signal frame of the kernel */
	UST_FRAME_OUTERMOST,
	UST_FRAME_ODD /* a rule of another form */
};
#define UST_FRAME_BP_LOST (-32768)
struct ust_symbol {
	ust_u32 at, size, name;
}; /* name: offset in the names */
struct ust_line_row {
	ust_u32 at, line, file;
}; /* file: likewise; line 0: unknown from here on */

/* From AT on, the number from 1 on of the innermost inlined function; 0: none. */
struct ust_inline_row {
	ust_u32 at, innermost;
};
/* An inlined function: its name, and its call site; OUTER: the inlined function that contains it,
 * or 0. */
struct ust_inlined {
	ust_u32 name, file, line, outer;
};

struct ust_module {
	const char *path, *identity;    /* elfid.h */
	const struct ust_stackmap *map; /* or 0 */
};

/* Location of an error, for its message: "near identifier 'x' at FILE:LINE:COL". wheres[0] has no
 * token and means no location: error() reports none. */
struct ust_where {
	const char *token;
	const char *kind;
	const char *pos;
};

enum ust_program_flags {
	UST_PROG_IRQ = 1,       /* some probe runs in interrupt context: locks disable interrupts */
	UST_PROG_MAPPED = 4,    /* it uses addresses of modules: ust_base() */
	UST_PROG_TOKENS = 8,    /* it uses tokenize() */
	UST_PROG_QUIET = 2,     /* uncaught errors are counted and not reported; they do not end the
				   script */
	UST_PROG_COUNTS = 16,   /* its handlers are run by ust_counted() */
	UST_PROG_TIMES = 32,    /* which also measures them */
	UST_PROG_SYSTEM = 2048, /* it calls ust_system() */
	UST_PROG_SWITCH = 4096, /* it calls ust_switch_file() */
	UST_PROG_NAMES = 16384, /* it prints stacks */
	UST_PROG_RAW_NAMES = 32768, /* ... by the symbol's raw name */
	UST_PROG_GURU = 8192,       /* it was built with -g */
	UST_PROG_RECORDS = 1024,    /* its output is written in parts: ust_print_begin() */
	UST_PROG_TELL_ALL = 64      /* at the end sites without hits are reported, too */
};

/* No limit, if overload_threshold is 0 as well. */
#define UST_NO_MAXACTION 0x7fffffffu

struct ust_program {
	ust_u32 abi, flags;
	const struct ust_module *modules;
	ust_u32 nmodules;
	const struct ust_site *sites;
	ust_u32 nsites;
	const struct ust_probe *probes;
	ust_u32 nprobes;
	struct ust_gvar *const *gvars;
	ust_u32 ngvars;
	const struct ust_where *wheres;
	ust_u32 nwheres;
	ust_u32 maxaction, maxnesting, maxstringlen, maxerrors, maxskipped;
	ust_u32 saved_words;  /* maximum number of words that any site saves from entry to return */
	ust_u32 frame_size;   /* bytes of frames that one context needs at most */
	ust_u32 match_spans;  /* spans that ust_regex_match() stores at most; 0: not called */
	const char *script;   /* name of the script, for messages */
	ust_u32 maxbacktrace; /* frames of a backtrace; set if any are used */
	struct ust_gate *gates;
	ust_u32 ngates;
	ust_u64 overload_threshold, overload_interval; /* cycles per interval on a CPU that
							* handlers may take; 0: no limit */
	ust_handler gates_evaluate;                    /* evaluates all of them */
	const char *const *names;   /* for each site, then for each probe: pn(), 0: same as pp();
				     * or 0 */
	const char *const *origins; /* for each site, then for each probe: its location in the
				     * script; or 0 */
};

/* Defined by emitted code. */
extern const struct ust_program ust_program;

/* Programs with saved_words also declare this. The user runtime keeps them in private memory, which
 * fork copies, parallel to its UST_SLOTS return addresses. */
#define UST_SLOTS (1u << 18)
#if defined(UST_KERNEL) || defined(__KERNEL__) /* without and with the kernel's headers */
#define UST_SAVED_WORDS(n) extern const struct ust_program ust_program
#else
#define UST_SAVED_WORDS(n)                          \
	ust_u64 ust_saved[(ust_u64)UST_SLOTS * (n)] \
		__attribute__((section(".bss.private"), aligned(64)))
#endif

/* --------------------------------------------------------------- contexts */

/* Target of formatted text: the context's print buffer or a string. */
struct ust_out {
	char *p, *end, *base; /* base 0: a string that was cut */
	struct ust_ctx *c;    /* flushed when full; 0: truncates, and counts the string as cut */
};

struct ust_ctx {
	_Bool failed;         /* an error is set: leave */
	_Bool next;           /* embedded C requests the next function of its name */
	unsigned short depth; /* nesting of script functions; its type leaves no gap: ctx_reset()
			       * clears all at once */
	ust_u32 where;        /* index in wheres, set before operations that may fail */
	ust_u32 actions;      /* number of statements run */
	ust_u32 symbols;      /* number of symbols of the process's files examined */
	struct ust_hit *hit;
	struct ust_out out;      /* print buffer */
	char *frame, *frame_end; /* free frame memory, see ust_frame_push() */
				 /* the rest is private to the runtime */
};

struct ust_lockref {
	struct ust_gvar *g;
	_Bool write;
};
struct ust_lockset {
	ust_u32 n;
	const struct ust_lockref *v;
};

/* Run a handler and count the hit for the site or probe of HIT. */
void ust_counted(struct ust_hit *hit, ust_handler run);

/* Set the value of a condition, under the locks of the globals that it reads. After ust_leave() the
 * sites of a gate that was opened are armed before the probed thread continues. */
void ust_gate_turn(struct ust_gate *g, _Bool on);
static inline void ust_gate_set(struct ust_gate *g, _Bool on)
{
	if (ust_unlikely(*(volatile ust_u32 *)&g->on != on))
		ust_gate_turn(g, on);
}
void ust_gates_open(struct ust_hit *hit);

/* True if this is a hit of process PID, in the loader's pid namespace. */
_Bool ust_is_process(ust_long pid);
/* Take a context for HIT; 0 if none is available (counted as a skipped probe). */
struct ust_ctx *ust_enter(struct ust_hit *hit);
/* Take the locks, in the order given. Before that, reads of user memory may sleep and bring pages
 * in; after it they do not fault, and if one fails the locks are dropped, the page is brought in,
 * and the locks are retaken. */
void ust_lock(struct ust_ctx *c, const struct ust_lockset *ls);
/* Report an uncaught error, write the output, release locks and context. */
void ust_leave(struct ust_ctx *c);

/* Allocate SIZE bytes of frame for a handler's or function's strings, not zeroed; 0 and an error if
 * nesting is too deep. Popped in reverse order. */
void *ust_frame_push(struct ust_ctx *c, ust_u32 size);
static inline void ust_frame_pop(struct ust_ctx *c, void *frame) { c->frame = (char *)frame; }
/* Entry of a script function: counts nesting, fails over MAXNESTING. */
_Bool ust_call(struct ust_ctx *c);
static inline void ust_return(struct ust_ctx *c) { c->depth--; }
/* N more statements were run (reported at loop iterations and function calls); fails over
 * MAXACTION. This error cannot be caught: see ust_catch(). */
_Bool ust_action(struct ust_ctx *c, ust_u32 n);
/* Charge the handler for the work of a builtin, equal to UNITS statements. False: the limit is
 * exceeded, the error is set, and the builtin must return at once. Any context. */
_Bool ust_charge(struct ust_ctx *c, ust_u64 units);

/* Errors. ust_error() sets a text made by the script; ust_catch() clears the pending error, copies
 * its text to DST unless 0, and returns false if the error must not be caught (MAXACTION). */
void ust_error(struct ust_ctx *c, const char *text);
_Bool ust_catch(struct ust_ctx *c, char *dst);
void ust_warn(struct ust_ctx *c, const char *text);
void ust_exit(struct ust_ctx *c);
void ust_abort(struct ust_ctx *c); /* ends the script with an error that is neither caught nor
				    * reported */
/* For embedded C: C's printf without floating point, and an error at the call of its function. */
void ust_printf(struct ust_ctx *c, const char *fmt, ...);
void ust_errorf(struct ust_ctx *c, const char *fmt, ...);
/* True if it ended with STAP_NEXT. Resets the request. */
static inline ust_long ust_next_wanted(struct ust_ctx *c)
{
	_Bool wanted = c->next;

	c->next = 0;
	return wanted;
}

/* ----------------------------------------------------------- parts of output */

/* For programs with UST_PROG_RECORDS. Output between these is a print statement, described by WHAT
 * (LEN bytes, see UST_MARK_BEGIN): first its arguments, then its text. */
void ust_print_begin(struct ust_ctx *c, const char *what, ust_u32 len);
void ust_print_long(struct ust_ctx *c, ust_long v);
void ust_print_string(struct ust_ctx *c, const char *s);
void ust_print_hist(struct ust_ctx *c, struct ust_gvar *g, const ust_long *counts);
void ust_print_text(struct ust_ctx *c);
void ust_print_end(struct ust_ctx *c);
/* The next statement is indented by DELTA more. */
void ust_trace_indent(struct ust_ctx *c, ust_long delta);
/* The stack as names from the outermost frame inwards, and replacement of ubacktrace() and similar
 * with --output=folded. */
const char *ust_folded(struct ust_ctx *c, char *dst);
const char *ust_folded_stack(struct ust_ctx *c, char *dst, const char *stack);
/* BUF: buffer of a string. */
void ust_print_folded(struct ust_ctx *c, char *buf);
void ust_print_folded_stack(struct ust_ctx *c, char *buf, const char *stack);

/* ------------------------------------------------------------- arithmetic */

/* Wraps; INT64_MIN / -1 is INT64_MIN, INT64_MIN % -1 is 0; division by zero fails. */
ust_long ust_div(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_mod(struct ust_ctx *c, ust_long a, ust_long b);
static inline ust_long ust_add(ust_long a, ust_long b)
{
	return (ust_long)((ust_u64)a + (ust_u64)b);
}
static inline ust_long ust_sub(ust_long a, ust_long b)
{
	return (ust_long)((ust_u64)a - (ust_u64)b);
}
static inline ust_long ust_mul(ust_long a, ust_long b)
{
	return (ust_long)((ust_u64)a * (ust_u64)b);
}
/* Convert the float with bits F to the bits of a double, without a floating-point register. */
static inline ust_u64 ust_widen(ust_u32 f)
{
	ust_u64 sign = (ust_u64)(f >> 31) << 63, exponent = f >> 23 & 255, fraction = f & 0x7fffff;
	int shift;

	if (exponent == 255) /* infinite, or not a number */
		return sign | 0x7ffull << 52 | fraction << 29;
	if (exponent)
		return sign | (exponent + 896) << 52 | fraction << 29;
	if (!fraction)
		return sign;
	shift = __builtin_clz((ust_u32)fraction) - 8; /* denormal as a float, normal as a double */
	return sign | (ust_u64)(897 - shift) << 52 | ((fraction << shift) & 0x7fffff) << 29;
}
static inline ust_long ust_shl(ust_long a, ust_long n)
{
	return (ust_long)((ust_u64)a << (n & 63));
}
static inline ust_long ust_shr(ust_long a, ust_long n) { return a >> (n & 63); }

/* ---------------------------------------------------------------- strings */

/* All cut at maxstringlen - 1 bytes. DST may equal SRC. */
void ust_strcpy(char *dst, const char *src);
void ust_strcat(char *dst, const char *src); /* dst .= src */
int ust_strcmp(const char *a, const char *b);

/* ---------------------------------------------------- regular expressions */

/* Tables of an automaton; state 0 is dead. Accept: 1 matched, 2 matched if the text ends here. */
struct ust_dfa {
	const unsigned short *next; /* [state * nclasses + class] */
	const unsigned char *accept;
	unsigned short start[2]; /* [1]: where the text begins (read backwards: ends) */
};

enum ust_rx_kind { UST_RX_GROUP, UST_RX_CAT, UST_RX_ALT, UST_RX_STAR, UST_RX_COPY };
/* Division of a span of the text between groups; see translator/regex/plan.c. */
struct ust_rx_step {
	unsigned char kind;
	unsigned short first, last; /* GROUP: its number; COPY: groups [first, last) */
	short left, right;          /* steps for the parts, -1: none */
	const struct ust_dfa *fwd, *bwd;
	const unsigned char *live; /* STAR: [fwd state * stride + bwd state] */
	ust_u32 stride;
};

struct ust_regex {
	const unsigned char *map; /* class of each byte */
	ust_u32 nclasses, ngroups, nsteps;
	const struct ust_dfa *test, *locate, *longest;
	const struct ust_rx_step *steps;
};

_Bool ust_regex_test(struct ust_ctx *c, const struct ust_regex *re, const char *s);
/* The same, and the match is kept for ust_matched() and related functions. */
_Bool ust_regex_match(struct ust_ctx *c, const struct ust_regex *re, const char *s);

/* ----------------------------------------------------- counters, statistics */

void ust_counter_add(struct ust_gvar *g, ust_long v);
ust_long ust_counter_read(struct ust_gvar *g);
void ust_stat_add(struct ust_gvar *g, ust_long v);
/* ust_stat_add() for a statistic with a histogram or a variance. */
void ust_stat_add_more(struct ust_gvar *g, ust_long v);
void ust_stat_read(struct ust_gvar *g, struct ust_stat *st);
void ust_stat_clear(struct ust_gvar *g);
/* min, max and avg of an empty statistic fail with "empty aggregate". */
ust_long ust_stat_min(struct ust_ctx *c, const struct ust_stat *st);
ust_long ust_stat_max(struct ust_ctx *c, const struct ust_stat *st);
ust_long ust_stat_avg(struct ust_ctx *c, const struct ust_stat *st);

/* Variance, samples in bucket I, and samples in all buckets of the statistic G, or of its element
 * KEY (0: G is not an array). They fail with "empty aggregate"; an invalid bucket with "histogram
 * index out of range". */
ust_long ust_stat_variance(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
ust_long ust_hist_bucket(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			 ust_long i);
void ust_hist_read(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
		   ust_long *counts);
/* ust_hist_bucket() that returns 0 instead of failing. */
ust_long ust_hist_count(struct ust_gvar *g, const union ust_key *key, ust_long i);

/* ----------------------------------------------------------------- arrays */

/* KEY holds g->nkeys keys. Returned strings remain valid until the element is removed. */
ust_long ust_map_get(struct ust_gvar *g, const union ust_key *key);      /* 0 if missing */
const char *ust_map_get_s(struct ust_gvar *g, const union ust_key *key); /* "" if missing */
/* Address of the element's value, inserted if missing; 0 and an error if the array is full. */
ust_long *ust_map_ref(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
char *ust_map_ref_s(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
_Bool ust_map_has(struct ust_gvar *g, const union ust_key *key);
void ust_map_del(struct ust_gvar *g, const union ust_key *key);
void ust_map_clear(struct ust_gvar *g);
/* Called before an operation on all elements of G: charges for them, and fails over MAXACTION. */
_Bool ust_map_charge(struct ust_ctx *c, struct ust_gvar *g);
/* Slices: bit N of ANY means that key N may have any value, and KEY[N] is not used. */
_Bool ust_map_has_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any);
void ust_map_del_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any);
/* Arrays of statistics. */
void ust_map_stat_add(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key, ust_long v);
/* ust_map_stat_add() for statistics with histograms or variances. */
void ust_map_stat_add_more(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			   ust_long v);
/* Short form of ust_map_stat_add() for one integer key. */
void ust_map_stat_add_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v);
void ust_map_stat_read(struct ust_gvar *g, const union ust_key *key, struct ust_stat *st);

enum ust_sort_op { UST_BY_COUNT, UST_BY_SUM, UST_BY_MIN, UST_BY_MAX, UST_BY_AVG, UST_BY_VARIANCE };
struct ust_iter {
	union ust_key key[UST_MAXKEYS]; /* of the current element */
	ust_long l;                     /* its value */
	const char *s;
	struct ust_stat st;
	/* private */
	struct ust_gvar *g;
	ust_long left, by;
	ust_u64 seq, fill;
	ust_u32 pos, any;
	void *order;
	_Bool sliced;
	union ust_key slice[UST_MAXKEYS];
};
_Static_assert(sizeof(struct ust_iter) == 240 && sizeof(struct ust_stat) == 32 &&
		       sizeof(struct ust_out) == 32,
	       "emit_frame.c");
/* Start a loop over G. COL: -1 in order of insertion, 0 by value, 1.. by key; DIR: +1 ascending, -1
 * descending; OP: the operator on a statistic to sort by; LIMIT: maximum number of elements (<= 0:
 * none; UST_NO_LIMIT); ORDER: number of this sorted loop. */
#define UST_NO_LIMIT 0x7fffffffffffffffll
void ust_iter_begin(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col, int dir,
		    int op, ust_long limit, ust_u32 order);
/* ust_iter_begin() over a slice. Strings of KEY must stay valid until the loop ends. */
void ust_iter_begin_slice(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col,
			  int dir, int op, ust_long limit, ust_u32 order, const union ust_key *key,
			  ust_u32 any);
_Bool ust_iter_next(struct ust_ctx *c, struct ust_iter *it);

/* --------------------------------------------------------------- printing */

enum ust_fmt_flags {
	UST_F_MINUS = 1,
	UST_F_ZERO = 2,
	UST_F_PLUS = 4,
	UST_F_SPACE = 8,
	UST_F_ALT = 16
};
struct ust_spec {
	char conv;
	unsigned char flags;
	int width, prec;
}; /* -1: none */
/* CALL with its own conversion `spec`: its width or precision is an argument. */
#define UST_FORMATTED(call, ...)                          \
	({                                                \
		const struct ust_spec spec = __VA_ARGS__; \
		call;                                     \
	})

/* Write text to a string of maxstringlen bytes (sprintf): start, pieces, finish. */
void ust_out_string(struct ust_out *o, char *dst);
void ust_out_finish(struct ust_out *o); /* NUL-terminates */
void ust_put(struct ust_out *o, const char *text, ust_u32 len);
void ust_put_d(struct ust_out *o, ust_long v);                              /* %d */
void ust_put_s(struct ust_out *o, const char *s);                           /* %s */
void ust_put_l(struct ust_out *o, const struct ust_spec *spec, ust_long v); /* d i u o x X p c b */
void ust_put_str(struct ust_out *o, const struct ust_spec *spec, const char *s);
/* %m, %M: the first one fails if the second one could not read. */
void ust_check_memory(struct ust_ctx *c, const struct ust_spec *spec, ust_long addr);
void ust_put_memory(struct ust_ctx *c, struct ust_out *o, const struct ust_spec *spec,
		    ust_long addr);
/* Print the chart of a histogram with these counts, bars WIDTH columns wide; at most AROUND
 * consecutive empty buckets are shown beside others, all if it is negative. */
void ust_put_hist(struct ust_out *o, const struct ust_gvar *g, const ust_long *counts,
		  ust_u32 width, int around);

/* ------------------------------------------------------------ user memory */

/* Load SIZE (1, 2, 4, 8) bytes at ADDR of the probed process, zero-extended; 0 and the error "read
 * fault" if not mapped. */
ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
/* ust_load() that returns 0 without an error: --skip-badvars. */
static inline ust_u64 ust_load_or_0(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	ust_u64 v = ust_load(c, addr, size);

	return c->failed && ust_catch(c, 0) ? 0 : v;
}
/* ust_load() of kernel memory; "kernel read fault". Never sleeps. */
ust_u64 ust_kernel_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
static inline ust_u64 ust_kernel_load_or_0(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	ust_u64 v = ust_kernel_load(c, addr, size);

	return c->failed && ust_catch(c, 0) ? 0 : v;
}
/* Addresses in the kernel, by their distance from the function register_kprobe(), or from this
 * CPU's variable this_cpu_off. */
ust_u64 ust_kernel_data(ust_long distance);
ust_u64 ust_kernel_percpu(ust_long distance);
static inline ust_long ust_kderef1(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 1);
}
static inline ust_long ust_kderef2(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 2);
}
static inline ust_long ust_kderef4(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 4);
}
static inline ust_long ust_kderef8(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 8);
}
static inline ust_long ust_uderef1(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 1);
}
static inline ust_long ust_uderef2(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 2);
}
static inline ust_long ust_uderef4(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 4);
}
static inline ust_long ust_uderef8(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 8);
}
/* Store the low SIZE bytes of V at ADDR; the error "write fault" if not writable. */
void ust_store(struct ust_ctx *c, ust_u64 addr, ust_u32 size, ust_u64 v);
/* Bring in pages that a later ust_load or ust_user_string under locks will read; never fails.
 * ust_touch() returns the value of ust_load(), or 0, so that chains of pointers can be followed. */
ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
void ust_touch_string(struct ust_ctx *c, ust_u64 addr);
/* The difference between run-time addresses of MODULE in the probed process and those in its file.
 * Byte OFFSET of the file, which is mapped wherever the module is, has ADDR. Fails if the process
 * has not mapped it. */
ust_u64 ust_base(struct ust_ctx *c, ust_u32 module, ust_u64 offset, ust_u64 addr);
/* The thread pointer of the probed thread: its thread-local variables are below it. */
ust_u64 ust_thread_pointer(struct ust_ctx *c);
/* The return address in SLOT of the probed thread's stack, as the program's code left it. */
ust_u64 ust_caller(struct ust_ctx *c, ust_u64 slot);
/* Fail: the value passed by the call that returns to RET is unknown. */
enum ust_caller_lost { UST_CALLER_OTHER, UST_CALLER_SILENT };
void ust_caller_lost(struct ust_ctx *c, ust_u64 ret, enum ust_caller_lost why);
/* The probed thread's block for the module whose number is at address SLOT, and the address for the
 * TLS descriptor at SLOT. They fail if the thread has not allocated that block yet. */
ust_u64 ust_tls_module(struct ust_ctx *c, ust_u64 slot);
ust_u64 ust_tls_descriptor(struct ust_ctx *c, ust_u64 slot);
/* The bits of the double nearest to the x87 number with this fraction, and this sign and
 * exponent. */
ust_u64 ust_extended(ust_u64 fraction, ust_u64 top);
/* Half N & 1 of vector register N / 2 (xmm0 ...) of the probed thread, as at the hit. */
ust_u64 ust_vector(ust_u32 n);

/* --------------------------------------------------------- pretty-printing */

enum ust_shape_kind {
	UST_SHAPE_UNKNOWN,
	UST_SHAPE_NUMBER,
	UST_SHAPE_CHAR,
	UST_SHAPE_POINTER,
	UST_SHAPE_STRING,
	UST_SHAPE_CHARS,
	UST_SHAPE_STRUCT,
	UST_SHAPE_ARRAY,
	UST_SHAPE_FLOAT,
	UST_SHAPE_ENUM,
	UST_SHAPE_WORD, /* in hexadecimal, the result of an expression of a summary */
	/* described by a summary of the type, ust_shape.summary */
	UST_SHAPE_TEXT,
	UST_SHAPE_BARE_TEXT,
	UST_SHAPE_ITEMS,
	UST_SHAPE_LIST,
	UST_SHAPE_TREE,
	UST_SHAPE_BUCKETS,
	UST_SHAPE_BTREE,
	UST_SHAPE_OPTIONAL,
	UST_SHAPE_VARIANT,
	UST_SHAPE_VALUE,
	UST_SHAPE_ADDRESS,
	UST_SHAPE_DYNAMIC
};

struct ust_shape;
struct ust_member {
	const char *name;
	const struct ust_shape *shape;
	ust_u32 bit_off, bits; /* bits: 0 if not a bit-field */
};

struct ust_enumerator {
	const char *name;
	ust_long value;
};

/* The expressions of a summary use a stack of UST_OP_VALUES values. Operands are the address of the
 * object, the current node of a walk, and the numbers of the element and of the bucket. IF pops a
 * value and skips operations if it is 0, ELSE skips always. */
enum { UST_OP_VALUES = 8 };
enum ust_op_kind {
	UST_OP_CONST,
	UST_OP_OPERAND,
	UST_OP_DUP,
	UST_OP_IF,
	UST_OP_ELSE,
	UST_OP_END_IF,
	UST_OP_DEREF,
	UST_OP_EXT,
	UST_OP_BITS,
	UST_OP_NEG,
	UST_OP_NOT,
	UST_OP_ADD,
	UST_OP_SUB,
	UST_OP_MUL,
	UST_OP_DIV,
	UST_OP_MOD,
	UST_OP_AND,
	UST_OP_OR,
	UST_OP_XOR,
	UST_OP_SHL,
	UST_OP_SHR,
	UST_OP_SRA,
	UST_OP_EQ,
	UST_OP_NE,
	UST_OP_LT,
	UST_OP_LE,
	UST_OP_GT,
	UST_OP_GE
};
struct ust_op {
	unsigned char kind, size, bits, sign;
	ust_long a;
};
struct ust_ops {
	const struct ust_op *ops;
	ust_u32 n;
};
/* COUNT is also the index of a variant, RIGHT the next node of a list or bucket and a child in a
 * B-tree, LENGTH the number of elements of a node. */
enum ust_part {
	UST_PART_FIRST,
	UST_PART_COUNT,
	UST_PART_RIGHT,
	UST_PART_LEFT,
	UST_PART_PARENT,
	UST_PART_PRESENT,
	UST_PART_LENGTH,
	UST_PART_HEIGHT,
	UST_PART_KEY,
	UST_PART_VALUE,
	UST_PARTS
};
struct ust_summary {
	struct ust_ops parts[UST_PARTS];
	const struct ust_shape *key; /* of a map */
	const char *labels[2];       /* of an optional value: present, absent */
};

/* Type layout for `$var$'. Strings are char *, CHARS is char [count]. */
struct ust_shape {
	unsigned char kind, size, sign;
	unsigned char cut; /* parts are not printed */
	ust_long count;    /* elements of an array, members of a struct, names of an enum; -1:
			    * unknown */
	const struct ust_shape *elem;
	const struct ust_member *members;
	const struct ust_enumerator *names;
	const struct ust_summary *summary;
};
/* Print to O, a string: VALUE with type layout S or, by bit 0 of HOW, the object at address VALUE;
 * by bit 1 all memory is the kernel's. "ERROR" if memory cannot be read. */
void ust_pretty(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s, ust_u64 value,
		int how);
/* ust_pretty() for a value that is not in the program's memory. */
#define UST_WORDS(call, ...)                           \
	({                                             \
		const ust_u64 words[] = {__VA_ARGS__}; \
		call;                                  \
	})
void ust_pretty_here(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s,
		     const ust_u64 *words, ust_u32 nwords);

#include "ustap_builtins.h"

#endif
