/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations of a script: globals, functions, probes and aliases, as the parser made them.
 * Later passes fill in the fields marked with their file.
 */
#ifndef USTAP_PARSE_SCRIPT_H
#define USTAP_PARSE_SCRIPT_H

#include "dwarf/access.h"
#include "base/ctext_type.h"
#include "parse/node.h"

struct pointer;
struct probe_decl;
struct session;
struct summary;

enum sym_kind {
	SYM_GLOBAL,
	SYM_LOCAL,
	SYM_PARAM,
	SYM_SAVED
}; /* SAVED: set at entry, for the return */

/* Storage of a global at run time; chosen by locks.c (see doc/internals.md). */
enum storage { STORE_PLAIN, STORE_COUNTER }; /* COUNTER: per-CPU, only ever added to */

/* Keys of an array; UST_MAXKEYS of the runtime. */
enum { MAX_KEYS = 9 };

struct symbol {
	const char *name;
	enum sym_kind kind;
	struct loc loc;
	enum type type;      /* value type; set by types.c */
	struct loc type_loc; /* where type was first known, for messages; types.c */
	struct loc use_loc;  /* where nkeys was first known; resolve.c */
	struct loc taken; /* of a script's global: where the tapset library uses its name; resolve.c
			   */
	int nkeys;        /* -1 unknown, 0 scalar, else array of that many keys */
	enum type *keys;  /* nkeys types */
	struct loc *key_locs;     /* where each was first known; types.c */
	int64_t maxsize;          /* 0: MAXMAPENTRIES */
	bool is_private;          /* a global seen in its file only */
	bool wrap;                /* a%: oldest element makes room */
	struct node *init;        /* literal or NULL */
	const char *option_value; /* by -G, for want of a literal in the script */
	bool read, written;       /* set by resolve.c */
	/* of a global: number in the order of first mentions, 0: none; resolve.c */
	unsigned mention;
	unsigned reads;         /* locals: mentions whose value counts; elide.c */
	enum storage storage;   /* globals; set by locks.c */
	bool is_count;          /* hits only add to it: overhead.c */
	bool is_counter;        /* the script only adds to it: export.c */
	const char *labels;     /* of an exported array: one line for each key; export.c */
	bool keeps_variance;    /* used, perhaps to sort by; stat_layout.c */
	bool keeps_percentiles; /* the same, or declared so */
	/* N_STATOPs that name its histogram, use its variance; stat_layout.c */
	const struct node *hist, *variance;
	bool assigned;           /* other than by additions, by merged runs; merge_rule.c */
	int norders;             /* sorted foreach loops over it; locks.c */
	int param;               /* number of a SYM_PARAM */
	struct pointer *pointer; /* type that the value points to; pointer.c */
	struct ctext cname;      /* name in emitted C; set by emit.c */
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
	VEC(struct probe_decl *) subs; /* its expansions by aliases and wildcards; alias.c */
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
	bool returns_nothing;          /* some `return;` */
	unsigned seen;                 /* effect.c only */
	bool mentioned, resolved;      /* a probe reaches a call of it; resolve.c */
	bool elided;                   /* of the script; all calls were removed; elide.c */
	bool needs_probe, is_copy; /* its target variables are the caller's; function_copies.c */
	access_vec accesses;       /* N_TARGET nodes index it; target_vars.c, pointer.c */
	struct pointer *pointer;   /* type that the result points to; pointer.c */
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
	/* the library's are loaded when a type is looked for; tapset.c */
	summaries;
};

/* Parse SRC and append to S->script.  False after errors were reported. */
bool parse_source(struct session *s, const struct source *src);

const char *point_text(const struct point *pt); /* canonical text */

/* Has PT an argument with wildcards; does it stand for any number of sites? */
bool point_has_glob(const struct point *pt);
/* True if PT may match several probe sites by a pattern or a range of lines, so that a site that
 * cannot be probed is skipped without an error. */
bool point_is_wild(const struct point *pt);

/* The component NAME of PT, NULL if PT has no such component. */
const struct point_comp *point_comp(const struct point *pt, const char *name);

struct node *condition_and(struct node *a, struct node *b); /* either may be NULL; point_list.c */

void dump_script(struct strbuf *out, const struct script *s); /* --dump=parse, resolve */

/* embedded_c.c: may F be called at LOC, by the markers
 * of its C?  false after an error was reported. */
bool embedded_allowed(const struct session *s, const struct func *f, struct loc loc);

#endif
