/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "session.h"

/* The version of SystemTap whose language this is. */
#define COMPATIBLE "4.8"

enum options_result { OPTIONS_OK, OPTIONS_DONE /* --help, --version */, OPTIONS_WRONG };

/* Fill S->opt and S->lim from the environment, the rc files and the command line; errors are
 * reported. */
enum options_result options_parse(struct session *s, int argc, char **argv);
extern const char *const dump_passes[];

/* ---------------------------------------------------------- option_table.c */

struct option_row {
	const char *name; /* long name or NULL */
	char letter;      /* short name or 0 */
	enum { NO_VALUE, VALUE, MAY_HAVE_VALUE } value;
	enum { FLAG, TEXT, TEXTS, CALL, NO_MEANING, REFUSED } how;
	size_t field; /* FLAG, TEXT, TEXTS: offset in struct options */
	void (*set)(struct session *s, const char *arg); /* CALL; ARG may be NULL */
	const char *says;                                /* REFUSED: what to do instead */
};
extern const struct option_row option_rows[];
extern const size_t option_count;

/* ---------------------------------------------------------- option_words.c */

enum takes {
	TAKES_NOTHING,
	TAKES_TEXT /* of no known kind */,
	TAKES_WORD /* one of the choices */,
	TAKES_FILE,
	TAKES_DIRECTORY,
	TAKES_PROGRAM,
	TAKES_COMMAND,
	TAKES_PROCESS,
	TAKES_KERNEL,
	TAKES_PASS,
	TAKES_POINTS,
	TAKES_SCRIPT
};
struct option_words {
	const char *option;
	enum takes takes;
	const char *choices, *says;
};
extern const struct option_words option_words[];           /* one without an option at the end */
const char *option_row_name(const struct option_row *row); /* "--name" or "-x" */
/* NULL: there is no such row */
const struct option_words *option_words_of(const struct option_row *row);

void option_error(const char *fmt, ...) PRINTF(1, 2);
int64_t option_number(const char *option, const char *text, int64_t min, int64_t max);

/* --------------------------------------------------------- named_process.c */

/* -x ARG: the id or the name of a process. */
void add_process(struct session *s, const char *arg);

/* ----------------------------------------------------------- interactive.c */

/* -i: commands from standard input; RUN_SCRIPT compiles and runs in a child.  Exit status. */
int interactive(struct session *s, int (*run_script)(struct session *s));

/* ---------------------------------------------------------------- limits.c */

void limits_default(struct limits *lim);
/* -D NAME=VALUE */
void limits_set(struct session *s, const char *define);

/* ---------------------------------------------------------------- rcfile.c */

/* Words of the rc files, as if they stood before those of the command line. */
void rc_words(text_vec *out);
/* What variables of the environment say where no option did. */
void environment_options(struct session *s);

#endif
