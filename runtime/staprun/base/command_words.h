/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a command line. */
#ifndef STAPRUN_BASE_COMMAND_WORDS_H
#define STAPRUN_BASE_COMMAND_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
	char **v;
	size_t n;
}; /* v[n] is NULL */

/* Append WORD, which W owns from now on; w->v stays terminated by NULL. words_free() frees all of
 * them, and W is empty. */
void words_push(struct words *w, char *word);
void words_free(struct words *w);

/* Split LINE into words as a shell would. False if a shell is needed to run it. */
bool split_command(const char *line, struct words *w);

#endif
