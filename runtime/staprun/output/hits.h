/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of sites at the end of a run: --explain, --expect-hits. */
#ifndef STAPRUN_OUTPUT_HITS_H
#define STAPRUN_OUTPUT_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include "wire_records.h"

/* State of the script's sites, reported at the end. */
struct hits {
	struct hit_count *v;
	size_t n, cap;
};
/* Reason I why a jump does not fit; for the user runtime (inject/patch/patch.c). */
const char *patch_reason(unsigned i);
/* Append a count with copies of PP and ORIGIN, control characters masked. */
void hits_add(struct hits *h, const struct ust_count *c, const char *pp, const char *origin);
/* True if each probe of processes was hit; else false after a message for each that was not. */
bool hits_expected(struct hits *h);
/* Print the hits of each site and, for sites without hits, the reason if known. */
void hits_explain(struct hits *h);
/* Free all counts; H is empty then. */
void hits_free(struct hits *h);

#endif
