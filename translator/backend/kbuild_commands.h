/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the kernel's own build, as lists of words. */
#ifndef USTAP_BACKEND_KBUILD_COMMANDS_H
#define USTAP_BACKEND_KBUILD_COMMANDS_H

#include "kernel.h"

/* The commands that made SRC/NAME, each a list of words; returns how many of CMDS, which has room
 * for MAX, are set. */
size_t recorded(const char *src, const char *name, word_vec *cmds, size_t max);

/* OUT: the compiler command CMD without what emitted C must not have, and without file names. */
void script_cc(const struct kernel *k, const word_vec *cmd, word_vec *out);
/* OUT: the compiler command CMD for C that includes kernel headers. */
void headers_cc(const struct kernel *k, const char *src, const word_vec *cmd, word_vec *out);

/* OUT: the objtool command among the N commands CMDS, without its file; false if none. */
bool find_objtool(const struct kernel *k, const char *src, const word_vec *cmds, size_t n,
		  word_vec *out);
/* The same where make runs objtool and keeps no record of it, as before 5.17: from the commands
 * that it wrote to LOG. */
void find_objtool_spoken(const struct kernel *k, const char *src, const char *log, word_vec *out);

/* A linker command. */
struct link {
	word_vec flags, inputs;
	char *script; /* of -T, NULL if none */
};
/* Set *L to the parts of the linker command CMD, with absolute paths. */
void split_link(const struct kernel *k, const char *src, const word_vec *cmd, struct link *l);

#endif
