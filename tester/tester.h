/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustap test: runs scripts that hold their expectations in comments.
 *
 *   main.c         options, the tests to run, the results
 *   directives.c   the comments of a file -> struct test
 *   commands.c     shell commands that build, compile and run a test
 *   test_run.c     runs these commands for one test
 *   judge.c        output, messages and exit status against the directives
 *   pattern.c      regular expressions
 *   suite.c        the same for testsuite/lib, which schedules the suite's tests and boots guests
 */
#ifndef TESTER_H
#define TESTER_H

#include "output/output_format.h"

struct strings {
	char **v;
	size_t n;
};
/* Append a copy of LEN bytes of TEXT, with a NUL. strings_free() frees all of them; S is empty
 * then. */
void strings_add(struct strings *s, const char *text, size_t len);
void strings_free(struct strings *s);

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
	D_GUEST,
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
	const char *root;     /* directory of `script:' paths; NULL: the test's directory */
	const char *runtime;  /* "user" or "kernel" */
	const char *work;     /* each test has a directory below it */
	const char *headers;  /* of the kernel that modules are built for; NULL: the running one */
	unsigned timeout;     /* seconds for a run */
	unsigned jobs;
	bool keep;
	bool update_dumps; /* make what is printed the golden dumps */
};

/* --------------------------------------------------------------- directives.c */

/* Add the tests in FILE, which is called NAME.  Unless it was NAMED by the user, a file without any
 * directive is not a test. */
void directives_read(struct tests *to, const char *file, const char *name, bool named);
/* The whole file; NULL: it cannot be read. */
char *file_text(const char *path, size_t *len);

/* ---------------------------------------------------------------- commands.c */

/* All texts of these functions are to be freed. */

/* @prog@ and the other names in TEXT, as expectations have them. */
char *expand_placeholders(const struct setting *set, const struct test *t, const char *text);
/* The directory in which the test's program and script are built. */
char *test_directory(const struct setting *set, const struct test *t);
/* Take the script from the file that `script:' names. */
void script_locate(const struct setting *set, struct test *t);
/* The compiler's arguments for the test's program; NULL if it has no program. */
char *program_words(const struct setting *set, const struct test *t);
/* The commands that build the test, one string each; to be freed with strings_free(). */
struct strings build_lines(const struct setting *set, const struct test *t);
/* The script's path.  A case, or a script that names @prog@, is written to the test's directory;
 * ./prog there is as long as @prog@, so that positions in messages hold.  NULL: it cannot be read.
 */
char *script_path(const struct setting *set, struct test *t);
/* Does the test end in the translator? */
bool test_only_compiles(const struct test *t);
/* The command that compiles SCRIPT as the test requests. */
char *compile_line(const struct setting *set, const struct test *t, const char *script);
/* Run KO, which the script was built to; @dir@ is DIR, NULL: the test's directory. */
char *run_line(const struct setting *set, const struct test *t, const char *ko, const char *dir);

/* ---------------------------------------------------------------- test_run.c */

/* Build, compile, run and judge the test T: sets its problems, its reason to be skipped, and its
 * duration. */
void test_run(const struct setting *set, struct test *t);
/* True if the test is to be skipped: a file that it needs is missing; its `permitted' command
 * fails in the directory DIR. */
bool test_lacks_file(struct test *t);
/* See test_lacks_file(). */
bool test_is_forbidden(const struct setting *set, struct test *t, const char *dir);
/* PATH with all directories above it. */
void make_directories(char *path);

/* ------------------------------------------------------------------ judge.c */

/* Add a reason against the test. */
void test_add_problem(struct test *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Each adds the problems that it finds in the output of a step. */
void judge_program(struct test *t, const char *err);
/* OUT, ERR, STATUS: of the translator. */
void judge_compile(const struct setting *set, struct test *t, const char *out, const char *err,
		   int status);
/* WARNINGS of the C compiler on emitted C; any one is a problem. */
void judge_emitted_c(struct test *t, const char *warnings);

/* A run; texts may be NULL. */
struct outcome {
	bool ran; /* it ended, with STATUS */
	bool in_guest;
	int status;
	char *out, *err;
	char *late; /* it exceeded its time limit: which */
	char *left; /* processes of this machine, or modules in a guest, that were left over */
	char *log;  /* of the guest's kernel */
	char *died; /* output of the guest that ended during the test, or NULL */
};
/* Free the texts of O. */
void outcome_free(struct outcome *o);

/* LATE: it exceeded its time limit and did no damage.  EMULATOR: its guest hung in a fault of the
 * emulator, which vm/run recognised.  Both may pass in another run; FAILED stands. */
enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_LATE, VERDICT_EMULATOR };
/* Add the problems of a run, and classify them. */
enum verdict judge_outcome(const struct setting *set, struct test *t, const struct outcome *o);

/* ------------------------------------------------------------------ suite.c */

/* Entry point of `ustap-test --suite', for the driver of the suite; see suite.c. */
int suite_main(int argc, char **argv);

/* ---------------------------------------------------------------- pattern.c */

/* Does the regular expression match somewhere in the line S?  -1: RE is not one. */
int pattern_matches(const char *re, const char *s);

#endif
