/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources, places in them, and errors and warnings about them. */
#ifndef USTAP_BASE_DIAG_H
#define USTAP_BASE_DIAG_H

#include "base/util.h"

struct source;
struct loc {
	const struct source *src;
	uint32_t beg, end;
}; /* bytes [beg, end) */

struct source {           /* immutable once made */
	const char *name; /* as shown: file name or "<input>" */
	const char *text;
	size_t len;
	bool library;      /* from the tapset library: trusted */
	bool ours;         /* from the part of it that comes with ustap */
	const char *macro; /* name and text are as of the source that this macro is defined in, */
	struct loc used;   /* and it was expanded here; NULL in ordinary sources */
};

enum errtag {
#define ERRTAG(id, name) id,
#include "base/errtags.def"
#undef ERRTAG
	ERRTAG_COUNT
};

void loc_linecol(struct loc loc, unsigned *line, unsigned *col); /* both from 1 */
struct loc loc_join(struct loc a, struct loc b); /* from where A begins to where B ends */
/* Report an error at LOC, with its source line and a caret; LOC.src may be NULL: no source line.
 * Counts for diag_errors() and the exit status. */
void diag_error(enum errtag tag, struct loc loc, const char *fmt, ...) PRINTF(3, 4);
/* Report a warning in the same way; not after diag_set_quiet_warnings(true). After
 * diag_set_strict(true) it is an error and counts as one. */
void diag_warn(enum errtag tag, struct loc loc, const char *fmt, ...) PRINTF(3, 4);
/* One more line under the last error or warning: what to do next. */
void diag_hint(const char *fmt, ...) PRINTF(1, 2);
/* Show the source of a second place that the last error or warning is about. */
void diag_also(struct loc loc);
/* From now on messages are put there instead of being printed. */
struct message {
	bool error;
	enum errtag tag;
	struct loc loc;
	const char *text;
	text_vec hints;
	VEC(struct loc) also; /* of diag_also() */
};
typedef VEC(struct message) message_vec;
/* Append messages to *TO, whose owner is the caller, instead of printing them; NULL: print again.
 */
void diag_keep(message_vec *to);
/* The name of TAG as messages print it in brackets, a constant. */
const char *tag_name(enum errtag tag);
int diag_errors(void);                 /* errors so far */
const char *diag_first(void);          /* the first of them, a line each */
void diag_forget(void);                /* reset the count of errors */
void diag_set_quiet_warnings(bool on); /* -w */
void diag_set_strict(bool on);         /* -W: a warning is an error */
bool diag_set_color(const char *when); /* never, always, auto; false for other words */
extern int verbose;                    /* count of -v */
void vlog(int level, const char *fmt, ...) PRINTF(2, 3); /* to stderr if verbose >= level */

#endif
