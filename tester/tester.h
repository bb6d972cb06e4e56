/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustap test: runs scripts that hold their expectations in comments.
 *
 *   main.c         options, what to run, the results
 *   directives.c   the comments of a file -> struct test
 *   run.c          builds, compiles and runs one test
 *   judge.c        what came out against what the directives say
 *   pattern.c      regular expressions
 *
 * testsuite/lib/ustap.exp is the same for the test suite of ustap itself, which also boots kernels;
 * testsuite/tester/same has both run the same files.
 */
#ifndef TESTER_H
#define TESTER_H

#include "output/output_format.h"

struct strings {
	char **v;
	size_t n;
};
void strings_add(struct strings *s, const char *text, size_t len);

enum expect { EXPECT_LINE, EXPECT_PATTERN, EXPECT_ANY };
struct expected {
	enum expect kind;
	char *text;
};

/* Directives that may be given once. */
enum single {
	D_ORACLE,
	D_SCRIPT,
	D_PROGRAM,
	D_COMMAND,
	D_RUN,
	D_NEEDS,
	D_PERMITTED,
	D_EXPECT_FILE,
	D_STATUS,
	D_DUMP,
	D_RUNTIME,
	SINGLES
};
/* Those whose values add up. */
enum many { D_OPTIONS, D_ARGS, D_STDERR, D_STDERR_RE, D_ERROR, D_WARNING, D_BUILD, MANIES };

struct test {
	char *name;       /* path below the directory, without the suffix; "/CASE" behind it */
	char *file, *dir; /* the script; where the file is that it comes from */
	char *body;       /* of a case: the script's text; else NULL */
	char *single[SINGLES];
	struct strings many[MANIES];
	struct expected *lines;
	size_t nlines;
	bool accept;             /* it shall compile, no more */
	struct strings problems; /* reasons against it */
	char *skipped;           /* why, or NULL */
	double seconds;
	bool done;
};
struct tests {
	struct test *v;
	size_t n;
};

struct setting {
	const char *ustap, *staprun; /* programs */
	const char *programs; /* where `program:' files are if not beside the test, or NULL */
	const char *root;     /* what `script:' is below, if not the test's directory, or NULL */
	const char *runtime;  /* "user" or "kernel" */
	const char *work;     /* each test has a directory below it */
	unsigned timeout;     /* seconds for a run */
	unsigned jobs;
	bool keep;
};

/* --------------------------------------------------------------- directives.c */

/* Add the tests in FILE, which is called NAME.  Unless it was NAMED by the user, a file without any
 * directive is none. */
void directives_read(struct tests *to, const char *file, const char *name, bool named);
/* The whole file; NULL: it cannot be read. */
char *slurp(const char *path, size_t *len);

/* -------------------------------------------------------------------- run.c */

void test_run(const struct setting *set, struct test *t);
/* @prog@ and its like in TEXT; to be freed. */
char *substitute(const struct setting *set, const struct test *t, const char *text);

/* ------------------------------------------------------------------ judge.c */

void problem(struct test *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void judge_run(const struct setting *set, struct test *t, const char *out, const char *err,
	       int status);
/* Messages "error" or "warning" in the compiler's output against the directives' TAG LINE:COL
 * [text]. */
void judge_diagnostics(struct test *t, const char *kind, const struct strings *wants,
		       const char *err);
void judge_dump(const struct setting *set, struct test *t, const char *out);

/* ---------------------------------------------------------------- pattern.c */

/* Does the regular expression match somewhere in the line S?  -1: it is none. */
int pattern_matches(const char *re, const char *s);

#endif
