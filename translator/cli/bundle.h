/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line of `ustap bundle', between bundle_words.c and bundle.c. */
#ifndef USTAP_CLI_BUNDLE_H
#define USTAP_CLI_BUNDLE_H

#include "options.h"

/* The words of the command line, apart: what bundle.c consumes, and what each compile gets. */
struct bundle_words {
	const char *output;                /* -o */
	text_vec releases, roots, runtime; /* -r, --sysroot, --runtime; each may be repeated */
	arg_vec rest;                      /* all others, in order, without argv[0] */
};

/* Sort the words of ARGV, whose first one is "bundle". */
void bundle_words_sort(struct bundle_words *w, int argc, char **argv);

#endif
