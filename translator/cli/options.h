/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "session.h"

/* The version of SystemTap whose language this is. */
#define COMPATIBLE "4.8"
/* The newest version of SystemTap whose changes --compatible knows. */
#define NEWEST_COMPATIBLE "5.4"

enum options_result { OPTIONS_OK, OPTIONS_DONE /* --help, --version */, OPTIONS_WRONG };

/* Fill S->opt and S->lim from the environment, the rc files and the command line; errors are
 * reported. */
enum options_result options_parse(struct session *s, int argc, char **argv);

/* ---------------------------------------------------------- option_table.c */

/* A row of runtime/include/options/options.def, which describes the columns. */
struct option_row {
	const char *name;
	char letter;
	enum { NO_VALUE, VALUE, MAY_HAVE_VALUE } value;
	bool forwarded;
	enum { FLAG, TEXT, TEXTS, NUMBER, CALL, NOTHING, REFUSED } how;
	size_t field; /* FLAG, TEXT, TEXTS, NUMBER: offset in struct options */
	int64_t most; /* NUMBER */
	void (*set)(struct session *s, const char *arg); /* CALL; ARG may be NULL */
	enum {
		TAKES_NOTHING,
		TAKES_TEXT /* of no known kind */,
		TAKES_WORD /* one of the choices */,
		TAKES_FILE,
		TAKES_DIRECTORY,
		TAKES_PROGRAM,
		TAKES_COMMAND,
		TAKES_PROCESS,
		TAKES_KERNEL,
		TAKES_POINTS,
		TAKES_SCRIPT,
		TAKES_OPTION /* the name of an option */
	} takes;
	const char *choices, *says;
	const char *instead; /* REFUSED: what to do instead */
};
extern const struct option_row option_rows[];
extern const size_t option_count;
const char *option_row_name(const struct option_row *row); /* "--name" or "-x" */

/* The choices of OPTION, "--name" or "-x", whose row has some. */
name_vec option_choices(const char *option);

/* Programs are those below the directory ROOT, a value of --sysroot. */
void enter_root(const char *root);

/* Report a mistake in the command line; the run ends when all options are read. */
void option_error(const char *fmt, ...) PRINTF(1, 2);
/* The number in TEXT (C syntax) of the option with the name OPTION, as messages print it. After an
 * error was reported, MIN. */
int64_t option_number(const char *option, const char *text, int64_t min, int64_t max);

/* --------------------------------------------------------------- example.c */

/* The path of the example script NAME; NULL after an error. */
const char *example_path(const char *name);

/* --------------------------------------------------------- named_process.c */

/* -x ARG: the id or the name of a process. */
void set_process(struct session *s, const char *arg);
/* Add the processes of this machine that names of -x mean to those of ids; errors are reported. */
void find_processes(struct session *s);

/* ---------------------------------------------------------- command_words.c */

typedef VEC(const char *) arg_vec;

/* Words of commands such as `ustap record', whose other options are those of any run. */
/* The value of OPTION if ARGV[*I] is this option, as `--option=value' or in the next word, which
 * *I then counts; "" after an error. NULL: another option. */
const char *command_value(const char *option, char **argv, int *i);
/* Append ARGV[*I] to TO, with its value if that is the next word, which *I then counts. */
void command_pass(arg_vec *to, char **argv, int *i);
/* Make WORDS the command line. */
void command_replace(arg_vec *words, int *argc, char ***argv);
/* Print USAGE if -h or --help is among the words; true if it is. */
bool command_help(const char *usage, int argc, char **argv);

/* ------------------------------------------------------------------- time.c */

/* Replace the words of `ustap time' by those of a run of the example wall-clock. */
enum options_result time_options(struct session *s, int *argc, char ***argv);

/* ----------------------------------------------------------- option_help.c */

/* The description of the option NAME ("timeout", "--timeout", "x" or "-x") in ustap(1), as plain
 * text of several lines; NULL if no option has this name. */
const char *option_help(const char *name);

/* -------------------------------------------------------- remote_options.c */

/* Check --remote and its companions; errors are reported. */
void check_remote_options(struct session *s);

/* ----------------------------------------------------------- loader_args.c */

/* Append staprun's arguments for the options that are passed on. */
void loader_args(const struct session *s, arg_vec *a);

/* ----------------------------------------------------------- interactive.c */

/* -i: commands from standard input; RUN_SCRIPT compiles and runs in a child.  Exit status. */
int interactive(struct session *s, int (*run_script)(struct session *s));

/* ---------------------------------------------------------------- record.c */

/* Replace the words of `ustap record', of which the first is "record", by those of the run that it
 * means; errors are reported. OPTIONS_DONE: --help was answered. */
enum options_result record_options(int *argc, char ***argv);

/* -------------------------------------------------------------- build_as.c */

/* --build-as: SESSION in a child process, as that user. RUNS: it builds a script, whose artifact S
 * has afterwards. Exit status. */
int build_as(struct session *s, bool runs, int (*session)(struct session *s));

/* ------------------------------------------------------------ stap_names.c */

/* Is ustap called by the name PROGRAM of another command of SystemTap: stap-prep, stap-report or
 * stap-merge? */
bool is_stap_name(const char *program);
/* Do what the command ARGV[0] does in SystemTap, or report what does it here. COMPILE_WORDS does
 * what a command line of ustap says.  Exit status. */
int do_stap_name(int argc, char **argv, int (*compile_words)(int argc, char **argv));

/* ---------------------------------------------------------------- limits.c */

/* Set all limits to their defaults, as in ustap(1) under -D. */
void limits_default(struct limits *lim);
/* -D NAME=VALUE */
void limits_set(struct session *s, const char *define);
/* Limits that were not given follow from those that were. */
void limits_settle(struct limits *lim);

/* ---------------------------------------------------------------- rcfile.c */

/* Words of the rc files, as if they stood before those of the command line. */
void rc_words(text_vec *out);
/* Apply variables of the environment for options that were not given. */
void environment_options(struct session *s);

#endif
