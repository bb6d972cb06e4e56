/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bundles: the command line of `ustap bundle', and the files of a bundle. */
#ifndef USTAP_CLI_BUNDLE_H
#define USTAP_CLI_BUNDLE_H

#include <sys/types.h>
#include "options.h"

/* The words of the command line, apart: what bundle.c consumes, and what each compile gets. */
struct bundle_words {
	const char *output;                /* -o */
	const char *key;                   /* --sign; NULL */
	text_vec releases, roots, runtime; /* -r, --sysroot, --runtime; each may be repeated */
	arg_vec rest;                      /* all others, in order, without argv[0] */
};

/* ---------------------------------------------------------- bundle_words.c */

/* Sort the words of ARGV, whose first one is "bundle". */
void bundle_words_sort(struct bundle_words *w, int argc, char **argv);

/* ---------------------------------------------------------- bundle_files.c */

/* All functions that return bool or a pointer return false or NULL after a message. */
struct bundle_files {
	const char *dir;           /* absolute or of the working directory; exists */
	text_vec files, artifacts; /* names in DIR; ARTIFACTS are in both */
	struct strbuf sums;        /* SHA256SUMS */
	const char *interpreter;   /* name of the dynamic linker in DIR; NULL: staprun is static */
};

/* Copy a build of the script. */
bool bundle_add_artifact(struct bundle_files *b, const char *path);
/* Copy staprun and its libraries. */
bool bundle_add_staprun(struct bundle_files *b);
/* After the former two: the program `run'; options of S are its defaults. */
bool bundle_add_run(struct bundle_files *b, const struct session *s);
/* Add the file MADE: the time, in seconds since 1970. */
bool bundle_add_time(struct bundle_files *b);
/* Sign SHA256SUMS, which exists, with the KEY of ssh-keygen(1). */
bool bundle_sign(struct bundle_files *b, const char *key);
/* At last: SHA256SUMS; its own hash. */
const char *bundle_add_sums(struct bundle_files *b);
/* Make ARCHIVE of the directory; equal bundles make equal archives. */
bool bundle_pack(const struct bundle_files *b, const char *archive);
/* Remove the directory. */
void bundle_remove(const struct bundle_files *b);

bool bundle_failed(const char *what, const char *path); /* false, after a message with errno */
const char *base_name(const char *path);                /* the name behind the last slash */
/* Append a blank and TEXT as one word of a shell. */
void add_shell_word(struct strbuf *sb, const char *text);

#endif
