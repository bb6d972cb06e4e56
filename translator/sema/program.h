/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that a script is compiled to: probes with their sites, gates, and the probe types
 * that the families in probe/ define.
 */
#ifndef USTAP_SEMA_PROGRAM_H
#define USTAP_SEMA_PROGRAM_H

#include "dwarf/access.h"
#include "dwarf/variables.h"
#include "parse/script.h"
#include "sema/points/site.h"

struct lock {
	struct symbol *sym;
	bool write;
};

/* Members of the union in struct probe; probe_data.c describes each. */
enum probe_data_kind {
	HOLDS_LIFE,
	HOLDS_TIMER,
	HOLDS_PROCESS,
	HOLDS_FILE,
	HOLDS_PERF,
	HOLDS_DATA,
	HOLDS_PACKET,
	PROBE_DATA_KINDS
};

/* A probe as the runtime sees it; names of ustap_rt.h. */
struct probe {
	const struct probe_kind *kind;
	struct loc loc, point;         /* of the declaration, of its probe point */
	const char *pp;                /* canonical probe point text */
	const struct probe_decl *decl; /* for listings: that it was made of */
	/* data of a probe without sites, by kind->holds; as in struct ust_probe */
	union {
		struct {
			int64_t priority;
			bool after_error; /* emit.c */
		} life;                   /* HOLDS_LIFE */
		struct {
			int64_t period, spread;
		} timer; /* HOLDS_TIMER, in ns or jiffies */
		struct {
			int64_t pid;
		} process; /* HOLDS_PROCESS, 0: any */
		struct {
			const char *path;
			int64_t size, mode;
		} file; /* HOLDS_FILE */
		struct {
			unsigned type;
			uint64_t config;
			int64_t count;
			bool by_rate;
			const char *counter;
		} perf; /* HOLDS_PERF */
		struct {
			const char *symbol;
			int64_t addr;
			uint64_t length;
			bool is_read;
		} data; /* HOLDS_DATA */
		struct {
			int64_t family, hook, priority;
		} packet; /* HOLDS_PACKET */
	};
	struct node *body;
	VEC(struct symbol *) locals;
	access_vec accesses; /* N_TARGET nodes index it */
	VEC(struct site) sites;
	VEC(struct lock) locks; /* sorted by position in program.globals; locks.c */
	/* of a return probe: what sets `saved` at entry, or NULL; in program.probes, too,
	 * without sites */
	struct probe *entry;
	/* of one at exit sites: the same, a probe at the entry; exit_site.c */
	struct probe *exit_entry;
	VEC(struct symbol *) saved; /* @entry values */
	/* statements at the beginning of its body that read the time */
	VEC(struct node *) arrivals;
	size_t saved_words; /* emit.c */
	bool sets_saved;    /* this is such an entry part, and sets them */
	/* overhead.c: the handler writes what later hits read; number of the probes that share it
	 */
	bool keeps_state;
	size_t group;
	struct gate *gate;        /* behind which it is, or NULL; gate.c */
	VEC(struct gate *) turns; /* whose conditions its handler may change */
	struct ctext cname;
	int64_t pid; /* of probes with sites: the only process that is meant; 0: any */
	/* of processes and their events: what they run; NULL: anything */
	struct module *program;
	/* and one more than its number in the module table, 0: none; emit.c */
	size_t program_number;
};

/* The condition of probes, which are disarmed while it is false; gate.c. */
struct gate {
	size_t number;
	struct func *condition; /* gives its value */
	VEC(struct symbol *) reads;
};

struct program {
	VEC(struct symbol *) globals;
	VEC(struct func *) funcs;
	VEC(struct func *) elided; /* functions of the script whose calls were all elided */
	VEC(struct probe *) probes;
	VEC(struct gate *) gates;
};

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
	bool is_profile;          /* samples of whatever runs: timer.profile */
	bool in_kernel, is_trace; /* sites are in the kernel, tracepoints of it: probe/kernel.c */
	bool is_watch;   /* sites are data of programs, watched by the processor: probe/watch.c */
	bool is_syscall; /* sites are system calls of any process: probe/syscall.c */
	/* data of a probe of this type; HOLDS_PROCESS: its sites are processes */
	enum probe_data_kind holds;
	unsigned lacking; /* bits of runtimes (1 << RT_...) that cannot run it */
	/* Add the probes that PT stands for to S->program; false if nothing matched
	 * (an error was reported unless PT is optional or QUIET). */
	bool (*resolve)(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, bool quiet);
	/* Access of the variable NODE at probe points outside of functions; or NULL. */
	bool (*variable)(const struct node *node, struct access *out, struct var_error *err);
	/* Text of $$name or $$system at a site in F; NULL for other variables. May be NULL. */
	const char *(*text)(const struct function *f, const char *name);
	unsigned nparms; /* with that: $arg1 to this one are $$parms */
	/* Is NODE, a target variable, set by the script for the runtime, so that assigning to it
	 * changes nothing of the program?  Or NULL. */
	bool (*is_result)(const struct node *node);
	/* Check the whole program once all probes are known, and report errors. Set in one probe
	 * type of a family, or NULL. */
	void (*check)(const struct session *s);
};
/* display.c: for --monitor and --merge; no point names them */
extern const struct probe_kind probe_monitor, probe_reset, probe_send;
/* probe/table.c: the families, arrays that end with an empty kind; NULL at the end. */
extern const struct probe_kind *const probe_families[];
/* Each kind of each family: for_each_probe_kind (k) STATEMENT. */
#define for_each_probe_kind(k)                                              \
	for (const struct probe_kind *const *f_ = probe_families, *k = *f_; \
	     k && (k->pattern || ((k = *++f_) != NULL && k->pattern)); k++)

/* ------------------------------------------------------------- probe_data.c */

enum field_form { FIELD_NUMBER, FIELD_ADDRESS, FIELD_LENGTH, FIELD_COUNT, FIELD_FLAG, FIELD_TEXT };

/* A field of such a member; a row without a name ends the list. */
struct probe_field {
	const char *name;
	size_t offset;        /* in struct probe */
	enum field_form form; /* int64_t, uint64_t, uint64_t, unsigned, bool, const char * or NULL
			       */
	bool in_dump;         /* --dump shows it */
};
/* The members, with their fields in the order of struct ust_probe. */
extern const struct probe_data {
	const char *member;
	const struct probe_field *fields;
} probe_data[PROBE_DATA_KINDS];
/* The value of a field with a number. */
int64_t probe_field_number(const struct probe *p, const struct probe_field *f);

#endif
