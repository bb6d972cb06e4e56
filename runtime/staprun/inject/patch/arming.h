/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mapped file while it is being armed: planned by arm_plan.c, written by arm.c. Plans made
 * ahead are kept in struct process until the process is stopped. */
#ifndef USTAP_INJECT_PATCH_ARMING_H
#define USTAP_INJECT_PATCH_ARMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/patch/addresses.h"
#include "inject/patch/patch.h"
#include "inject/ptrace/ptrace.h"

struct area_plan;
struct file;
struct injector;
struct maps;
struct patches;
struct place;
struct process;

/* One probe site while it is being armed. */
struct target {
	struct place *place;
	struct patch_site site;
	struct patch patch;
};

struct arming {
	struct injector *in;
	struct process *process;
	struct tracee *t;
	struct maps *maps;
	const struct mapping *m;
	struct mapping here; /* target of M, without a path */
	struct file *file;
	uint64_t bias;   /* run-time minus virtual addresses */
	uint64_t lo, hi; /* code that is examined */
	uint8_t *text;
	struct target *v;
	size_t n;
	struct area_plan *areas; /* the first for all trampolines without an address constraint */
	size_t nareas;
	size_t waiting; /* sites without a patch, for whose trampolines the first has room */
	const struct place *places; /* of the file when the plan was made, NPLACES of them */
	size_t nplaces;
	struct patches *patches; /* all that are possible */
	bool gated, trapped;     /* some patch is behind a gate; some is a breakpoint */
	bool dropped;            /* some patch of the plan cannot be made */
	struct addresses busy;   /* where code continues that cannot be moved */
	struct arming *next;     /* in struct process.plans */
};

/* Plan trampolines and new code of all sites of the file in the mapping. NULL, or why it cannot be
 * armed. */
const char *arming_plan(struct arming *a);
/* Put the patches that are possible into A->patches, in place of those there. */
void arming_collect(struct arming *a);
/* Discard the plan. */
void arming_reset(struct arming *a);

#endif
