/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Globals of several runs: each writes its own as lines of text, which doc/outputs.md describes,
 * and one merges them.
 */
#ifndef USTAP_ARRAYS_MERGE_H
#define USTAP_ARRAYS_MERGE_H

#include "arrays/arrays.h"

struct ust_merge {
	/* Write the records of all globals, then UST_REC_GLOBALS_END. Waits for space; called by
	 * one thread while no handler runs. */
	void (*send)(void);
	/* The same while the script runs: RUN runs its probes of the kind UST_PROBE_SEND, which do
	 * not wait. Called by the thread that serves the loader's orders. */
	void (*send_running)(void (*run)(enum ust_probe_kind kind));
	/* enum ust_merge_op, as of struct ust_agent. Called before probes run. */
	int (*take)(u32 op, char *line, const char **why);
};

/* merge_send.c: pass the declaration of G to PUT in parts; lines that differ in it are of another
 * script. */
void merge_declare(const struct ust_gvar *g, void (*put)(void *arg, const char *text), void *arg);

/* merge_send.c: see struct ust_merge. */
void merge_send(void);
/* merge_send.c: see struct ust_merge. */
void merge_send_running(void (*run)(enum ust_probe_kind kind));

/* ------------------------------------------------------------ merge_words.c */

/* The next word of the line at *AT, which then points behind it; NULL at the end of the line. */
char *merge_word(char **at);
/* Parse the next word; false: it is missing, or not such a number. */
bool merge_long(char **at, ust_long *to);
/* The same of a number without a sign. */
bool merge_unsigned(char **at, u64 *to);
/* Parse the next word as BUCKET:COUNT. */
bool merge_bucket(char **at, u64 *bucket, u64 *count);
/* Decode the next word as a string of the script; NULL: it is missing, malformed or too long. */
const char *merge_string(char **at);
/* Encode the byte CH of a string into TEXT of 4 bytes. */
void merge_escape(char *text, unsigned char ch);

#endif
