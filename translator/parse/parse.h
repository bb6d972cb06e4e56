/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser internals, shared by lex.l, gram.y and print_format.c only. */
#ifndef PARSE_H
#define PARSE_H

#include "session.h"

/* One parse of one source. */
struct parser {
	struct session *s;
	struct script *script; /* of s */
	const struct source *src;
	void *scanner;
	uint32_t pos;           /* bytes read by the scanner */
	uint32_t text_beg;      /* where the token under the scanner began */
	struct strbuf text;     /* string literal being read */
	VEC(uint32_t) text_pos; /* where each of its bytes stands in the source */
	bool in_arg;            /* under the scanner is the text of a script argument, */
	uint32_t arg_beg;       /* that is mentioned here */
	bool skipping;          /* the text being read is excluded by a conditional */
	bool in_body;           /* it is the body of a macro, which is checked where it is used */
	int cond_depth;         /* open parentheses of a point's condition */
	bool in_cond;           /* in it, or before it */
	bool in_point;          /* between `probe` and `{`: keywords are names */
	int last;               /* token that the parser got before */
	bool is_private;        /* the current declaration is private */
	bool failing;           /* an error was reported in this declaration */
	struct preproc *pp;     /* macros and conditionals; preproc.c */
	struct func *func;      /* whose head is being read */
};

/* A string literal after escapes and joining; pos[i] is where byte i stands, pos[len] the end.
 * ROOM bytes may follow in both. */
struct lexstr {
	const char *s;
	size_t len;
	const uint32_t *pos;
	size_t room;
};

struct nlist {
	struct node *first, *last;
	size_t n;
};

/* The pieces of a printf format that stands in SRC; false after an error was reported. */
bool format_parse(const struct source *src, const struct lexstr *fmt, struct fmt_piece **out,
		  size_t *n);

/* raw_access.c: @uregister(NUMBER), @uderef(SIZE,
 * ADDR), and those of the KERNEL; AT is the size. */
struct node *raw_register(const struct parser *p, bool kernel, int64_t number, struct loc loc);
/* The call of the builtin that reads SIZE bytes at ADDR. A size other than 1, 2, 4 and 8 is
 * reported at AT; the result is valid nevertheless. */
struct node *raw_memory(const struct parser *p, bool kernel, int64_t size, struct node *addr,
			struct loc at, struct loc loc);
/* raw_access.c: @perf("NAME"), whose name stands AT. */
struct node *perf_node(struct lexstr name, struct loc at, struct loc loc);
/* embedded_c.c: N_EMBEDDED of what stands between %{ and %}; the function F with such a body joins
 * the script. */
struct node *embedded(struct session *s, const struct lexstr *text, struct loc loc);
/* F with the body TEXT; it joins the script. With STAP_NEXT in TEXT, the code becomes a function
 * of its own that F calls. */
void embedded_function(struct parser *p, struct func *f, const struct lexstr *text, struct loc loc);

/* point_list.c: lists of probe points while they
 * are read.  All but points_mark() may share nodes. */
point_vec *points_one(struct point_comp c);
/* Append B to A; returns A. */
point_vec *points_append(point_vec *a, const point_vec *b);
/* {a,b}.{c,d}: every A with every B after it; NULL after an error. */
point_vec *points_cross(const point_vec *a, const point_vec *b, struct loc loc);
/* MARK: `?`, `!` or 0; COND: what stands in their if (), or NULL. */
point_vec *points_mark(point_vec *v, int64_t mark, struct node *cond);
/* Set the location of the only point in V, for messages; nothing happens for a list. */
void points_locate(point_vec *v, struct loc loc);
/* The name of an alias, of one whose body comes last if EPILOGUE; NULL after an error. */
point_vec *points_named(point_vec *v, bool epilogue, struct loc loc);
/* Number I of NAMES becomes an alias; false after an error. */
bool alias_new(struct script *script, const point_vec *names, size_t i, const point_vec *points,
	       struct node *first, struct node *second);

/* ------------------------------------------------------------ gram_expr.c */

/* Adjacent string literals, as one. A may be written to, if it has the room. */
struct lexstr lexstr_join(struct lexstr a, struct lexstr b);
/* A list of N alone. */
struct nlist nlist_of(struct node *n);
/* L with N behind its last node. */
struct nlist nlist_add(struct nlist l, struct node *n);
/* Set how deeply operators nest in N, whose operands are L and R; too many are reported. */
void node_deepen(struct node *n, const struct node *l, const struct node *r);
/* Report an error if E, an operand at AT, is an assignment without parentheses, since assignments
 * bind least tightly. */
void refuse_assignment(const struct node *e, struct loc at);
/* L OP R; KIND: N_BINARY, N_LOGIC or N_ASSIGN. */
struct node *binary_node(enum node_kind kind, enum op op, struct node *l, struct node *r,
			 struct loc loc);
struct node *unary_node(enum op op, struct node *e, struct loc loc); /* OP E */
/* E++, E--, ++E or --E. */
struct node *incdec_node(struct node *e, int delta, bool post, struct loc loc);

/* ------------------------------------------------------------ gram_node.c */

/* NAME(ARGS); the name stands AT, which says whether the tapset library wrote it. */
struct node *call_node(const char *name, struct loc at, struct nlist args, struct loc loc);
/* E =~ S, which stands at LITERAL.  A mistake in the regular expression is reported where it stands
 * in the literal. */
struct node *regex_node(struct node *e, const struct lexstr *s, bool negated, struct loc literal,
			struct loc loc);
/* print*f takes its format, print*d its delimiter, as a first literal.  NULL after an error was
 * reported. */
struct node *print_node(unsigned kind, struct nlist args, struct loc loc);
/* $NAME, where the scanner has taken a `$` of pretty-printing for a part of the name. */
struct node *target_node(const char *name, struct loc loc);
/* Append the component TC ("->x", "[i]") to the target variable T; LOC: of all of it. A '$' at the
 * end of a member's name requests pretty-printing. */
void target_add(struct node *t, struct target_comp tc, struct loc loc);
/* Request pretty-printing of T: N is the number of '$' behind it, more than 2 count as 2. */
void target_pretty(struct node *t, unsigned n, struct loc loc);
/* A target variable that begins with @var("name", "module"), @cast(value, "type", "module"), @enum
 * or @const. */
struct node *typed_start(enum target_start start, struct node *value, struct lexstr text,
			 struct lexstr module, struct loc loc);
/* -> and [] on a pointer that the script has. */
struct node *pointer_node(struct node *value, struct target_comp tc, struct loc loc);

/* A symbol in the arena, with unknown type; of a global it is not yet known whether it is an
 * array. */
struct symbol *symbol_new(const char *name, enum sym_kind kind, struct loc loc);
/* Set the type that the script declares (":long"); T_UNKNOWN: none. */
void declare_type(struct symbol *sym, enum type type, struct loc loc);
/* global SYM @percentile */
void declare_percentiles(struct symbol *sym, struct loc loc);
enum type type_named(const char *name, struct loc loc); /* T_UNKNOWN after an error was reported */
/* A function in the arena, which becomes the parser's current one (p->func). TYPE: of the result,
 * T_UNKNOWN if not declared. */
struct func *func_new(struct parser *p, const char *name, enum type type, struct loc loc);
/* A probe declaration in the arena. The list POINTS is copied, its points are shared. */
struct probe_decl *probe_decl_new(struct parser *p, const point_vec *points, struct node *body,
				  struct loc loc);

/* ------------------------------------------------------------ gram_foreach.c */

struct num_list {
	int64_t v[3];
	size_t n;
}; /* n also counts those beyond v */
struct key_list {
	struct nlist list;
	int dirs[MAX_KEYS];
}; /* N_VARs and their sort signs */

/* @count(E), @variance(E, NUMS), @hist_linear(E, NUMS); a histogram as a whole, see bucket_node().
 * Reports errors. */
struct node *statop_node(enum statop op, struct node *e, const struct num_list *nums,
			 struct loc loc);
/* @percentile(E, PERCENT), in PERCENT_PARTS. */
struct node *percentile_node(struct node *e, int64_t percent, struct loc loc);
/* NUM * PARTS if that is a percentage; else 0, after an error was reported. */
int64_t percent_of(int64_t num, int64_t parts, struct loc loc);
/* HIST[INDEX] */
struct node *bucket_node(struct node *hist, struct node *index, struct loc loc);
/* Sort by KEY (0: the value) in direction DIR (0: not); false after an error was reported. */
bool set_key_sort(struct node *each, size_t key, int dir, struct loc loc);
/* Complete EACH, which has its array, limit and body; the keys stand AT.  NULL after an error was
 * reported. */
struct node *foreach_node(struct node *each, struct node *value, int value_dir,
			  const struct key_list *keys, struct loc at, struct loc loc);

#endif
