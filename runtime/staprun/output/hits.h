/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of sites at the end of a run: --explain, --expect-hits. */
#ifndef STAPRUN_OUTPUT_HITS_H
#define STAPRUN_OUTPUT_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

/* What the script tells of its sites at the end. */
struct hits {
	struct hit_count *v;
	size_t n, cap;
};
/* Why a jump does not fit somewhere; of the user runtime (inject/patch/patch.c). */
const char *patch_reason(unsigned i);
void hits_add(struct hits *h, const struct ust_count *c, const char *pp, const char *origin);
/* Has each probe of processes been hit?  Else false after a message for each that was not. */
bool hits_expected(struct hits *h);
/* Print how often each site was hit, and if it was not, why as far as that is known. */
void hits_explain(struct hits *h);
void hits_free(struct hits *h);

#endif
