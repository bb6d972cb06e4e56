/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of the emitter.  Expressions become C text: what must be
 * done before (calls that can fail, side effects) is written out as
 * statements, the rest is a `struct val` that its user puts into its own text.
 *
 *   emit.c         the program: globals, tables, order of functions
 *   emit_unit.c    functions and handlers
 *   emit_frame.c   what they keep in the context's memory
 *   frame_depth.c  memory that their calls need
 *   emit_stmt.c    statements
 *   emit_line.c    lines of C
 *   emit_value.c   values: what they read, temporaries
 *   emit_expr.c    operators, variables
 *   emit_call.c    calls
 *   emit_stat.c    operators on statistics
 *   emit_assign.c  everything that changes a variable
 *   emit_print.c   the printf family
 *   emit_regex.c   regular expressions
 *   emit_embedded.c   embedded C
 *   emit_target.c  target variables, by access_machine.c
 *   emit_touch.c   memory that is touched before locks are taken
 *   emit_store.c   assigning to them
 *   emit_pretty.c  their pretty-printing
 *   emit_gate.c    conditions of probes; emit_gate_use.c: their use in handlers and tables
 *   emit_count.c   handlers that are counted
 *   emit_record.c  output in parts
 */
#ifndef EMIT_H
#define EMIT_H

#include "sema/builtin.h"
#include "ctext.h"
#include "session.h"

/* Formats of C text are literals. */
#pragma GCC diagnostic error "-Wformat"
#pragma GCC diagnostic error "-Wformat-nonliteral"

typedef VEC(struct symbol *) symbol_vec;

/* A value as C text without side effects. */
struct val {
	struct ctext c;
	bool atom;        /* needs no parentheses as an operand */
	bool truth;       /* 0 or 1, of a C truth type */
	bool choice;      /* a ?: */
	bool bits;        /* & or | */
	bool temps;       /* mentions C variables made for it */
	bool now;         /* may be something else later: to be evaluated before other code runs */
	symbol_vec reads; /* variables that the text reads */
};

struct label {
	struct ctext name;
	int uses;
};

/* A function's frame: its own bytes; KNOWN: those that a call of it needs, with what it calls.
 * STACK: bytes of C variables with what it calls; DEEP: the bytes are not known. */
struct frame {
	const struct func *func;
	size_t bytes, depth, stack;
	bool known, deep;
};

/* A statistic that the current statement has read. */
struct stat_read {
	const struct node *e;
	struct ctext name;
};

/* Target memory that was read before on the way to here, and where its value is. */
struct loaded {
	struct ctext text, name;
	bool is_signed;
};

/* A place that run-time errors name. */
struct where {
	const char *token, *kind, *pos;
	const char *caller; /* of a call of a script function: the caller; else NULL */
};

/* Members of a frame that the statements of a unit share: iterators, statistics, output to strings,
 * integers, pointers, strings. */
enum slot_kind { SLOT_ITER, SLOT_STAT, SLOT_OUT, SLOT_LONG, SLOT_POINTER, SLOT_STRING, NSLOTS };

/* Members in use by the current statement, the most that any uses, and those of loops around. */
struct slots {
	int used, most, held;
};
struct held_slots {
	int n[NSLOTS], temps;
};

/* The function or handler that is being written. */
struct unit {
	struct ctext name;
	struct func *func; /* one of these */
	struct probe *probe;
	bool has_ctx;
	bool writes_target; /* some target variable is assigned to */
	bool count_all;     /* report every statement to ust_action() */
	symbol_vec read;    /* locals that something reads */
	symbol_vec framed;  /* locals in the frame */
	int nlongs, nptrs, nlabels, nlocals;
	struct slots slots[NSLOTS]; /* members of the frame */
	int temps, held_temps; /* C variables of this statement; of them, those of loops around */
	int most_temps, most_loads;
	unsigned buckets;               /* of the largest histogram that is printed */
	struct label out, *fail, *step; /* end; where errors go; a loop's step */
	int tries;                      /* try blocks around */
	const struct source *src;       /* line last shown in a comment */
	unsigned line;
	VEC(struct stat_read) stats;
	VEC(struct loaded) loads;
};

struct emit {
	struct session *s;
	struct cbuf specs, shapes, text; /* struct ust_spec; struct ust_shape; functions */
	struct smap names, spec_names, shape_names, where_names;
	VEC(struct where) wheres;
	VEC(struct frame) frames;
	VEC(const struct probe *) deep;    /* whose handlers need much stack */
	VEC(const struct probe *) wide;    /* ... and more than Go keeps free */
	VEC(const struct probe *) walking; /* ... need it for some stacks that they walk */
	size_t frame_max;
	VEC(struct module *)
	bases;              /* modules that are asked where they are; the first ones of the table */
	struct smap pairs;  /* functions that are probed on both sides; emit_record.c */
	int ncodes;         /* pieces of embedded C in expressions */
	bool keeps_matches; /* the script asks what =~ matched */
	bool asks_names;    /* it calls pn() */
	bool keeps_tokens;  /* it calls tokenize() */
	bool records_calls, keeps_window; /* it records calls; windows of them */
	bool uses_system, switches_files; /* ... system(), switch_file() */
	size_t match_spans, nunwinders;   /* for struct ust_program */
	struct cbuf *out;                 /* where code goes now */
	int indent;
	int where;        /* value of c->where here, -1 unknown */
	struct ctext dst; /* where the value of dst_node goes if it needs a variable; "": nowhere */
	const struct node *dst_node;
	struct unit u;
};

/* ---------------------------------------------------------------- emit.c */

/* Probes of kind never are checked like all others, but end here. */
static inline bool is_run(const struct probe *p) { return p->kind->has_sites || p->kind->rt; }

/* ---------------------------------------------------------- emit_count.c */

struct ctext handler_name(const struct emit *e, const struct probe *p); /* as tables name it */
/* True if tables name a function around P's handler. */
bool is_wrapped(const struct emit *e, const struct probe *p);
/* The function around P's handler that counts its hits (ust_counted()), if P needs one. */
void emit_count_wrapper(struct emit *e, const struct probe *p);
void emit_limit_wrapper(struct emit *e, const struct probe *p); /* the same for --max-overhead */
void emit_refused(struct emit *e); /* the hit does not count, as the probe's condition is false */
struct ctext counting_flags(const struct emit *e); /* of struct ust_program */
/* Write `origins', the text by which statistics name each site, in the order of the tables. False:
 * hits are not counted. */
bool write_origins(const struct emit *e, struct cbuf *out);

/* ------------------------------------------------------- emit_overhead.c */

/* True if additions to statistics have a weight, which is hit_weight(). */
bool is_weighted(const struct emit *e);
struct ctext hit_weight(const struct emit *e);
/* VALUE, which is added to the number SYM, multiplied by the weight if SYM is a count. */
struct ctext scaled(const struct emit *e, const struct symbol *sym, struct ctext value);
size_t overhead_gates(const struct emit *e); /* gates of sites, after those of conditions */
/* Append the timer of the limit to ROWS, the table of N probes. */
void write_overhead_timer(const struct emit *e, struct cbuf *rows, size_t *n);
/* Write `groups'; false: the program has no limit. */
bool write_overhead(const struct emit *e, struct cbuf *out);

/* ----------------------------------------------------------- emit_name.c */

bool write_names(const struct emit *e, struct cbuf *out); /* `names'; false if not needed */

/* ----------------------------------------------------------- emit_gate.c */

void emit_gates(struct emit *e); /* before the handlers */

/* ------------------------------------------------------- emit_gate_use.c */

struct ctext gate_ref(const struct gate *g); /* its address in the table */
/* True if a handler of P may change whether another probe's condition holds. */
bool turns_gates(const struct probe *p);
/* at the end of P's handler, under its locks */
void emit_turns(struct emit *e, const struct probe *p);
void emit_gate_closes(struct emit *e, const struct probe *p);    /* P's condition does not hold */
size_t gates_frame(const struct emit *e, const struct probe *p); /* bytes that emit_turns() needs */
/* The gate of P as an initialiser in the table of sites: its address, "0" without one. */
struct ctext gate_of_table(const struct probe *p);
/* The gate of P's site, which is NUMBER in the table of sites; as gate_of_table(). */
struct ctext gate_of_site(const struct emit *e, const struct probe *p, size_t number);

/* ----------------------------------------------------------- emit_unit.c */

/* Emit the function F as a C function to e->text; emit_handler(): the handler of P. After an
 * error, which is reported, the text is not used. */
void emit_function(struct emit *e, struct func *f);
void emit_handler(struct emit *e, struct probe *p);
/* Declaration of F without ";". */
struct ctext function_prototype(const struct func *f);

/* ---------------------------------------------------------- emit_frame.c */

/* A member of the frame that no other part of the current statement uses. */
struct ctext frame_slot(struct emit *e, enum slot_kind kind);
/* Before each statement: what other statements used
 * is free again, unless a loop around holds it. */
void slots_release(struct emit *e);
/* Around a loop's body: keep the slots that are in use. */
struct held_slots slots_hold(struct emit *e);
/* End of what slots_hold() began: BEFORE is its result. */
void slots_unhold(struct emit *e, const struct held_slots *before);
/* A new integer or pointer: a C variable, or a member of the frame where the statement has many. */
struct ctext new_long(struct emit *e);
/* The new variable's name begins with PREFIX. */
struct ctext new_pointer(struct emit *e, struct ctext prefix);
/* The member of the frame that a variable of this name is; .at is NULL for other
 * variables. */
struct ctext frame_member(struct ctext name);
/* Set the new variable NAME, which TYPE declares if it is a C variable. */
void set_new(struct emit *e, struct ctext type, struct ctext name, struct ctext value);
bool too_many_locals(size_t n); /* to be C variables */
/* Decide where the local SYM lives, once for each: true: in the frame. Strings always, integers if
 * the function has too many for the C stack. */
bool local_in_frame(struct emit *e, const struct symbol *sym);
/* True if the function being emitted has used a member of the frame. */
bool has_frame(const struct emit *e);
/* Size of its frame in bytes, a multiple of 16 as ust_frame_push() counts. */
size_t frame_bytes(const struct emit *e);
/* Declare `f', a pointer to the frame's struct, when all of its members are known. */
void declare_frame(struct emit *e);
/* Take the frame from the context's memory at run time, if there is one; go to FAILED if that is
 * full. */
void push_frame(struct emit *e, struct label *failed);
/* Bytes of stack of the C function that is being written, without those that it calls. */
size_t frame_own_bytes(const struct emit *e);

/* --------------------------------------------------------- frame_depth.c */

/* A handler with BODY has a frame of BYTES of its own. */
void note_frames(struct emit *e, size_t bytes, struct node *body);
/* After the body of a function, and after that of a handler: note what they need. */
void note_function(struct emit *e, const struct func *f, size_t bytes);
/* Record that P's handler needs more stack than a probe site may have (deep or recursive calls,
 * unwinding, gates): UST_SITE_DEEP. */
void note_handler(struct emit *e, const struct probe *p);
/* True if P's handler needs a stack of the runtime; P may be NULL. */
bool is_deep(const struct emit *e, const struct probe *p);
/* True if P's handler, and what the runtime calls for it before it may change stacks, fit into ROOM
 * bytes of the probed thread's stack, see function_stack_room(); P may be NULL. */
bool handler_fits(const struct emit *e, const struct probe *p, size_t room);
/* True if the handler P walks stacks and needs much stack only where a stack map does not suffice.
 */
bool is_walking(const struct emit *e, const struct probe *p);

/* ----------------------------------------------------------- emit_stmt.c */

/* Emit N, without N->next, to e->out. */
void emit_statement(struct emit *e, struct node *n);
/* Statements that run one after another, loops' bodies apart. */
unsigned count_statements(const struct node *n);
/* COUNT statements, of which FIRST is the first, are about to run. */
void action(struct emit *e, const struct node *first, unsigned count);

/* ----------------------------------------------------------- emit_line.c */

/* An identifier of C that the program does not have yet: PREFIX and NAME, letters that C does not
 * allow replaced, "_2" and so on if it is taken. */
struct ctext unique_name(struct emit *e, const char *prefix, const char *name);
/* One line of code, formatted as ctext() does. */
#define line(e, ...) put_line(e, ctext(__VA_ARGS__))
/* Write TEXT as a line, indented. */
void put_line(struct emit *e, struct ctext text);
/* A run-time error in what is written next names the token at LOC. */
void set_where(struct emit *e, struct loc loc);
unsigned where_of(struct emit *e, struct loc loc); /* the index of LOC in the table of locations */
/* The same of a call of a script function. */
void set_where_call(struct emit *e, struct loc loc);
void set_where_op(struct emit *e, const struct node *n); /* operator of a binary node */
/* Emit a jump to TO if COND holds, which is marked unlikely. */
void jump_if(struct emit *e, struct ctext cond, struct label *to);

/* ---------------------------------------------------------- emit_value.c */

struct val val_text(struct ctext text, bool atom); /* reads nothing */
struct val temporary(struct ctext name);           /* a variable of the C code */
/* V depends on all that FROM depends on. */
void reads_add(struct val *v, const struct val *from);
/* True if the text of V reads the variable SYM, so that an assignment to SYM changes it. */
bool reads_symbol(const struct val *v, const struct symbol *sym);
struct ctext operand(const struct val *v);    /* in parentheses if need be */
struct ctext truth_text(const struct val *v); /* as a condition */
/* A string buffer of MAXSTRINGLEN bytes in the frame, free again after the statement. */
struct ctext new_buffer(struct emit *e);
/* The access of the target variable N. */
const struct access *target_access(const struct emit *e, const struct node *n);
/* Copy V to a temporary. */
struct val spill(struct emit *e, struct val v, enum type type);
/* V, made to survive the evaluation of LATER and its ->next. */
struct val settle(struct emit *e, struct val v, enum type type, struct node *later);
/* The value of TEXT in a temporary, since code that follows may change it. */
struct val call_long(struct emit *e, const struct node *n, struct ctext text);
/* As call_long(), for a string: the pointer in a variable, not a copy. */
struct val call_string(struct emit *e, struct ctext text);
/* The same for calls that can fail, followed by the check. */
struct val call_long_checked(struct emit *e, const struct node *n, struct ctext text);
/* As call_long_checked(), for a string. */
struct val call_string_checked(struct emit *e, struct ctext text);

/* True if the value of SYM is ever used; an unused local's value is evaluated for its effects
 * only. */
bool is_read(const struct emit *e, const struct symbol *sym);
/* Does N mention SYM, itself or through functions? */
bool mentions(struct node *n, const struct symbol *sym);
/* Does calling F change what V reads? */
bool call_changes(struct func *f, const struct val *v);
/* A builtin whose value is another at every moment. */
bool is_clock(const struct builtin *b);

/* ----------------------------------------------------------- emit_expr.c */

/* The value of N; statements that must run before it go to e->out. */
struct val expr(struct emit *e, struct node *n);
/* A string literal as C, with a warning where it is longer than a string may be. */
struct ctext emit_literal(const struct emit *e, const struct node *n);
/* The value of N, with the statements that must run before it in CODE, for operands that are
 * evaluated conditionally. */
struct val expr_separate(struct emit *e, struct node *n, struct cbuf *code);
/* see emit.dst; may also return other text */
struct val expr_to(struct emit *e, struct node *n, struct ctext dst);
void discard(struct emit *e, struct node *n); /* for its effects only */
/* Values of a list, evaluated from left to right and before LATER. */
struct val *operands(struct emit *e, struct node *list, struct node *later);
/* Keys of an element of SYM: initialisers of an array of union ust_key. */
struct val element_keys(struct emit *e, struct symbol *sym, struct node *keys, struct node *later);
/* CALL, which names its keys `key`, with KEYS. */
struct ctext keyed(const struct val *keys, struct ctext call);
/* Which of KEYS are `*`: bit 0 for the first. */
unsigned any_keys(const struct node *keys);
/* The text that reads the scalar variable SYM. */
struct val var_value(struct emit *e, struct symbol *sym);
/* L OP R of integers, wrapping. AT: the operator, which an error at run time names (division by
 * zero); RNODE: the right operand, as a constant needs no check. */
struct val arith(struct emit *e, const struct node *at, enum op op, struct val l, struct val r,
		 const struct node *rnode);
/* Put the string N into buffer DST, which belongs to SYM, or to no variable if SYM is NULL. */
void string_into(struct emit *e, struct node *n, struct ctext dst, struct symbol *sym);

/* ----------------------------------------------------------- emit_call.c */

/* A call; a string goes to DST if that is not NULL.  The value is text only if USED. */
struct val emit_call(struct emit *e, struct node *n, struct ctext dst, bool used);

/* ----------------------------------------------------------- emit_stat.c */

/* The value of an @operator on a statistic; @variance and empty statistics can fail. */
struct val emit_statistic(struct emit *e, struct node *n);
/* Read all of the histogram N, which is printed AT; gives the arguments of ust_put_hist() behind
 * the first. */
struct ctext emit_hist_counts(struct emit *e, struct node *n, struct loc at);

/* --------------------------------------------------------- emit_assign.c */

/* The value is text only if USED. */
struct val emit_assign(struct emit *e, struct node *n, bool used);
/* True if the assignment N adds to the statistic of an element with one integer as its key, which
 * can be done without a context. */
bool adds_to_integer_key(const struct emit *e, const struct node *n);
/* ++ and -- of a variable, element or target variable. The value is text only if USED. */
struct val emit_incdec(struct emit *e, struct node *n, bool used);
/* delete of a variable, an element, elements by `*', or a whole array. */
void emit_delete(struct emit *e, struct node *n);
/* Set the number or string SYM to its initial value. */
void emit_reset(struct emit *e, const struct symbol *sym);

/* ---------------------------------------------------------- emit_print.c */

/* Print to the output (DST NULL), or to the string DST. */
void emit_print(struct emit *e, struct node *n, struct ctext dst);

/* -------------------------------------------------------- emit_record.c */

/* True if output is in records (--format other than text), which carry what was printed. */
bool records_on(const struct emit *e);
/* Around what the print statement N puts out.  VALS of its arguments may be made variables. */
void emit_print_begin(struct emit *e, const struct node *n, struct val *vals);
/* Begin the record of the print of a histogram, if records are on. */
void emit_hist_begin(struct emit *e, const struct node *n);
/* End the record. */
void emit_print_end(struct emit *e);
/* Around the call N of a builtin.  True if TEXT, the call, was written. */
void emit_call_begin(struct emit *e, const struct node *n);
/* End the record of a call that prints. TEXT is the call, which then is written here; true if so.
 */
bool emit_call_end(struct emit *e, const struct node *n, struct ctext text);
/* The C function of B; with --format=folded, backtraces are names separated by ";". */
struct ctext builtin_cname(const struct emit *e, const struct builtin *b);
/* True if the C function of B takes a buffer although it returns no string. */
bool wants_buffer(const struct emit *e, const struct builtin *b);
/* True if the call of B can be left out: indentation in other formats than trace. */
bool is_no_call(const struct emit *e, const struct builtin *b);
/* Functions that are printed of where they are entered and where they return. */
void pairs_find(struct emit *e);
/* True if both the entry and the return of the function of S are printed, see pairs_find(). */
bool site_is_paired(const struct emit *e, const struct site *s);

/* --------------------------------------------------------- emit_pretty.c */

/* $var$, where VALUE is what the access A has found. */
struct val emit_pretty(struct emit *e, const struct node *n, const struct access *a,
		       struct ctext value);
/* ---------------------------------------------------------- emit_regex.c */

/* Set e->keeps_matches if the script calls functions on groups of a match. */
void note_matches(struct emit *e);
/* The value of N, =~ or !~: 1 or 0. */
struct val emit_regex(struct emit *e, struct node *n);

/* ---------------------------------------------------------- emit_store.c */

/* `$x op= e', `$x++'; the value is text. */
struct val emit_target_assign(struct emit *e, struct node *n);
/* ++ and -- of a target variable (guru mode). */
struct val emit_target_step(struct emit *e, struct node *n);
/* True if BODY assigns to a target variable. */
bool writes_target(struct node *body);

/* -------------------------------------------------------- emit_embedded.c */

/* The value of embedded C in an expression: the call of a function made of it. */
struct val emit_embedded(struct emit *e, struct node *n);
/* The function F whose body is embedded C, to e->text. */
void emit_embedded_function(struct emit *e, struct func *f);
/* Embedded C at the top of the script, and the header that it needs; nothing without embedded C. */
void emit_embedded_top(struct emit *e, struct cbuf *out);

/* --------------------------------------------------------- emit_target.c */

/* The value of the target variable N; after an error was reported "0". */
struct val emit_target(struct emit *e, struct node *n);
/* The unsigned result of the first NOPS operations of N's access. */
struct ctext emit_target_ops(struct emit *e, struct node *n, size_t nops);
/* True if reading by A can end in a run-time error. */
bool target_can_fail(const struct access *a);
/* True if the operation OP can: loads from memory, divisions, thread-local storage. */
bool op_can_fail(const struct aop *op);

/* ---------------------------------------------------------- emit_touch.c */

void emit_touches(struct emit *e, struct node *body); /* before the locks are taken */

#endif
