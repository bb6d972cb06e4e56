/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compile as a whole: its options and limits, its script, its program, and what the runtimes
 * offer it.
 */
#ifndef USTAP_SESSION_H
#define USTAP_SESSION_H

#include "base/ctext_type.h"
#include "sema/program.h"

struct backend;

/* In the order of the choices of --runtime. */
enum runtime { RT_AUTO, RT_KERNEL, RT_USER };

/* One field for each row of options.def that has one, and what its other rows set. */
struct options {
#define FIELD_FLAG(field)         bool field;
#define FIELD_TEXT(field)         const char *field;
#define FIELD_TEXTS(field)        text_vec field;
#define FIELD_NUMBER(field, most) int64_t field;
#define FIELD_CALL(x)
#define FIELD_NOTHING()
#define USTAP_OPTION(name, letter, value, how, ...) FIELD_##how
#define BOTH_OPTION                                 USTAP_OPTION
#include "../runtime/include/options/options.def"
	const char *script_file;
	text_vec words; /* of the command line, before they are sorted */
	int argc;
	char **argv;            /* script arguments */
	VEC(int64_t) pids;      /* -x */
	text_vec process_names; /* -x NAME */
	text_vec roots;         /* --sysroot */
	name_vec hosts;         /* of --remote, each once */
	VEC(int) held;          /* pidfds of those that were given by name */
	const char *module_name, *dump, *tmpdir, *rotation; /* -m, --dump, --tmpdir, -S */
	text_vec includes, defines, modinfo; /* -I; -D NAME=VALUE; --modinfo NAME=VALUE */
	text_vec sets;                       /* -G NAME=VALUE */
	int stop_after;                      /* -p1..5; 5 by default */
	int pass_verbose[5];                 /* --vp */
	int64_t ready_fd;                    /* --ready-fd; 0: none */
	bool list_runs;                      /* --list */
	const char *cleanup;                 /* a process id or a module's name */
	bool sign_module;
	const char *sign_key, *sign_cert; /* for that; NULL: those of dkms */
	const char *counts_file;          /* where staprun writes how often handlers ran; for -t */
	/* --output, in the order of its choices */
	enum format {
		FORMAT_TEXT,
		FORMAT_JSON,
		FORMAT_FOLDED,
		FORMAT_TRACE,
		FORMAT_HTML,
		FORMAT_OTLP
	} format;
	bool named_stacks;  /* ubacktrace() returns names with any output format */
	const char *report; /* --report: tap or junit, and maybe a file */
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
	} list; /* -l, -L */
};

/* -D limits; defaults as in stap. */
struct limits {
	int64_t maxaction, maxaction_interruptible, maxnesting, maxstringlen, maxmapentries,
		maxerrors, maxskipped, maxbacktrace, hist_width, hist_elision, max_buckets,
		overload_threshold, overload_interval;
};

struct session {
	struct options opt;
	struct limits lim;
	struct script script;
	struct smap macros; /* of the tapset library; source_load.c */
	struct program program;
	const struct backend *backend;
	VEC(const struct source *) embeds; /* that have embedded C */
	struct cbuf c_text;                /* emitted C */
	const char *work_dir;              /* private temporary directory */
	char *artifact;                    /* .ko or .ust path after build */
	const char *stack;    /* "BYTES of LIMIT bytes of STACK" that its handlers take */
	int artifact_fd;      /* and what is run: the contents that were checked; 0: none yet */
	uint64_t pass_ns[16]; /* time of each pass, for -v */
};

struct unusable {
	enum errtag tag;
	const char *msg, *hint;
	struct loc loc;
}; /* hint: what mends it */
struct backend {
	const char *name; /* "kernel", "user" */
	/* Can this session's script be built, and run if it is to be?  False: WHY says. */
	bool (*usable)(const struct session *s, struct unusable *why);
	bool (*prepare)(struct session *s); /* fill the cache; errors reported */
	bool (*build)(struct session *s);   /* c_text -> artifact; errors reported */
};
extern const struct backend backend_kernel, backend_user;
extern const struct backend *const backends[]; /* by enum runtime; NULL for RT_AUTO; build.c */
/* session.c: report WHY; WHY for the point PP, which the user runtime does not have, where KERNEL
 * says why not to take the other, or is NULL. */
void report_unusable(const struct unusable *why);
/* Fill in *WHY for the probe point PP at LOC, which the user runtime does not support. KERNEL: why
 * the kernel runtime cannot be used instead; NULL: it can. */
void runtime_lacks_point(struct loc loc, const char *pp, const struct unusable *kernel,
			 struct unusable *why);

bool session_defines(const struct session *s, const char *name); /* by -D */
/* Does --compatible name a version before VERSION, which changed what the code at LOC means? The
 * tapset library is written for the newest one, and so are tokens of the editor,
 * which reads them without options. */
bool session_predates(const struct session *s, const char *version, struct loc loc);
/* True if ubacktrace() returns names: for folded and html output, and ustap time. */
bool stacks_are_names(const struct session *s);
/* True if globals and hits are shown while the script runs: with --monitor, --prometheus and
 * --otlp, and in html pages. */
bool session_has_views(const struct session *s);
/* True if globals are exported as metrics: with --prometheus, in OTLP. */
bool session_exports(const struct session *s);
/* The runtime that pass_build will choose, before it runs. */
enum runtime early_runtime(const struct session *s);
/* Report that the point PP needs the kernel runtime, and where modules cannot be loaded why. */
void report_needs_kernel(const struct session *s, struct loc loc, const char *pp);

#endif
