/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: contexts, parts of the output, arithmetic and strings. */
#ifndef USTAP_USTAP_CONTEXT_H
#define USTAP_USTAP_CONTEXT_H

#include "ustap_program.h"
#include "ustap_types.h"

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

/* --max-overhead: run the handler, or count the hit as skipped. */
void ust_limited(struct ust_hit *hit, ust_handler run);
/* Handler of a timer of programs with max_overhead: compare the cycles of handlers with it. */
void ust_overhead_control(struct ust_hit *hit);

/* Set the value of a condition, under the locks of the globals that it reads. After ust_leave() the
 * sites of a gate that was opened are armed before the probed thread continues. */
void ust_gate_turn(struct ust_gate *g, _Bool on);
/* ust_gate_turn() if the value is another; the fast path of every handler that writes the globals.
 */
static inline void ust_gate_set(struct ust_gate *g, _Bool on)
{
	if (ust_unlikely(*(volatile ust_u32 *)&g->on != on))
		ust_gate_turn(g, on);
}
/* Arm the sites of gates that were opened. After ust_leave(), without locks; in the probed thread
 * this waits for the loader. */
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
/* Free FRAME, the last one from ust_frame_push(), and all after it. */
static inline void ust_frame_pop(struct ust_ctx *c, void *frame) { c->frame = (char *)frame; }
/* Entry of a script function: counts nesting, fails over MAXNESTING. */
_Bool ust_call(struct ust_ctx *c);
/* Return from a script function for which ust_call() was true. */
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
/* Print the warning TEXT on standard error, in a record of its own. */
void ust_warn(struct ust_ctx *c, const char *text);
/* exit(): end the script after this handler; end probes still run. Any context. */
void ust_exit(struct ust_ctx *c);
void ust_abort(struct ust_ctx *c); /* ends the script with an error that is neither caught nor
				    * reported */
/* For embedded C: C's printf without floating point, and an error at the call of its function. */
void ust_printf(struct ust_ctx *c, const char *fmt, ...);
/* As ust_printf() formats; sets the error of the handler. */
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
/* The next argument of the print statement: an integer, a string, or a histogram with COUNTS for
 * each bucket (ust_print_long(), ust_print_string(), ust_print_hist()). */
void ust_print_long(struct ust_ctx *c, ust_long v);
void ust_print_string(struct ust_ctx *c, const char *s);
void ust_print_hist(struct ust_ctx *c, struct ust_gvar *g, const ust_long *counts);
/* After the arguments the text follows; ust_print_end() ends the statement. */
void ust_print_text(struct ust_ctx *c);
void ust_print_end(struct ust_ctx *c);
/* The next statement is indented by DELTA more. */
void ust_trace_indent(struct ust_ctx *c, ust_long delta);
/* A span NAME of the current thread begins or ends: ust_span_begin(), ust_span_end(). */
void ust_span_begin(struct ust_ctx *c, const char *name);
void ust_span_end(struct ust_ctx *c, const char *name);
/* Attributes of its innermost span: ust_span_attribute(), ust_span_number(). */
void ust_span_attribute(struct ust_ctx *c, const char *key, const char *value);
void ust_span_number(struct ust_ctx *c, const char *key, ust_long value);
/* The innermost span has failed. */
void ust_span_error(struct ust_ctx *c, const char *message);
/* The stack as names from the outermost frame inwards, and replacement of ubacktrace() and similar
 * with --output=folded. */
const char *ust_folded(struct ust_ctx *c, char *dst);
/* The same for STACK, addresses as ubacktrace() returns them. */
const char *ust_folded_stack(struct ust_ctx *c, char *dst, const char *stack);
/* BUF: buffer of a string. */
void ust_print_folded(struct ust_ctx *c, char *buf);
/* The same for STACK. */
void ust_print_folded_stack(struct ust_ctx *c, char *buf, const char *stack);

/* ------------------------------------------------------------- arithmetic */

/* Wraps; INT64_MIN / -1 is INT64_MIN, INT64_MIN % -1 is 0; division by zero fails. */
ust_long ust_div(struct ust_ctx *c, ust_long a, ust_long b);
/* The remainder, with the sign of A. */
ust_long ust_mod(struct ust_ctx *c, ust_long a, ust_long b);
/* ust_add(), ust_sub(), ust_mul(): the result modulo 2^64, as signed. */
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
/* Shifts by N modulo 64; ust_shr() shifts in the sign, ust_ushr() zeros. */
static inline ust_long ust_shl(ust_long a, ust_long n)
{
	return (ust_long)((ust_u64)a << (n & 63));
}
static inline ust_long ust_shr(ust_long a, ust_long n) { return a >> (n & 63); }
static inline ust_long ust_ushr(ust_long a, ust_long n)
{
	return (ust_long)((ust_u64)a >> (n & 63));
}

/* ---------------------------------------------------------------- strings */

/* All cut at maxstringlen - 1 bytes. DST may equal SRC. */
void ust_strcpy(char *dst, const char *src);
void ust_strcat(char *dst, const char *src); /* dst .= src */
/* <0, 0 or >0 as A is less than, equal to or greater than B, by bytes. */
int ust_strcmp(const char *a, const char *b);

#endif
