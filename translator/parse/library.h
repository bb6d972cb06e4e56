/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where source text comes from: scripts and the tapset library. */
#ifndef USTAP_PARSE_LIBRARY_H
#define USTAP_PARSE_LIBRARY_H

#include "parse/script.h"

struct macro;

/* A source in the arena; NAME and TEXT are not copied, and text[len] must be 0 (the scanner reads
 * it). */
struct source *source_new(const char *name, const char *text, size_t len);
/* The definitions of a .stpm file, put into MACROS where they are not yet. */
bool parse_macros(struct session *s, const struct source *src, struct smap *macros);

/* Tapset library: the -I directories, then the tapset directory of ustap. A file is parsed when
 * one of its definitions is needed, and added to S->script. */
struct func *load_library_function(struct session *s, const char *name); /* NULL: none */
/* name with its @; NULL: none */
const struct macro *library_macro(struct session *s, const char *name);
/* Parse the tapset files that define the global NAME, and add them to the script. False: no file
 * was added. */
bool load_library_global(struct session *s, const char *name);
/* Parse the tapset files that define an alias which the first components of PT may name
 * (wildcards count), and add them to the script. True
 * if a file was added: the caller looks up PT again. */
bool load_library_alias(struct session *s, const struct point *pt);
void load_library_summaries(struct session *s); /* of types */
void load_library_all(struct session *s);       /* for listings */
void library_again(void);                       /* another script: no file of it is parsed */
void library_paths(const struct session *s, text_vec *out); /* of all files */
/* all names, those of files not parsed, too */
void library_aliases(const struct session *s, text_vec *out);

#endif
