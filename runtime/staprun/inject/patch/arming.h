/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mapped file while it is being armed: planned by arm_plan.c, written by arm.c. */
#ifndef USTAP_INJECT_PATCH_ARMING_H
#define USTAP_INJECT_PATCH_ARMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/patch/patch.h"

struct area_plan;
struct file;
struct injector;
struct mapping;
struct maps;
struct place;
struct process;
struct tracee;

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
	struct file *file;
	uint64_t bias;   /* run-time minus virtual addresses */
	uint64_t lo, hi; /* code that is examined */
	uint8_t *text;
	struct target *v;
	size_t n;
	struct area_plan *areas; /* the first for all trampolines without an address constraint */
	size_t nareas;
};

/* Fill A->v with the sites of the file in the mapping. */
void arming_find_targets(struct arming *a);
/* Read the code around all sites. False if it cannot be read. */
bool arming_read_text(struct arming *a);
/* Plan trampolines and new code of all sites. False if no address range near the code is free. */
bool arming_plan(struct arming *a);

#endif
