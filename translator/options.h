/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "ustap.h"

enum options_result { OPTIONS_OK, OPTIONS_DONE /* --help, --version */, OPTIONS_WRONG };

/* Fill S->opt and S->lim from the command line; errors are reported. */
enum options_result options_parse(struct session *s, int argc, char **argv);
extern const char *const dump_passes[];

#endif
