/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The syntax tree of bodies and expressions; walking, copying and dumping it. */
#ifndef USTAP_PARSE_NODE_H
#define USTAP_PARSE_NODE_H

#include "base/diag.h"

struct access;
struct builtin;
struct func;
struct rx;
struct symbol;

enum type { T_UNKNOWN, T_LONG, T_STRING, T_STAT };

enum node_kind {
	/* expressions */
	N_NUM,
	N_STR,
	N_VAR,
	N_TARGET,
	N_INDEX,
	N_BINARY,
	N_LOGIC,
	N_UNARY,
	N_INCDEC,
	N_ASSIGN,
	N_COND,
	N_IN,
	N_CALL,
	N_PRINT,
	N_STATOP,
	N_DEFINED,
	N_ENTRY,
	N_PROBEWRITE,
	N_REGEX,
	N_EMBEDDED,
	N_ANY, /* `*` as a key of a slice */
	/* statements */
	N_BLOCK,
	N_EXPR,
	N_NULL,
	N_IF,
	N_WHILE,
	N_FOR,
	N_FOREACH,
	N_BREAK,
	N_CONTINUE,
	N_NEXT,
	N_RETURN,
	N_DELETE,
	N_SEND,
	N_TRY,
	N_KIND_COUNT
};

enum op { /* N_BINARY, N_UNARY, N_LOGIC, N_ASSIGN */
	  OP_ADD,
	  OP_SUB,
	  OP_MUL,
	  OP_DIV,
	  OP_MOD,
	  OP_SHL,
	  OP_SHR,
	  OP_USHR,
	  OP_AND,
	  OP_OR,
	  OP_XOR,
	  OP_CONCAT,
	  OP_EQ,
	  OP_NE,
	  OP_LT,
	  OP_LE,
	  OP_GT,
	  OP_GE,
	  OP_LAND,
	  OP_LOR, /* N_LOGIC */
	  OP_NEG,
	  OP_PLUS,
	  OP_NOT,
	  OP_COMPL, /* N_UNARY */
	  OP_SET,
	  OP_STAT, /* N_ASSIGN: `=`, `<<<`; `+=` is OP_ADD etc. */
	  OP_COUNT
};
extern const char *const op_text[OP_COUNT];

enum statop {
	ST_COUNT,
	ST_SUM,
	ST_MIN,
	ST_MAX,
	ST_AVG,
	ST_VARIANCE,
	ST_PERCENTILE,
	ST_HIST_LOG,
	ST_HIST_LINEAR,
	ST_NOPS
};
/* A percentile's number: parts of one percent, as UST_PERCENT. */
enum { PERCENT_PARTS = 100000, PERCENT_DECIMALS = 5, MEDIAN_PERCENT = 50 * PERCENT_PARTS };
/* Uses of a histogram: all of it, one bucket (an error, or 0, if the statistic is empty), the
 * number of buckets. */
enum hist_use { HIST_WHOLE, HIST_BUCKET, HIST_TURN, HIST_SIZE };
enum print_kind { /* bit set */
		  PR_LN = 1,
		  PR_D = 2,
		  PR_F = 4,
		  PR_TO_STRING = 8
};

/* One piece of a printf format: literal text or one conversion. */
struct fmt_piece {
	const char *lit;
	size_t litlen; /* lit != NULL: literal text */
	char conv;     /* d i u o x X p s c b m M */
	bool alt, zero, plus, space, minus;
	int width, prec; /* -1: none, -2: `*` (an argument) */
	int size;        /* bytes for %Nb; 0: default */
	struct loc loc;
};

/* One step of a target variable's access path: ->name  [index]  */
struct target_comp {
	enum { TC_MEMBER, TC_INDEX } kind;
	const char *name;
	struct node *index;
	struct loc loc;
	bool computed; /* its index is one of the access's, whatever it is folded to since */
};

/* Uses of a target variable by functions of summaries: std_string($s), len($v). */
enum summary_use { USE_NONE, USE_TEXT, USE_LENGTH };

/* Starts of a target variable's path: $name, @var(), @cast(), a value of the script whose type
 * is known; and starts without a path: @enum(), @const() and @uregister(). */
enum target_start {
	TS_NAME,
	TS_VAR,
	TS_CAST,
	TS_POINTER,
	TS_ENUM,
	TS_CONST,
	TS_REGISTER,
	TS_GIVEN /* by a family in probe/ */
};

struct node {
	enum node_kind kind;
	enum type type; /* set by types.c only (literals too) */
	struct loc loc; /* set by the parser only */
	/* set by resolve.c only: N_VAR, N_INDEX, N_IN, N_FOREACH array, N_DELETE via its operand */
	struct symbol *sym;
	struct node *next; /* next in a statement or argument list */
	unsigned depth;    /* operators in a row below it; parser only */
	bool elided;       /* the rest of an assignment that elide.c removed */
	bool no_value; /* a call or print that is used as 0 or ""; types.c; a `return;`; resolve.c
			*/
	union {
		int64_t num; /* N_NUM */
		struct {
			const char *s;
			size_t len;
			const uint32_t *pos;
			bool whole;
		} str; /* N_STR, escapes done; pos: where each byte stands; whole: printed as it is
			*/
		struct {
			const char *name;
		} var;   /* N_VAR N_PROBEWRITE */
		struct { /* N_TARGET: $name->a[i]$$ */
			enum target_start start;
			const char *name; /* with its $ or $$; others as messages show them */
			/* names of TS_VAR and TS_CAST; module: NULL if not given */
			const char *text, *module;
			struct node *value; /* of the pointer: TS_CAST, TS_POINTER */
			struct target_comp *comps;
			size_t ncomps;
			bool addrof; /* &$x->y */
			int pretty;  /* trailing $: 1, $$: 2 */
			/* the argument of a summary's function; target_vars.c */
			enum summary_use use;
			int reg;                    /* TS_REGISTER: its DWARF number */
			const struct access *given; /* TS_GIVEN: how to read it */
			bool written;               /* it is assigned to; resolve.c */
			int access; /* set by target_vars.c: index in probe->accesses, else -1 */
		} target;
		struct {
			const char *name;
			struct node *keys;
		} index; /* N_INDEX: a[k1, k2] */
		struct {
			enum op op;
			struct node *l, *r;
		} bin; /* N_BINARY N_LOGIC N_ASSIGN */
		struct {
			enum op op;
			struct node *e;
		} un; /* N_UNARY */
		struct {
			struct node *e;
			int delta;
			bool post;
		} inc; /* N_INCDEC: delta +1 / -1 */
		struct {
			struct node *c, *t, *f;
		} cond; /* N_COND; also N_IF (t, f statements) */
		struct {
			struct node *keys;
			const char *array;
		} in; /* N_IN */
		struct {
			const char *name;
			struct node *args;
			size_t nargs;
			bool trusted; /* the tapset library or the compiler wrote the name */
			struct func *func;
			const struct builtin *builtin;
		} call; /* one of the last two set by resolve.c */
		struct {
			unsigned kind;
			struct fmt_piece *fmt;
			size_t nfmt;
			struct node *args;
			struct symbol *shows;
			bool source;
			bool one_line; /* the histogram, as bars of one line */
		} print; /* N_PRINT; delimiter of printd is fmt[0].lit; shows: the global that
			    display.c shows; source: it prints the text of the script */
		struct {
			enum statop op;
			enum hist_use use;
			struct node *e, *index;
			int64_t num[3];
		} stat; /* N_STATOP: @count(e), @variance(e, num[0]), @percentile(e, num[0] /
			   PERCENT_PARTS), @hist_linear(e, num[0..2])[index] */
		struct {
			struct node *e;
		} defined; /* N_DEFINED; folded to N_NUM by target_vars.c */
		struct {
			struct node *e;
		} entry; /* N_ENTRY: @entry(e); becomes N_VAR in entry_values.c */
		struct {
			bool refused;
		} next_stmt; /* N_NEXT: because of the probe's condition */
		struct {
			struct node *e;
			bool negated;
			const char *s;
			size_t len;
			struct loc loc;
			struct rx *re;
			int ngroups;
		} regex; /* N_REGEX: e =~ "s" */
		struct {
			const char *text;
			struct node *uses; /* N_EMBEDDED: C; uses: N_VAR, and N_ASSIGN of what */
			bool string, pure, guru, unprivileged;
		} embedded; /* is written, for the passes to see */
		struct {
			struct node *body;
		} block; /* N_BLOCK: list by next */
		struct {
			struct node *e;
			bool resets; /* N_DELETE of --monitor: to its initial value */
		} expr; /* N_EXPR N_RETURN (e may be NULL) N_DELETE; N_SEND of --merge: write
			   records of a global */
		struct {
			struct node *init, *cond, *step, *body;
		} loop;                     /* N_WHILE (init, step NULL) N_FOR */
		struct {                    /* N_FOREACH */
			struct node *keys;  /* N_VAR list */
			struct node *value; /* N_VAR or NULL */
			const char *array;
			struct node *hist;   /* instead of an array; gram_foreach.c only */
			struct node *slice;  /* keys in brackets behind it, or NULL */
			struct node *limit;  /* or NULL */
			int sort_col;        /* -1 unsorted, 0 value, 1.. key number */
			int sort_dir;        /* +1 ascending, -1 descending */
			enum statop sort_op; /* of a statistic's value; ST_COUNT by default */
			int64_t percent;     /* of ST_PERCENTILE, in PERCENT_PARTS */
			struct node *body;
			int order; /* set by locks.c: number of this sorted loop on its array */
		} each;
		struct {
			struct node *body, *handler;
			struct node *var;
		} try_; /* N_TRY: var is N_VAR or NULL */
	};
};

/* A node in the arena, zeroed except for fields whose "none" is -1. */
struct node *node_new(enum node_kind kind, struct loc loc);
/* Walk N and everything below it (not N->next): pre before, post after the
 * children; either may be NULL.  Returning false from pre skips the children. */
void node_walk(struct node *n, bool (*pre)(struct node *, void *),
	       void (*post)(struct node *, void *), void *arg);
/* Deep copy; symbols found in MAP (pairs old, new) are replaced. */
struct symmap {
	struct symbol *from, *to;
};
/* Copies N and its ->next; the copy is in the arena. */
struct node *node_clone(const struct node *n, const struct symmap *map, size_t nmap);
/* S-expression, one statement a line */
void node_dump(struct strbuf *out, const struct node *n, int indent);
/* The name of T in scripts and messages: "long", "string", "stats", "unknown". A constant. */
const char *type_name(enum type t);

#endif
