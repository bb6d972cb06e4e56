/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every internal type and function of the translator, one section per file
 * that owns it.  Dependencies point one way:
 *
 *   util <- diag <- node <- passes -> {probe, builtin} -> dwarf -> arch
 *   emit -> backend
 *
 * All memory comes from one arena that lives as long as the compile (util.c);
 * nothing here is ever freed by a pass.
 */
#ifndef USTAP_H
#define USTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "emit/ctext.h"

/* ------------------------------------------------------------------ util.c */

#if defined(__GNUC__)
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF(f, a)
#endif
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void *xalloc(size_t size); /* zeroed; exits on no memory */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xprintf(const char *fmt, ...) PRINTF(1, 2);
char *xvprintf(const char *fmt, va_list ap) PRINTF(1, 0);
/* S with control characters other than newlines and tabs written as \xNN: names come from files
 * that others made, and a terminal obeys what it is sent. */
const char *printable(const char *s);
void arena_free_all(void); /* at exit, or between compiles */
/* For variables that outlive a function and point into the arena: zeroed with it. */
#define ARENA_STATE __attribute__((section("arena_state")))

/* A growable array in the arena: VEC(int) v = {0}; vec_push(&v, 3); v.v[0]. */
#define VEC(T)                 \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}
void *vec_grow_(void *v, size_t *cap, size_t elem);
#define vec_push(a, x)                                                         \
	do {                                                                   \
		if ((a)->n == (a)->cap)                                        \
			(a)->v = vec_grow_((a)->v, &(a)->cap, sizeof *(a)->v); \
		(a)->v[(a)->n++] = (x);                                        \
	} while (0)

/* The same for what may have millions of elements: those move without a copy, so nobody may point
 * to them yet. */
void *vec_grow_large_(void *v, size_t *cap, size_t elem);
#define vec_push_large(a, x)                                                         \
	do {                                                                         \
		if ((a)->n == (a)->cap)                                              \
			(a)->v = vec_grow_large_((a)->v, &(a)->cap, sizeof *(a)->v); \
		(a)->v[(a)->n++] = (x);                                              \
	} while (0)

typedef VEC(const char *) text_vec;

struct strbuf {
	char *s;
	size_t n, cap;
}; /* s is always NUL-terminated once written */
void sb_add(struct strbuf *sb, const char *s);
void sb_addn(struct strbuf *sb, const char *s, size_t n);
void sb_printf(struct strbuf *sb, const char *fmt, ...) PRINTF(2, 3);

/* String-keyed hash table; iteration is in order of insertion. */
struct smap {
	VEC(struct smap_ent {
		const char *key;
		void *val;
	})
	ents;
	uint32_t *slots;
	size_t nslots;
};
void *smap_get(const struct smap *m, const char *key);
void smap_put(struct smap *m, const char *key, void *val);

bool glob_match(const char *pattern, const char *s); /* * ? [..] ; whole string */
bool is_glob(const char *s);
/* The candidate nearest to NAME by edit distance, or NULL if none is near. */
const char *nearest(const char *name, const char *const *cand, size_t n);
char *read_file(const char *path, size_t *len); /* a regular file; NULL and errno on failure */
char *read_first_line(const char *path);        /* without its end; NULL and errno on failure */
char *read_stream(int fd, size_t *len);         /* the same of what FD gives up to its end */

/* ---------------------------------------------------------------- proc_root.c */

/* What is before paths that process PID sees: "/proc/PID/root", or "" where they are the same as
 * ours. */
const char *process_root(int64_t pid);
const char *process_program(int64_t pid); /* the file that it runs; NULL (errno): it cannot be known
					   */
/* Of a path that such a root is part of, that root; "" of others. */
const char *path_root(const char *path);
/* PATH below ROOT without symbolic links, which
 * lead to places below ROOT; NULL: it is not there. */
const char *path_below(const char *root, const char *path);
const char *path_real(const char *path); /* the same of one that may begin with a root; NULL */

struct session;
struct macro;

/* ------------------------------------------------------------------ diag.c */

struct source;
struct loc {
	const struct source *src;
	uint32_t beg, end;
}; /* bytes [beg, end) */

struct source {           /* immutable once made */
	const char *name; /* as shown: file name or "<input>" */
	const char *text;
	size_t len;
	bool library;      /* from the tapset library: trusted */
	bool ours;         /* from the part of it that comes with ustap */
	const char *macro; /* name and text are as of the source that this macro is defined in, */
	struct loc used;   /* and it was expanded here; NULL in ordinary sources */
};

enum errtag {
#define ERRTAG(id, name) id,
#include "base/errtags.def"
#undef ERRTAG
	ERRTAG_COUNT
};

void loc_linecol(struct loc loc, unsigned *line, unsigned *col); /* both from 1 */
struct loc loc_join(struct loc a, struct loc b); /* from where A begins to where B ends */
void diag_error(enum errtag tag, struct loc loc, const char *fmt, ...) PRINTF(3, 4);
void diag_warn(enum errtag tag, struct loc loc, const char *fmt, ...) PRINTF(3, 4);
/* One more line under the last error or warning: what to do next. */
void diag_hint(const char *fmt, ...) PRINTF(1, 2);
/* Show the source of a second place that the last error or warning is about. */
void diag_also(struct loc loc);
/* From now on messages are put there instead of being printed. */
struct message {
	bool error;
	enum errtag tag;
	struct loc loc;
	const char *text;
	text_vec hints;
	VEC(struct loc) also; /* of diag_also() */
};
typedef VEC(struct message) message_vec;
void diag_keep(message_vec *to);
const char *tag_name(enum errtag tag);
int diag_errors(void);                 /* errors so far */
const char *diag_first(void);          /* the first of them, a line each */
void diag_forget(void);                /* what was reported so far does not count */
void diag_set_quiet_warnings(bool on); /* -w */
void diag_set_strict(bool on);         /* -W: a warning is an error */
bool diag_set_color(const char *when); /* never, always, auto; false if it is none of these */
extern int verbose;                    /* count of -v */
void vlog(int level, const char *fmt, ...) PRINTF(2, 3); /* to stderr if verbose >= level */

/* ------------------------------------------------------------------ node.c */

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
	ST_HIST_LOG,
	ST_HIST_LINEAR,
	ST_NOPS
};
/* What is wanted of a histogram: all of it, one bucket (that of an empty one is an error, or 0),
 * how many it has. */
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

/* What a function that goes by summaries makes of a target variable: std_string($s), len($v). */
enum summary_use { USE_NONE, USE_TEXT, USE_LENGTH };

/* What a target variable's path starts from: $name, @var(), @cast(), a value of the script whose
 * type is known; and what has no path, @enum(), @const() and @uregister(). */
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
	enum type type;     /* set by types.c only (literals too) */
	struct loc loc;     /* set by the parser only */
	struct symbol *sym; /* set by resolve.c only: N_VAR, N_INDEX, N_IN, N_FOREACH array,
			       N_DELETE via its operand */
	struct node *next;  /* next in a statement or argument list */
	unsigned depth;     /* operators in a row below it; parser only */
	bool elided;        /* what is left of an assignment; elide.c */
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
			const char *text, *module; /* what TS_VAR and TS_CAST name; module: NULL if
						      not said */
			struct node *value;        /* of the pointer: TS_CAST, TS_POINTER */
			struct target_comp *comps;
			size_t ncomps;
			bool addrof;                /* &$x->y */
			int pretty;                 /* trailing $: 1, $$: 2 */
			enum summary_use use;       /* the argument of a
						     * summary's function;
						     * target_vars.c */
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
		} print; /* N_PRINT; delimiter of printd is fmt[0].lit; shows: the global that
			    display.c shows */
		struct {
			enum statop op;
			enum hist_use use;
			struct node *e, *index;
			int64_t num[3];
		} stat; /* N_STATOP: @count(e), @variance(e, num[0]), @hist_linear(e,
			   num[0..2])[index] */
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
		} expr; /* N_EXPR N_RETURN (e may be NULL) N_DELETE */
		struct {
			struct node *init, *cond, *step, *body;
		} loop;                     /* N_WHILE (init, step NULL) N_FOR */
		struct {                    /* N_FOREACH */
			struct node *keys;  /* N_VAR list */
			struct node *value; /* N_VAR or NULL */
			const char *array;
			struct node *hist;   /* instead of an array; gram_each.c only */
			struct node *slice;  /* keys in brackets behind it, or NULL */
			struct node *limit;  /* or NULL */
			int sort_col;        /* -1 unsorted, 0 value, 1.. key number */
			int sort_dir;        /* +1 ascending, -1 descending */
			enum statop sort_op; /* of a statistic's value; ST_COUNT by default */
			struct node *body;
			int order; /* set by locks.c: number of this sorted loop on its array */
		} each;
		struct {
			struct node *body, *handler;
			struct node *var;
		} try_; /* N_TRY: var is N_VAR or NULL */
	};
};

struct node *node_new(enum node_kind kind, struct loc loc);
/* Walk N and everything below it (not N->next): pre before, post after the
 * children; either may be NULL.  Returning false from pre skips the children. */
void node_walk(struct node *n, bool (*pre)(struct node *, void *),
	       void (*post)(struct node *, void *), void *arg);
/* Deep copy; symbols found in MAP (pairs old, new) are replaced. */
struct symmap {
	struct symbol *from, *to;
};
struct node *node_clone(const struct node *n, const struct symmap *map, size_t nmap);
void node_dump(struct strbuf *out, const struct node *n, int indent); /* S-expression, one statement
									 a line */
const char *type_name(enum type t);

struct access;
typedef VEC(struct access) access_vec;

/* --------------------------------------------- lex.l gram.y: text -> script */

enum sym_kind {
	SYM_GLOBAL,
	SYM_LOCAL,
	SYM_PARAM,
	SYM_SAVED
}; /* SAVED: set at entry, for the return */

/* How a global is kept at run time; chosen by locks.c (see doc/internals.md). */
enum storage { STORE_PLAIN, STORE_COUNTER }; /* COUNTER: per-CPU, only ever added to */

struct symbol {
	const char *name;
	enum sym_kind kind;
	struct loc loc;
	enum type type;       /* value type; set by types.c */
	struct loc type_loc;  /* where type was first known, for messages; types.c */
	struct loc use_loc;   /* where nkeys was first known; resolve.c */
	struct loc taken;     /* of a script's global: where the library names it; resolve.c */
	int nkeys;            /* -1 unknown, 0 scalar, else array of that many keys */
	enum type *keys;      /* nkeys types */
	struct loc *key_locs; /* where each was first known; types.c */
	int64_t maxsize;      /* 0: MAXMAPENTRIES */
	bool is_private;      /* a global seen in its file only */
	bool wrap;            /* a%: oldest element makes room */
	struct node *init;    /* literal or NULL */
	const char *given;    /* by -G, for want of a literal in the script */
	bool read, written;   /* set by resolve.c */
	unsigned mention; /* of a global: number in the order of first mentions, 0: none; resolve.c
			   */
	unsigned reads;   /* locals: mentions whose value counts; elide.c */
	enum storage storage;               /* globals; set by locks.c */
	bool keeps_variance;                /* used, perhaps to sort by; stat_shape.c */
	const struct node *hist, *variance; /* N_STATOPs that name its histogram, use its variance;
					       stat_shape.c */
	int norders;                        /* sorted foreach loops over it; locks.c */
	int param;                          /* number of a SYM_PARAM */
	struct pointer *pointer;            /* what the value points to; pointer.c */
	struct ctext cname;                 /* name in emitted C; set by emit.c */
	unsigned seen;
	size_t seen_at; /* effect.c only */
};

struct point_comp {
	const char *name;
	struct node *arg;
	struct loc loc;
}; /* arg: N_NUM, N_STR or NULL */
struct point {
	struct loc loc;
	VEC(struct point_comp) comps;
	bool optional, sufficient;
	struct node *cond;             /* if (COND), or NULL */
	bool epilogue;                 /* of an alias's name: made by += */
	bool elsewhere;                /* set by alias.c: it is nothing but its subs */
	VEC(struct probe_decl *) subs; /* what aliases and wildcards make of it; alias.c */
};
typedef VEC(struct point *) point_vec;

struct probe_decl {
	struct loc loc;
	point_vec points;
	struct node *body;
	VEC(struct symbol *) locals; /* set by resolve.c */
	const struct source *src;
	struct node *cond;         /* in its body, before all else; or NULL */
	const struct alias *alias; /* that it was made of, or NULL; alias.c */
	struct probe_decl *from;   /* whose point has it as a sub, or NULL */
	const struct point *of;    /* and that point */
	bool expanded;             /* alias.c has been here */
	bool resolved;             /* resolve.c has: some of its points are more than their subs */
};

/* probe NAME = POINTS { prologue }, { epilogue } */
struct alias {
	struct point *name;
	point_vec points;
	struct node *prologue, *epilogue; /* blocks or NULL */
};

struct func {
	const char *name;
	struct loc loc;
	VEC(struct symbol *) params, locals;
	enum type type;      /* result; T_UNKNOWN until types.c, stays so if none */
	struct loc type_loc; /* where it was first known */
	struct node *body;
	bool is_private;               /* seen in its file only */
	int64_t priority;              /* among functions of its name; the lowest is tried first */
	VEC(struct node *) nexts;      /* the calls that `next` became; overload.c */
	bool library, used, recursive; /* used, recursive: prune.c */
	bool has_value;                /* some `return e` */
	unsigned seen;                 /* effect.c only */
	bool mentioned, resolved;      /* a probe reaches a call of it; resolve.c */
	access_vec accesses;           /* N_TARGET nodes index it; target_vars.c, pointer.c */
	struct pointer *pointer;       /* what the result points to; pointer.c */
	struct ctext cname;
};

struct script {
	VEC(struct symbol *) globals;
	VEC(struct func *) funcs;
	VEC(struct probe_decl *) probes;
	VEC(struct alias *) aliases;
	struct smap by_name;
	size_t indexed;              /* functions; overload.c */
	VEC(struct node *) embedded; /* N_EMBEDDED at the top level */
	VEC(struct summary *)
	summaries; /* the library's are loaded when a type is
		    * looked for; tapset.c */
};

/* Parse SRC and append to S->script.  False after errors were reported. */
bool parse_source(struct session *s, const struct source *src);

/* ---------------------------------------------------------------- tokens.c */

/* MARK: operators, brackets and the like; DOLLAR: a `$` alone; BROKEN: a string without an end, a
 * stray character. */
enum word_kind {
	WORD_NAME,
	WORD_TARGET,
	WORD_DOLLAR,
	WORD_AT,
	WORD_STRING,
	WORD_NUMBER,
	WORD_C,
	WORD_MARK,
	WORD_BROKEN
};
struct lexeme {
	enum word_kind kind;
	struct loc loc;
	const char *text;
};
typedef VEC(struct lexeme) lexeme_vec;
void source_lexemes(const struct source *src, lexeme_vec *out);

/* ---------------------------------------------------- dwarf/: what an ELF file says */

#include "modules.h"

/* ------------------------------------------------------------------- arch/ */

#include "arch/arch.h"

/* -------------------------------- resolve.c point.c target_vars.c entry_values.c: -> program */

#include "sema/points/site.h"

struct lock {
	struct symbol *sym;
	bool write;
};

/* What the runtime is told about a probe that has no sites; names of ustap_rt.h. */
struct probe {
	const struct probe_kind *kind;
	struct loc loc, point;         /* of the declaration, of its probe point */
	const char *pp;                /* canonical probe point text */
	const struct probe_decl *decl; /* for listings: that it was made of */
	int64_t value;    /* priority of begin/end/error, period of a timer in ns or jiffies,
			   * process id of what has of_process (0: any) */
	int64_t spread;   /* of a timer: so much more or less, by chance; of a file its mode */
	const char *path; /* of a file of procfs; `value' is its size, 0: that of a string; name of
			   * a counter, of which `value' and `spread' are as in ustap_rt.h */
	unsigned type;
	uint64_t config; /* of events, as perf_event_open(2) has them */
	struct node *body;
	VEC(struct symbol *) locals;
	access_vec accesses; /* N_TARGET nodes index it */
	VEC(struct site) sites;
	VEC(struct lock) locks;     /* sorted by position in program.globals; locks.c */
	struct probe *entry;        /* of a return probe: what sets `saved` at entry, or NULL; in
				     * program.probes, too, without sites */
	struct probe *exit_entry;   /* of one at exit sites: the same, a probe at
				     * the entry; exit_site.c */
	VEC(struct symbol *) saved; /* @entry values */
	VEC(struct node *)
	arrivals;                 /* statements at the beginning of its
				   * body that read the time */
	size_t saved_words;       /* emit.c */
	bool sets_saved;          /* this is such an entry part, and sets them */
	struct gate *gate;        /* behind which it is, or NULL; gate.c */
	VEC(struct gate *) turns; /* whose conditions its handler may change */
	struct ctext cname;
	int64_t pid;            /* of probes with sites: the only process that is meant; 0: any */
	struct module *program; /* of a kind with of_process: what the process runs; NULL: anything
				 */
	size_t program_number;  /* and one more than its number in the module table, 0: none; emit.c
				 */
};

/* The condition of probes, which are taken out while it does not hold; gate.c. */
struct gate {
	size_t number;
	struct func *condition; /* gives its value */
	VEC(struct symbol *) reads;
};

struct program {
	VEC(struct symbol *) globals;
	VEC(struct func *) funcs;
	VEC(struct probe *) probes;
	VEC(struct gate *) gates;
};

/* ---------------------------------------------------------- probe/: families */

/* A family of probe points.  `pattern` is matched component by component and
 * exactly: "process(p).library(l).function(s).return"; (s) takes a string, (n) a number,
 * (n?) an optional number, (p) either or nothing; a component with (l), a string, may be left out.
 */
struct probe_kind {
	const char *pattern;
	const char *rt; /* UST_PROBE_... of ustap_rt.h */
	bool has_sites; /* user-space sites: regs, $vars */
	bool is_return;
	bool in_irq;              /* runs in interrupt context (timer.profile) */
	bool in_kernel, is_trace; /* sites are in the kernel, tracepoints of it: probe/kernel.c */
	bool is_syscall;          /* sites are system calls of any process: probe/syscall.c */
	bool of_process;          /* no sites, but processes: probe/life.c */
	unsigned lacking;         /* bits of runtimes (1 << RT_...) that cannot run it */
	/* Add the probes that PT stands for to S->program; false if nothing matched
	 * (an error was reported unless PT is optional or QUIET). */
	bool (*resolve)(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, bool quiet);
	/* How to read NODE where there is no function whose variables it could be; or NULL. */
	bool (*variable)(const struct node *node, struct access *out, struct var_error *err);
	unsigned nparms; /* with that: $arg1 to this one are $$parms */
	/* Is NODE, a target variable, set by the script for the runtime, so that assigning to it
	 * changes nothing of the program?  Or NULL. */
	bool (*is_result)(const struct node *node);
	/* Once all probes are known: what is wrong with the whole program; errors are reported.  On
	 * one kind of a family, or NULL. */
	void (*check)(const struct session *s);
};
extern const struct probe_kind probe_monitor; /* display.c: for --monitor; no point names it */
/* probe/table.c: the families, arrays that end with an empty kind; NULL at the end. */
extern const struct probe_kind *const probe_families[];
/* Each kind of each family: for_each_probe_kind (k) STATEMENT. */
#define for_each_probe_kind(k)                                              \
	for (const struct probe_kind *const *f_ = probe_families, *k = *f_; \
	     k && (k->pattern || ((k = *++f_) != NULL && k->pattern)); k++)

/* point.c: for families */
/* Has PT an argument with wildcards; does it stand for any number of sites? */
bool point_has_glob(const struct point *pt);
bool point_is_wild(const struct point *pt);
struct probe *probe_new(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt); /* body and locals cloned */
const char *point_text(const struct point *pt);  /* canonical text */

/* point.c: for aliases */
const struct probe_kind *point_kind(const struct point *pt); /* whose pattern is all of PT; or NULL
							      */
/* The kind with this pattern; NULL. */
const struct probe_kind *point_kind_of(const char *pattern);
/* One word of a pattern: `name`, `name(s)`, `name(n)`, `name(n?)`, `name(p)` or `name(l)`. */
struct point_want {
	const char *name;
	size_t len;
	char arg;
	bool arg_optional;
};
bool point_want_next(const char **pattern, struct point_want *w); /* the next one; false at the end
								   */
bool point_want_takes(const struct point_want *w, const struct node *arg);
bool point_want_fits(const struct point_want *w, const struct point_comp *c);
void point_patterns(const struct session *s, text_vec *out); /* of all kinds and aliases */
void netfilter_names(const char *word, name_vec *out); /* for hook, pf, priority; probe/netfilter.c
							*/
void point_continuations(const struct session *s, const struct point *pt,
			 name_vec *out); /* "name(s)"
					    ...
					    that
					    may
					    follow
					    PT */
/* What of @defined stands in the function F is folded; its @cast and @var get accesses. */
void target_fold_function(struct func *f);
void target_resolve_function(struct func *f);
void target_set_access(struct node *n, size_t access);
/* The number of ACC among V, to which it is added. */
size_t target_add_access(access_vec *v, const struct access *acc); /* N has this one now */
/* The component NAME of PT, NULL if it has none. */
const struct point_comp *point_comp(const struct point *pt, const char *name);
/* entry_values.c: @entry(e), and in return probes all other target variables than $return, become
 * variables that the new probe P->entry sets; left NULL where there are none.  F is the function
 * that returns, or NULL.  False: ERR says why. */
bool entry_split(struct probe *p, const struct function *f, bool quiet, struct var_error *err);
/* exit_site.c: P, a return probe with exit sites, is to find the values of P->entry in arrays; that
 * becomes P->exit_entry, a probe for the function's entry. */
void exit_pair(struct session *s, struct probe *p);
/* Why the values that P saves at the entry of F cannot be had at its exits; NULL: they can. */
const char *exit_unsaved(const struct function *f, const struct probe *p);
/* F cannot be probed where it returns: an error, or a warning where PT names many functions. */
void exit_leave_out(const struct point *pt, bool is_wild, const struct function *f, const char *why,
		    bool quiet);

/* ----------------------------------------------------------------- stat_shape.c */

/* What each statistic of the typed program keeps: symbol.hist, symbol.variance. */
void check_shapes(struct session *s);
unsigned hist_buckets(const struct node *hist); /* of an N_STATOP; all of them */

/* ---------------------------------------------------------------- effect.c */

/* Globals that code mentions, each once; also through the functions it calls. */
struct effect {
	struct symbol *sym;
	bool read, written, sorted;
}; /* sorted: by a foreach */
typedef VEC(struct effect) effect_vec;
void effects_of(struct node *n, effect_vec *out); /* N with N->next */
struct effect *effect_find(const effect_vec *v, const struct symbol *sym);
/* Functions that code calls, each once; also through the functions it calls. */
typedef VEC(struct func *) func_vec;
void calls_of(struct node *n, func_vec *out); /* N with N->next */

/* ------------------------------------------------------------------ gate.c */

void gates_find(struct session *s);
bool gate_reads(const struct gate *g, const struct symbol *sym);
/* PROBE, whose handler uses what USED says, turns the gates that it can; what it reads for that is
 * added to USED. */
void gates_of_handler(const struct program *p, struct probe *probe, effect_vec *used);
bool probe_runs_alone(const struct probe *p); /* begin, end, error; locks.c */

/* ------------------------------------------------------------------ fold.c */

/* What A OP B is at run time; false for errors, and for what is no operator of two numbers. */
bool fold_numbers(enum op op, int64_t a, int64_t b, int64_t *result);

/* -------------------------------------------------------------- type_conflict.c */

/* Whose type is known, in words of a message, and from where. */
struct known {
	const char *what;
	enum type type;
	struct loc loc;
};
struct known known_symbol(const struct symbol *sym);
struct known known_key(const struct symbol *sym, int i);
struct known known_result(const struct func *f);
/* N, whose type is HAVE, stands where WANT is needed; AGAINST is what that comes from, or NULL. */
void report_conflict(const struct node *n, enum type want, enum type have,
		     const struct known *against);

#include "sema/builtin.h"

/* ------------------------------------------------------ kernel_functions.c */

/* Why there is no function NAME, if it is one of SystemTap's about the kernel; else NULL. */
const char *kernel_function(const char *name);
/* The same of a probe point, and what to do instead. */
const char *kernel_point(const char *name, const char **instead);

/* ------------------------------------------------------- main.c: the session */

enum runtime { RT_AUTO, RT_KERNEL, RT_USER };

extern const char *const format_names[]; /* option_table.c: of --output, by enum format */
struct options {
	text_vec exprs, extras; /* -e, or one script file; -E besides */
	const char *script_file;
	int argc;
	char **argv;       /* script arguments */
	const char *cmd;   /* -c */
	VEC(int64_t) pids; /* -x */
	VEC(int) held;     /* pidfds of those that were given by name */
	const char *release, *module_name, *output, *dump, *tmpdir, *rotate;
	text_vec includes, defines, modinfo; /* -I; -D NAME=VALUE; --modinfo NAME=VALUE */
	text_vec symbols;                    /* -d: files whose symbols the script wants */
	bool ldd, all_modules;
	int stop_after;      /* -p1..5; 5 by default */
	int pass_verbose[5]; /* --vp */
	bool keep, guru, no_warnings, prepare, children, target_status;
	bool unoptimized, warnings_are_errors, skip_badvars, no_global_display, flight, timing,
		interactive, language_server;
	bool suppress_errors, no_time_limits, check_version, explain, expect_hits, run_strict;
	bool quiet;       /* no line when probing begins */
	int64_t ready_fd; /* --ready-fd; 0: none */
	const char *ready_command;
	int64_t timeout;     /* --timeout: seconds; 0: none */
	bool list_runs;      /* --list */
	const char *cleanup; /* a process id or a module's name */
	bool clean_cache, show_cache, no_cache, poison_cache, no_end_after_error;
	bool sign_module;
	const char *sign_key, *sign_cert; /* for that; NULL: those of dkms */
	const char *counts_file; /* where staprun shall say how often handlers ran (-t: prints it)
				  */
	enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_FOLDED, FORMAT_TRACE } format; /* --output */
	const char *report;            /* --report: tap or junit, and maybe a file */
	int64_t monitor;               /* --monitor: seconds between two views; 0: none */
	int64_t time_limit, buffer_mb; /* -T, -s; 0: default */
	enum runtime runtime;
	const char *compatible; /* --compatible: version of SystemTap */
	const char *privilege;  /* "stapusr", "stapsys", "stapdev" */
	enum {
		LIST_NOTHING,
		LIST_PROBE_TYPES,
		LIST_ALIASES,
		LIST_FUNCTIONS, /* --dump-... */
		LIST_POINTS,
		LIST_VARIABLES
	} list;                 /* -l, -L */
	VEC(const char *) sets; /* -G NAME=VALUE */
};

/* -D limits; defaults as in stap. */
struct limits {
	int64_t maxaction, maxnesting, maxstringlen, maxmapentries, maxerrors, maxskipped,
		maxbacktrace, hist_width, hist_elision, max_buckets, overload_threshold,
		overload_interval;
};

struct session;
struct point;
/* process_access.c: may the processes be read that PT is about?  Else false, after a
 * message for the first one. */
bool targets_readable(const struct session *s, const struct point *pt);
/* named_process.c: do all processes of -x NAME live?  Else false after a message. */
bool named_processes_live(const struct session *s);

struct session {
	struct options opt;
	struct limits lim;
	struct script script;
	struct smap macros; /* of the library; source_load.c */
	struct program program;
	const struct backend *backend;
	VEC(const struct source *) embeds; /* that have embedded C */
	struct cbuf c_text;                /* emitted C */
	const char *work_dir;              /* private temporary directory */
	char *artifact;                    /* .ko or .ust path after build */
	int artifact_fd;      /* and what is run: the contents that were checked; 0: none yet */
	uint64_t pass_ns[16]; /* time of each pass, for -v */
};

/* The passes.  Each reports all its errors; the driver stops after a pass that had any. */
void pass_parse(struct session *s);   /* source_load.c */
void pass_aliases(struct session *s); /* alias.c: points get their subs */
void pass_resolve(struct session *s); /* resolve.c: names -> symbols; loads library functions; at
					 its end program.globals and .funcs are all of the script's
				       */
void pass_elide(struct session *s);   /* elide.c: what has no effect */
void pass_points(struct session *s);  /* point.c, target_vars.c, probe/: probe points ->
					 program.probes */
void pass_prune(struct session *s);   /* prune.c: unused functions, globals; call graph.  Before the
					 types: what nobody calls has no say in them */
void pass_types(struct session *s);   /* types.c */
void pass_pointers(struct session *s); /* pointer.c: what values point to; needs the types */
void infer_types(struct session *s); /* types.c: what can be said of functions that nothing calls */
void pass_fold(struct session *s);   /* fold.c: constants, dead branches */
void pass_display(struct session *s);          /* display.c: what shows globals at the end */
void pass_locks(struct session *s);            /* locks.c */
void pass_emit(struct session *s);             /* emit.c */
void pass_build(struct session *s);            /* build.c: also chooses s->backend */
void prepare(struct session *s);               /* build.c: --prepare */
bool sign_key_usable(const struct session *s); /* backend/sign.c: --sign-module; reports why not */
int run_leftovers(const struct session *s);    /* run.c: --list, --cleanup; does not
						* return if staprun runs */
void print_points(struct session *s);          /* listing.c: -l, -L; after the pass "points" */
/* A place that points stand for, "$name:type" of what can be read there; addr 0: it is no place in
 * a file. */
struct described {
	const char *pp;
	uint64_t addr;
	name_vec vars;
};
typedef VEC(struct described) described_vec;
void describe_points(struct session *s, described_vec *out); /* each place; by opt.list, as
								print_points() */
void explain(struct session *s);    /* explain.c: --explain; after the pass "locks" */
void print_list(struct session *s); /* dump_lists.c: --dump-probe-types and the like */
enum runtime early_runtime(const struct session *s); /* session.c: what pass_build will take, known
							before */
void report_needs_kernel(const struct session *s, struct loc loc, const char *pp); /* the point PP,
										      and where
										      modules cannot
										      be loaded why
										    */
void run_was_not(const struct session *s); /* run.c: --report of a script that does not compile */
int run_tests(char **argv);                /* run.c: exec ustap-test; exit status */
int pass_run(struct session *s);           /* run.c: exec staprun; exit status */
void dump_script(struct strbuf *out, const struct script *s);   /* node.c: --dump=parse, resolve */
void dump_program(struct strbuf *out, const struct session *s); /* point.c: --dump=points, types,
								   prune, locks */

/* source_load.c */
struct source *source_new(const char *name, const char *text, size_t len);
/* The definitions of a .stpm file, put into MACROS where they are not yet. */
bool parse_macros(struct session *s, const struct source *src, struct smap *macros);

bool session_defines(const struct session *s, const char *name); /* session.c: by -D */

/* ----------------------------------------------------------------- module_params.c */

void given_globals(struct session *s); /* -G, before resolve */
void given_value(struct symbol *g);    /* its literal, now that its type is known */

/* --------------------------------------------------------------- tapset.c */

/* What the library (-I directories, then what comes with ustap) defines is
 * parsed when it is asked for, a file at a time, and added to S->script. */
struct func *load_library_function(struct session *s, const char *name); /* NULL: none */
const struct macro *library_macro(struct session *s, const char *name);  /* name with its @; NULL:
									    none */
/* Parse the files that define global NAME, or aliases that the first components
 * of PT name (wildcards count).  False if no file was parsed that was not before. */
bool load_library_global(struct session *s, const char *name);
bool load_library_alias(struct session *s, const struct point *pt);
void load_library_summaries(struct session *s); /* of types */
void load_library_all(struct session *s);       /* for listings */
void library_again(void);                       /* another script: no file of it is parsed */
void library_paths(const struct session *s, text_vec *out);   /* of all files */
void library_aliases(const struct session *s, text_vec *out); /* all names, those of files not
								 parsed, too */

/* ----------------------------------------------------------------- alias.c */

/* Expand the points of DECL, once; for those that the library brings while names are resolved. */
void aliases_expand(struct session *s, struct probe_decl *decl);
/* @probewrite in BLOCK, of an alias, asks about BODY; probewrite.c */
void probewrite_fold(struct node *block, struct node *body);
struct node *condition_and(struct node *a, struct node *b); /* either may be NULL; point_list.c */

/* ---------------------------------------------------------- resolve_check.c */

/* Under what a global is found: private ones have their file's names, the tapset library's internal
 * ones those of internal_key(). */
const char *global_key(const struct symbol *g);
const char *internal_key(const char *name);
/* Globals from number FROM on that are declared before; errors are reported. */
void check_redeclared(const struct script *sc, size_t from);
void check_params(const struct script *sc); /* none twice, not too many; numbers them */
/* A probe's condition depends on nothing but globals; errors are reported. */
void check_condition(struct node *cond);
/* Of N locals V of one function or probe: those that are read but never assigned. */
void warn_of_locals(const struct script *sc, struct symbol *const *v, size_t n);
void warn_of_globals(const struct script *sc);
void warn_of_unused(const struct script *sc);

/* --------------------------------------------------------------- stackmap.c */

/* Does the program walk stacks or name addresses? */
bool wants_stackmaps(const struct program *p);
/* What the program can meet besides the modules that it probes (stack_modules.c). */
void stack_modules(struct session *s, name_vec *out);
/* What the program asks of them besides frames and
 * symbols: lines of addresses, inlined functions. */
enum map_parts { MAP_LINES = 1, MAP_INLINED = 2 };
enum map_parts map_parts(const struct program *p);
/* The file that has a struct ust_stackmap of M and what is behind it, with PARTS, after SEAL_SIZE
 * other bytes; made if it is not in the cache.  NULL after an error. */
const char *stackmap_file(struct module *m, enum map_parts parts);
/* Before the emitted C is compiled: make those again that are damaged.  False after an error. */
bool stackmaps_check(void);

/* --------------------------------------------------------------- summary_decl.c */

/* Summaries of types in the script and the tapset library are looked up for this
 * session from now on. */
void summaries_begin(struct session *s);
/* Number I of all, those of the script first, those of the library if they are wanted; NULL at the
 * end. */
const struct summary *summary_at(size_t i, bool library);
/* summary PATTERNS BLOCK; errors are reported. */
void summary_new(struct script *script, struct node *patterns, struct node *block, struct loc loc);
/* What the function that CALL means makes of its argument by the argument's summary. */
enum summary_use summary_function(const struct node *call);

/* -------------------------------------------------------------- overload.c */

const struct source *file_of(struct loc loc);          /* where a macro is used, if it is in one */
void overload_call(struct session *s, struct node *n); /* which function or builtin the N_CALL
							  means; may be none */
/* Does the call N name what only the tapset library may call? */
bool overload_internal(struct session *s, const struct node *n);
bool name_is_internal(const char *name);            /* it begins with `__` */
bool is_internal(const char *name, struct loc loc); /* and what is declared at LOC is of ustap's
						       tapset library */
bool overload_exists(struct session *s, const char *name, struct loc loc, size_t *nparams);
/* embedded_c.c: may F be called at LOC, by the markers
 * of its C?  false after an error was reported. */
bool embedded_allowed(const struct session *s, const struct func *f, struct loc loc);
/* `next`, the statement N of F, becomes a call, which is returned. */
struct node *overload_next(struct session *s, struct func *f, struct node *n);
void overload_keep_arguments(struct func *f); /* when all of F is resolved */

/* ------------------------------------------------- backend/ cache.c: -> artifact */

#include "backend/artifact.h"

#endif
