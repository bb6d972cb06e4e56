/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The passes of a compile, for who runs them: main.c, and the language server, which stops before
 * the build. */
#ifndef PASSES_H
#define PASSES_H

#include "ustap.h"

/* `number` is the pass of -p after which this step ends. */
struct pass {
	const char *name;
	int number;
	void (*run)(struct session *s);
	void (*say)(struct strbuf *out, const struct session *s);
	void (*dump)(struct strbuf *out, const struct session *s);
};
extern const struct pass passes[]; /* one without a name at the end */

/* lsp/: --language-server; exit status. */
int language_server(struct session *s);

/* edit/shell.c: --complete with the words of a command line; exit status. */
int complete_words(int argc, char **argv);

#endif
