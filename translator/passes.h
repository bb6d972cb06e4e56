/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The passes of a compile in their order, and what is run instead of them or after them. */
#ifndef USTAP_PASSES_H
#define USTAP_PASSES_H

#include "session.h"

/* `number` is the pass of -p after which this step ends. */
struct pass {
	const char *name;
	int number;
	void (*run)(struct session *s);
	void (*say)(struct strbuf *out, const struct session *s);
	void (*dump)(struct strbuf *out, const struct session *s);
};
extern const struct pass passes[]; /* one without a name at the end */

/* lsp/: --language-server; exit status. */
int language_server(struct session *s);

/* edit/shell.c: --complete with the words of a command line; exit status. */
int complete_words(int argc, char **argv);

/* The passes.  Each reports all its errors; the driver stops after a pass that had any. */
void pass_parse(struct session *s);   /* source_load.c: text -> script */
void pass_aliases(struct session *s); /* alias.c: aliases in probe points -> what they stand for */
/* resolve.c: names -> symbols; loads library functions; at its end program.globals and .funcs
 * are all of the script's */
void pass_resolve(struct session *s);
void pass_elide(struct session *s); /* elide.c: remove statements without effect */
/* point.c, target_vars.c, probe/: probe points -> program.probes */
void pass_points(struct session *s);
/* prune.c: unused functions, globals; call graph. Runs before type inference: functions that are
 * not called do not take part in it */
void pass_prune(struct session *s);
/* types.c: infer the types of variables, keys and results, and check all uses. */
void pass_types(struct session *s);
void pass_pointers(struct session *s); /* pointer.c: what values point to; needs the types */
/* types.c: the types of functions that nothing calls, as far as their code determines them. */
void infer_types(struct session *s);
void pass_fold(struct session *s);    /* fold.c: constants, dead branches */
void pass_display(struct session *s); /* display.c: what shows globals at the end */
/* locks.c: the globals that each handler locks, in an order that cannot deadlock. */
void pass_locks(struct session *s);
void pass_emit(struct session *s);             /* emit.c: program -> C text of the handlers */
void pass_build(struct session *s);            /* build.c: also chooses s->backend */
void prepare(struct session *s);               /* build.c: --prepare */
bool sign_key_usable(const struct session *s); /* backend/sign.c: --sign-module; reports why not */
/* run.c: --list, --cleanup; does not return if staprun runs */
int run_leftovers(const struct session *s);
void print_points(struct session *s); /* listing.c: -l, -L; after the pass "points" */
/* A probe site with "$name:type" of the variables that can be read there; addr 0 if it is not in
 * a file. */
struct described {
	const char *pp;
	uint64_t addr;
	name_vec vars;
};
typedef VEC(struct described) described_vec;
/* Append each probe point of the script to OUT, by opt.list as print_points() shows it. */
void describe_points(struct session *s, described_vec *out);
void explain(struct session *s);    /* explain.c: --explain; after the pass "locks" */
void print_list(struct session *s); /* dump_lists.c: --dump-probe-types and the like */

void system_report(const struct session *s); /* system_report.c: --system-report */

void run_was_not(const struct session *s); /* run.c: --report of a script that does not compile */
/* run.c: execute NAME, a program beside ustap, with ARGV; returns an exit status if that fails. */
int run_tool(const char *name, char **argv);
/* bundle.c: `ustap bundle', the words ARGV from "bundle" on.  COMPILE_WORDS does, in a child, what
 * a command line of ustap says.  Exit status. */
int make_bundle(int argc, char **argv, int (*compile_words)(int argc, char **argv));
/* remote.c: run on the hosts of opt.hosts; COMPILE, in a child, prints the path of the artifact.
 * Exit status. */
int remote_run(struct session *s, int (*compile)(struct session *s));
/* run.c: NAME of an output file with its conversions of strftime(3) replaced. */
const char *dated_name(const char *name);
int pass_run(struct session *s); /* run.c: exec staprun; exit status */

/* named_process.c: do all processes of -x NAME live?  Else false after a message. */
bool named_processes_live(const struct session *s);

#endif
